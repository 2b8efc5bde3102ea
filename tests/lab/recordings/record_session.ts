// Records a whole session of a real agent CLI as a timeline, with the truth taken from the model server's log and from
// the keys that were pressed:
//   deno run --allow-all tests/recording/record_session.ts --provider codex --version 0.169.0 --size 100x30
import { captureScreen } from "../../../lib/tmux/capture.ts";
import { parseArgs } from "@std/cli/parse-args";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { classifyScreen } from "../../../lib/agents/classify_screen.ts";
import { truthPathFor } from "../../../lib/lab/recordings/check_timeline.ts";
import { recordPane } from "../../../lib/lab/recordings/recorder.ts";
import { scrub } from "../../../lib/base/redact/scrub.ts";
import { secretPatterns } from "../../../lib/base/redact/secret_patterns.ts";
import type { TruthInterval } from "../../../lib/lab/recordings/truth.ts";
import type { TerminalStatus } from "../../../lib/base/status.ts";
import { pasteText, sendKeys } from "../../../lib/tmux/input.ts";
import { createTmuxClient } from "../../../lib/tmux/plain_client.ts";
import { openSession } from "../../../lib/tmux/open_session.ts";
import { startAnthropicServer } from "../anthropic_server.ts";
import type { ModelLogEntry } from "../model_log.ts";
import type { ModelServer } from "../model_server.ts";
import { startOpenAiServer } from "../openai_server.ts";
import { QUOTING_ANSWER } from "../recording/answers.ts";
import type { Turn } from "../steps.ts";
import { writeClaudeHome } from "../../support/claude_home.ts";
import { installCli, PINNED_VERSIONS } from "../../support/clis.ts";
import { writeCodexHome } from "../../support/codex_home.ts";
import { createSandbox, type Sandbox } from "../../support/sandbox.ts";

type Provider = "codex" | "claude_code";

const LIST = Array.from({ length: 30 }, (_, index) => `${index + 1}. Item number ${index + 1} of the list.`).join("\n");

const COMMAND = "touch made && sleep 2 && echo made";

/** What the model does about the prompts of {@linkcode play}, one turn each. */
const turnsFor = (provider: Provider): readonly Turn[] => [
  [{ do: "wait", ms: 1500 }, { do: "think", text: "A list is wanted.", holdMs: 1500 }, {
    do: "say",
    text: LIST,
    chunkChars: 24,
    chunkMs: 80,
  }],
  [
    { do: "say", text: "I need a command for that.", phase: "commentary" },
    {
      do: "shell",
      command: COMMAND,
      escalate: "May I make a file?",
      ...(provider === "codex" ? { args: { yield_time_ms: 10_000 } } : {}),
    },
    { do: "wait", ms: 1500 },
    { do: "say", text: "The file is made." },
  ],
  [{ do: "refuse", status: 500, times: 2 }, { do: "wait", ms: 1500 }, { do: "say", text: "Recovered." }],
  [
    { do: "wait", ms: 800 },
    { do: "say", text: QUOTING_ANSWER, chunkMs: 60 },
    { do: "wait", ms: 2500 },
    { do: "say", text: "That is all." },
  ],
  [{ do: "say", text: "The first part.\n\n" }, { do: "wait", ms: 5000 }, { do: "say", text: "The second part." }],
  // Interrupted before it says a word, Claude Code takes the turn back; while Codex 0.145.0 streams, Esc does nothing.
  [...(provider === "codex" ? [] : [{ do: "say", text: "This will take a while." } as const]), { do: "hang" }],
  [{ do: "shell", command: "touch declined", escalate: "May I make another file?" }, { do: "say", text: "Made." }],
  [{ do: "say", text: "Last words." }],
  [{ do: "refuse", status: 400, message: "This request cannot be served" }],
];

/** Takes down what the agent really does, and when. */
class TruthTaker {
  readonly #startedMs = Date.now();
  readonly #intervals: TruthInterval[] = [];
  #open: { readonly from: number; readonly status: TerminalStatus } | undefined;

  /** @param atMs milliseconds since 1970; now by default */
  note(status: TerminalStatus | undefined, atMs = Date.now()): void {
    const at = (atMs - this.#startedMs) / 1000;
    if (this.#open && at < this.#open.from) throw new Error(`${status} came before ${this.#open.status}`);
    if (this.#open && at > this.#open.from) this.#intervals.push({ ...this.#open, to: at });
    this.#open = status === undefined ? undefined : { from: at, status };
  }

  /** @param blindFrom times (milliseconds since 1970) from which on, to the end of the turn, no screen can tell */
  toJson(blindFrom: readonly number[]): string {
    const source =
      "The log of the model server that the CLI talked to, and the keys that were pressed; not the screen.";
    const intervals = this.#intervals.flatMap((interval): readonly TruthInterval[] => {
      const starts = blindFrom.map((atMs) => (atMs - this.#startedMs) / 1000);
      const from = starts.find((at) => at > interval.from && at < interval.to);
      if (from === undefined || interval.status !== "processing") return [interval];
      return [{ ...interval, to: from }, { ...interval, from, alone: false }];
    });
    const lines = intervals.map(({ from, to, ...rest }) => `    ${JSON.stringify({ from, to, ...rest })}`);
    return `{\n  "source": ${JSON.stringify(source)},\n  "truth": [\n${lines.join(",\n")}\n  ]\n}\n`;
  }
}

interface Stage {
  readonly provider: Provider;
  readonly server: ModelServer;
  readonly truth: TruthTaker;
  paste(text: string): Promise<void>;
  press(...keys: string[]): Promise<void>;
}

async function play(stage: Stage): Promise<void> {
  const { provider, press, server, truth } = stage;
  const approve = provider === "codex" ? "y" : "1";
  await systemClock.sleep(3000);
  truth.note("idle");
  await systemClock.sleep(1500);

  const completed = (entry: ModelLogEntry) => entry.event === "idle" && entry.how === "sent" && entry.endsTurn;
  const asked = (entry: ModelLogEntry) => entry.event === "idle" && entry.how === "sent" && !entry.endsTurn;
  const submit = async (text: string) => {
    const from = server.log.entries.length;
    await stage.paste(text);
    await systemClock.sleep(500);
    await press("Enter");
    truth.note("processing");
    const waitFor = (fits: (entry: ModelLogEntry) => boolean) => server.log.waitFor(fits, { from, timeoutMs: 60_000 });
    return {
      async until(fits: (entry: ModelLogEntry) => boolean, status: TerminalStatus) {
        truth.note(status, (await waitFor(fits)).t);
        await systemClock.sleep(2000);
      },
    };
  };

  await (await submit("Make a list of thirty items.")).until(completed, "completed");

  const approved = await submit("Make a file.\nIt may\nbe empty.\nNothing else.");
  await approved.until(asked, "waiting_user_answer");
  await press(approve);
  truth.note("processing");
  await approved.until(completed, "completed");

  await (await submit("Try something that fails at first.")).until(completed, "completed");
  await (await submit("Quote what a terminal may show.")).until(completed, "completed");

  const drafted = await submit("Answer in two parts.");
  await systemClock.sleep(2000);
  await stage.paste("And then");
  await drafted.until(completed, "completed");
  await press("C-u");
  await systemClock.sleep(1000);

  await submit("Work for a while.");
  await systemClock.sleep(3000);
  const atEscape = server.log.entries.length;
  await press("Escape");
  truth.note(undefined);
  await systemClock.sleep(2000);
  // Older versions of Codex leave the request open; what they did at which time is not known then.
  const given = server.log.entries.slice(atEscape).find((entry) => entry.event === "idle");
  truth.note("idle", given?.t);
  await systemClock.sleep(500);

  const declined = await submit("Make another file.");
  await declined.until(asked, "waiting_user_answer");
  await press("Escape");
  truth.note("idle");
  await systemClock.sleep(2500);

  await (await submit("Say your last words.")).until(completed, "completed");

  await submit("Ask for something impossible.");
  await systemClock.sleep(5000);
  const refused = server.log.entries.findLast((entry) => entry.event === "idle");
  truth.note("error", refused?.t);
  await systemClock.sleep(1000);

  await stage.paste(provider === "codex" ? "/quit" : "/exit");
  truth.note(undefined);
  await systemClock.sleep(500);
  await press("Enter");
}

async function agentEnv(provider: Provider, { sandbox, version, baseUrl }: {
  readonly sandbox: Sandbox;
  readonly version: string;
  readonly baseUrl: string;
}): Promise<Readonly<Record<string, string>>> {
  const { root, home, project, env } = sandbox;
  if (provider === "claude_code") {
    return await writeClaudeHome({ home, project, baseUrl, version, tmp: env["TMPDIR"] ?? "/tmp" });
  }
  const folder = `${root}/codex-home`;
  return await writeCodexHome({ folder, project, baseUrl, approvalPolicy: "on-request", sandboxMode: "read-only" });
}

async function recordSession(
  provider: Provider,
  { version, cols, rows, path, blindStreams }: {
    readonly version: string;
    /** Whether this version shows nothing that tells a streaming answer from a finished one. */
    readonly blindStreams: boolean;
    readonly cols: number;
    readonly rows: number;
    readonly path: string;
  },
): Promise<void> {
  const cli = await installCli(provider, version);
  // A name that tells nothing of the machine, for it is on the screens.
  await using sandbox = await createSandbox({ root: "/tmp/shop-timeline" });
  await using server = (provider === "codex" ? startOpenAiServer : startAnthropicServer)({
    scenarios: { default: turnsFor(provider) },
  });
  const env = { ...sandbox.env, ...await agentEnv(provider, { sandbox, version, baseUrl: server.baseUrl() }) };
  const client = createTmuxClient({ socket: "timeline", env });
  await using session = await openSession(client, { name: "timeline", cols, rows });
  const { paneId } = await session.openPane({ name: provider, argv: cli.argv, cwd: sandbox.project });

  let text = "";
  const patterns = secretPatterns({ hostname: Deno.hostname() });
  const truth = new TruthTaker();
  const recording = recordPane({
    about: { provider, version, startedAtSeconds: Date.now() / 1000 },
    capture: () => captureScreen(client, { paneId }, { joinWrapped: provider === "codex" }),
    write: (lines) => void (text += lines),
    classify: (screen) => classifyScreen(provider, screen),
    scrub: (capture, width) => scrub(capture, { patterns, ...(width === undefined ? {} : { cols: width }) }),
    clock: systemClock,
    signal: AbortSignal.timeout(10 * 60_000),
    intervalMs: 100,
  });
  await play({
    provider,
    server,
    truth,
    paste: (prompt) => pasteText(client, paneId, { text: prompt }),
    press: (...keys) => sendKeys(client, paneId, { keys }),
  });
  await recording;
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  await Deno.writeFile(path, await new Response(packed).bytes());
  const streamStarts = server.log.entries.filter((entry) => entry.event === "step" && entry.step === "say");
  await Deno.writeTextFile(truthPathFor(path), truth.toJson(blindStreams ? streamStarts.map(({ t }) => t) : []));
}

async function main(): Promise<void> {
  const args = parseArgs(Deno.args, { string: ["provider", "version", "size", "out"], boolean: ["blind-streams"] });
  const provider = args["provider"];
  if (provider !== "codex" && provider !== "claude_code") throw new TypeError(`Cannot record ${String(provider)}`);
  const version = String(args["version"] ?? PINNED_VERSIONS[provider]);
  const size = String(args["size"] ?? "100x30");
  const [cols, rows] = size.split("x").map(Number);
  if (!cols || !rows) throw new TypeError(`Cannot record at ${size}: a size is written as 100x30`);
  const name = `${provider === "codex" ? "codex" : "claude"}-${version}-${size}.cast.gz`;
  const folder = String(args["out"] ?? new URL("../../../fixtures/timelines", import.meta.url).pathname);
  await recordSession(provider, {
    version,
    cols,
    rows,
    path: `${folder}/${name}`,
    blindStreams: args["blind-streams"] === true,
  });
}

if (import.meta.main) await main();
