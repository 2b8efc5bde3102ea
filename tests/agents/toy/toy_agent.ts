/**
 * A small terminal program with a look of its own that plays one role: it takes a prompt, works a moment on it, and
 * writes the response file that the prompt asks for.
 */
import { findResponseTarget } from "../../../lib/lab/replay/response_target.ts";

const REVIEW = `ARTEFACTS: the implementation in src/greet.ts is correct, its tests pass.
TRACEABILITY: scenario step 1 is covered by tests/greet_test.ts.
INTERFACES: opened src/greet.ts and tests/greet_test.ts; the function \`greet(name, options)\` keeps its signature.
ACTION_ITEMS:
- Keep \`greet\` as it is in src/greet.ts.
REVIEW_NOTES: I read both files and ran the tests.
REVIEW_RESULT: APPROVED`;

const RESPONSES: Readonly<Record<string, string>> = {
  analyst: "Analysis: change src/greet.ts.",
  analyst_review: REVIEW,
  programmer: "Files changed: src/greet.ts.",
  programmer_review: REVIEW,
  tester: "Ran the scenario: HELLO ADA.\nRESULT: PASS",
};

const LINE = "~".repeat(40);
const WORK_MS = 300;

/** What a person types while a prompt is being pasted. */
const TYPED = Deno.env.get("TOY_TYPED") ?? "";

function play(role: string): void {
  const said: string[] = ["--- toy 1.2.3 ---"];
  let draft = "";
  let isBusy = false;
  const shown = () =>
    draft.length > 200 ? `<<${draft.length - TYPED.length} characters>>${TYPED}` : draft.replaceAll("\n", "\r\n     ");
  const draw = () => {
    const rows = [...said, LINE, `toy> ${shown()}`, LINE, isBusy ? "busy" : "ready"];
    Deno.stdout.writeSync(new TextEncoder().encode(`\x1b[2J\x1b[H${rows.join("\r\n")}`));
  };
  const submit = () => {
    const prompt = draft;
    draft = "";
    isBusy = true;
    said.push(`[you] ${prompt.split("\n")[0]}`);
    setTimeout(() => {
      const target = findResponseTarget(prompt);
      if (target !== undefined) {
        Deno.mkdirSync(target.path.replace(/[^/]*$/, ""), { recursive: true });
        Deno.writeTextFileSync(target.path, RESPONSES[role] ?? "");
      }
      said.push("[toy] written");
      isBusy = false;
      draw();
    }, WORK_MS);
  };
  const take = (text: string) => {
    // deno-lint-ignore no-control-regex -- that is how a bracketed paste arrives
    const [, pasted, rest = ""] = /^\x1b\[200~(.*?)\x1b\[201~(.*)$/s.exec(text) ?? [];
    if (pasted !== undefined) draft += pasted.replaceAll("\r", "\n") + TYPED;
    for (const key of pasted === undefined ? text : rest) {
      if (key === "\r" && draft !== "") submit();
      else if (key !== "\r") draft += key;
    }
    draw();
  };
  Deno.stdin.setRaw(true);
  Deno.stdout.writeSync(new TextEncoder().encode("\x1b[?2004h"));
  draw();
  read(take);
}

async function read(take: (text: string) => void): Promise<void> {
  let pending = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    pending += chunk;
    if (pending.startsWith("\x1b[200~") && !pending.includes("\x1b[201~")) continue;
    take(pending);
    pending = "";
  }
}

if (Deno.args[0] === "--version") Deno.stdout.writeSync(new TextEncoder().encode("toy 1.2.3\n"));
else play(Deno.args[0] ?? "");
