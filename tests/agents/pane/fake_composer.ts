/**
 * A small terminal program that looks and types like Codex 0.169.0, and misbehaves as its only argument (JSON) says.
 * What reaches it is written to the log file, one JSON value a line.
 */

/** How the program behaves; all of it optional. */
export interface FakeComposerScript {
  /** Where what was received is logged: `{"paste":…}`, `{"typed":…}`, `"enter"`, `{"submitted":…}`. */
  readonly log?: string;
  /** What stands in the composer from the start. */
  readonly draft?: string;
  /** The screen that the program shows instead of a composer, from the start. */
  readonly startDialog?: "trust" | "login" | "model";
  /** Shows the composer for a moment before `startDialog`. */
  readonly composerBeforeDialogMs?: number;
  /** Enters that do nothing. */
  readonly loseEnters?: number;
  /** @default {true} whether bracketed paste is asked for; without it, Enter soon after a character is a line end */
  readonly bracketed?: boolean;
  /** @default {200} how long it works on a prompt */
  readonly workMs?: number;
  /** Ends when Enter is pressed. */
  readonly dieOnEnter?: boolean;
  /** Writes this and ends at once. */
  readonly dieAtStart?: string;
  /** Opens an approval dialog instead of answering a prompt. */
  readonly askApproval?: boolean;
  /** Keys that answer nothing in that dialog. */
  readonly deafDialog?: boolean;
}

/** Enter within this time after an unbracketed character belongs to a paste (Codex). */
const BURST_MS = 120;

class FakeComposer {
  #draft: string;
  #mode: "composer" | "trust" | "login" | "model" | "approval";
  #busy = false;
  #echo: string | undefined;
  #answer: string | undefined;
  #lost = 0;
  #lastTypedAt = -Infinity;

  constructor(readonly script: FakeComposerScript) {
    this.#draft = script.draft ?? "";
    this.#mode = script.composerBeforeDialogMs === undefined ? script.startDialog ?? "composer" : "composer";
    if (script.composerBeforeDialogMs !== undefined) {
      setTimeout(() => {
        this.#mode = script.startDialog ?? "composer";
        this.draw();
      }, script.composerBeforeDialogMs);
    }
  }

  log(value: unknown): void {
    if (this.script.log) Deno.writeTextFileSync(this.script.log, JSON.stringify(value) + "\n", { append: true });
  }

  paste(text: string): void {
    this.log({ paste: text });
    if (this.#mode !== "composer") return;
    const body = text.replaceAll("\r", "\n");
    this.#draft += body.length > 1000 ? `[Pasted Content ${body.length} chars]` : body;
    this.draw();
  }

  key(key: string): void {
    if (this.#mode === "approval") return this.#answerApproval(key);
    if (key !== "\r") {
      this.log({ typed: key });
      this.#lastTypedAt = performance.now();
      this.#draft += key;
      return this.draw();
    }
    this.log("enter");
    if (this.#mode !== "composer") return;
    if (this.script.dieOnEnter) Deno.exit(3);
    if (performance.now() - this.#lastTypedAt < BURST_MS) this.#draft += "\n";
    else if (this.#lost++ >= (this.script.loseEnters ?? 0) && this.#draft.trim() !== "") this.#submit();
    this.draw();
  }

  #submit(): void {
    this.log({ submitted: this.#draft });
    this.#echo = this.#draft;
    this.#draft = "";
    this.#busy = true;
    setTimeout(() => {
      this.#busy = false;
      if (this.script.askApproval) this.#mode = "approval";
      else this.#answer = "Done.";
      this.draw();
    }, this.script.workMs ?? 200);
  }

  #answerApproval(key: string): void {
    this.log({ approvalKey: key });
    if (this.script.deafDialog || (key !== "y" && key !== "\r")) return;
    this.#mode = "composer";
    this.#answer = "Approved.";
    this.draw();
  }

  draw(): void {
    const title = this.#busy ? "⠋ proj" : this.#mode === "approval" ? "[ ! ] Action Required | proj" : "proj";
    const conversation = this.#conversation();
    const rows = [...conversation, ...this.#bottom()].join("\r\n");
    const draft = this.#draft.split("\n");
    const cursor = this.#mode === "composer"
      ? `\x1b[?25h\x1b[${conversation.length + draft.length};${(draft.at(-1) ?? "").length + 3}H`
      : "\x1b[?25l";
    Deno.stdout.writeSync(new TextEncoder().encode(`\x1b]0;${title}\x07\x1b[2J\x1b[H${rows}${cursor}`));
  }

  #conversation(): string[] {
    const echo = this.#echo?.split("\n") ?? [];
    return [
      "  >_ \x1b[1mOpenAI Codex\x1b[0m (v0.169.0)",
      "",
      ...echo.map((row, index) => index === 0 ? `\x1b[1;2m› \x1b[0m${row}` : `  ${row}`),
      "",
      ...(this.#answer === undefined
        ? []
        : [`\x1b[2m• \x1b[0m${this.#answer}`, "", "\x1b[2m  Worked for 1s • 06:02\x1b[0m"]),
      ...(this.#busy ? ["\x1b[2m•\x1b[0m \x1b[2mWorking (1s • esc to interrupt)\x1b[0m"] : []),
      "",
    ];
  }

  #bottom(): string[] {
    switch (this.#mode) {
      case "composer":
        return [
          ...(this.#draft === ""
            ? ["\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m"]
            : this.#draft.split("\n").map(
              (row, index) => index === 0 ? `\x1b[1m›\x1b[0m ${row}` : `  ${row}`,
            )),
          "",
          this.script.startDialog ? "  ? for shortcuts" : "  GPT-6.1-Sol default · /home/dev/proj",
        ];
      case "approval":
        return [
          "  \x1b[1mWould you like to run the following command?\x1b[0m",
          "",
          "  $ touch /home/dev/approved.txt",
          "",
          "\x1b[1;7m› 1. Yes, proceed (y)\x1b[0m",
          "  2. No, and tell Codex what to do differently (esc)",
          "",
          "  Press enter to confirm or esc to cancel",
        ];
      case "trust":
        return [
          "  \x1b[1mFolder access\x1b[0m",
          "  /home/dev/proj",
          "",
          "  Trust this folder? Codex can read, edit, and run files here.",
          "",
          "\x1b[1;7m› 1. Trust and continue\x1b[0m",
          "  2. Quit",
          "",
          "  enter continue · esc back",
        ];
      case "login":
        return [
          "  Welcome to \x1b[1mCodex\x1b[0m, OpenAI's command-line coding agent",
          "",
          "  Choose how you want to use Codex.",
          "",
          "\x1b[38;5;6m> 1. Sign in with ChatGPT\x1b[0m",
          "  2. Sign in another way",
          "",
          "  Press enter to continue",
        ];
      case "model":
        return [
          "  \x1b[1mMeet GPT-6 Sol\x1b[0m",
          "",
          "\x1b[1;7m› 1. Try new model\x1b[0m",
          "  2. Use existing model",
          "",
          "  enter/esc confirm · ^c quit",
        ];
    }
  }
}

async function main(script: FakeComposerScript): Promise<void> {
  if (script.dieAtStart !== undefined) {
    await Deno.stdout.write(new TextEncoder().encode(script.dieAtStart));
    Deno.exit(1);
  }
  const composer = new FakeComposer(script);
  Deno.stdin.setRaw(true);
  if (script.bracketed ?? true) await Deno.stdout.write(new TextEncoder().encode("\x1b[?2004h"));
  composer.draw();
  let pending = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    pending += chunk;
    while (pending !== "") {
      // deno-lint-ignore no-control-regex -- that is how a bracketed paste arrives
      const paste = /^\x1b\[200~(.*?)\x1b\[201~/s.exec(pending);
      if (paste) composer.paste(paste[1] ?? "");
      else if (pending.startsWith("\x1b[200~")) break;
      else composer.key(pending[0] ?? "");
      pending = pending.slice(paste ? paste[0].length : 1);
    }
  }
}

if (import.meta.main) await main(JSON.parse(Deno.args[0] ?? "{}"));
