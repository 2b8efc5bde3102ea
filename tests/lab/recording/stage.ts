import { exists, walk } from "@std/fs";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import type { TerminalStatus } from "../../../lib/base/status.ts";
import { runProgram } from "../../support/program.ts";
import type { Sandbox } from "../../support/sandbox.ts";
import type { ModelServer } from "../model_server.ts";
import type { Scene, Stage, Truth } from "./scene.ts";
import { turnStateOf } from "./turn_state.ts";
import type { Variant } from "./variants.ts";

/** What a stage is built from. */
export interface StageOptions {
  readonly provider: "codex" | "claude_code";
  readonly version: string;
  readonly cols: number;
  readonly rows: number;
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly [string, ...string[]];
  /** The setting that it is recorded in: names begin with it. */
  readonly variant: Pick<Variant, "name" | "env" | "opens" | "interrupt">;
}

/** A recorded screen, as the two files of a fixture. */
export interface RecordedScreen {
  /** The files' name without an ending: variant, state and size. */
  readonly name: string;
  readonly capture: string;
  readonly sidecar: Readonly<Record<string, unknown>>;
}

const WAIT_MS = 30_000;
/**
 * How long a screen must stand still to count as settled: longer than the second by which agents count their time, also
 * on a machine that is at work.
 */
const STILL_MS = 2500;
/** How long the composer takes for what was pasted. */
const PASTE_MS = 400;
/** How long the screen may lag behind the model server's log, also on a machine that is at work. */
const LAG_MS = 1000;
const FORMAT =
  "#{pane_title}\t#{alternate_on}\t#{cursor_x}\t#{cursor_y}\t#{cursor_flag}\t#{pane_current_command}\t#{pane_dead}";

/**
 * Starts the agent from a shell in a terminal of its own, plays a scene with it, and ends it.
 *
 * A scene that fails has recorded nothing: a later step may be what proves that an earlier screen showed the truth.
 */
export async function playScene(
  scene: Pick<Scene, "play">,
  options: StageOptions,
): Promise<readonly RecordedScreen[]> {
  const { sandbox } = options;
  const shell = ["env", "PS1=$ ", "bash", "--norc", "--noprofile"];
  const size = ["-x", String(options.cols), "-y", String(options.rows)];
  await tmux(options, ["new-session", "-d", "-s", "stage", ...size, "-c", sandbox.project, ...shell]);
  try {
    // tmux gives its panes a TERM of its own, whatever its environment says.
    const settings = Object.entries(options.variant.env ?? {}).map(([name, value]) => `${name}=${value}`);
    const words = ["env", ...settings, ...options.argv].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    await tmux(options, ["send-keys", "-t", "stage", "-l", `clear; ${words}`]);
    await tmux(options, ["send-keys", "-t", "stage", "Enter"]);
    await until("the agent's start", async () => !(await foreground(options)).startsWith("bash"));
    const recorded: RecordedScreen[] = [];
    const stage = createStage(options, recorded);
    const { opens } = options.variant;
    if (opens !== undefined) {
      await stage.settle();
      await stage.capture(opens.state, "waiting_user_answer", { turn: "none", note: opens.note });
      await stage.press(...opens.keys);
    }
    for (const [method, ...args] of scene.play) await (stage[method] as (...args: unknown[]) => Promise<void>)(...args);
    return recorded;
  } finally {
    // What is left is ended with its sandbox; a failure here must not hide the scene's.
    await tmux(options, ["kill-server"]).catch(() => {});
  }
}

function createStage(options: StageOptions, recorded: RecordedScreen[]): Stage {
  const { sandbox, server } = options;
  const turnState = () => turnStateOf(server.log.entries);
  const stage: Stage = {
    async settle() {
      let before = "";
      let since = systemClock.now();
      await until("a settled screen", async () => {
        // Bullets blink also while an agent waits; only words and figures count.
        const now = (await tmux(options, ["capture-pane", "-p", "-t", "stage"])).replace(/[^\p{L}\p{N}]+/gu, " ");
        if (now !== before) [before, since] = [now, systemClock.now()];
        return now.trim() !== "" && systemClock.now() - since >= STILL_MS;
      });
    },
    async paste(text) {
      await tmux(options, ["set-buffer", "-b", "prompt", text]);
      await tmux(options, ["paste-buffer", "-p", "-d", "-b", "prompt", "-t", "stage"]);
      await systemClock.sleep(PASTE_MS);
    },
    press: async (...keys) => {
      await tmux(options, ["send-keys", "-t", "stage", ...keys]);
    },
    async submit(text) {
      const from = server.log.entries.length;
      await stage.paste(text);
      await stage.press("Enter");
      await server.log.waitFor((entry) => entry.event === "busy", { timeoutMs: WAIT_MS, from });
    },
    held: () => until("the model's hold", () => turnState() === "busy" && lastStep(server) === "hold"),
    release: () => until("the model's hold", () => server.release() > 0),
    turn: (state) => until(`the turn's state ${state}`, () => turnState() === state),
    async interrupt() {
      for (const key of options.variant.interrupt ?? ["Escape"]) {
        await stage.press(key);
        await systemClock.sleep(PASTE_MS);
      }
    },
    interrupted: () =>
      until("the end of the turn", async () => turnState() === "abandoned" || await hasAbortedTurn(sandbox.root)),
    refusals: (count) =>
      until(`${count} refusals`, () => {
        const ends = server.log.entries.filter((entry) => entry.event === "idle");
        return ends.filter(({ how }) => how === "refused" || how === "broken").length >= count;
      }),
    file: (name) => until(`the file ${name}`, () => exists(`${sandbox.project}/${name}`)),
    stored: (path, text) =>
      until(`"${text}" in ${path}`, async () => (await Deno.readTextFile(`${sandbox.root}/${path}`)).includes(text)),
    touch: (name) => Deno.writeTextFile(`${sandbox.project}/${name}`, ""),
    pause: (ms) => systemClock.sleep(ms),
    async kill() {
      const shell = (await tmux(options, ["display-message", "-p", "-t", "stage", "#{pane_pid}"])).trim();
      const children = (await Deno.readTextFile(`/proc/${shell}/task/${shell}/children`)).trim().split(" ");
      for (const child of children) Deno.kill(Number(child), "SIGKILL");
    },
    gone: () => until("the shell", async () => (await foreground(options)).startsWith("bash")),
    async capture(state, expect, truth) {
      await systemClock.sleep(LAG_MS);
      // On a busy machine the screen lags behind the log: at rest it has to stand still, too.
      if (expect !== "processing" && expect !== "waiting_user_answer") await stage.settle();
      recorded.push(await record(options, { state, expect, truth }));
    },
  };
  return stage;
}

async function record(
  options: StageOptions,
  shot: { readonly state: string; readonly expect: TerminalStatus; readonly truth: Truth },
): Promise<RecordedScreen> {
  const { provider, version, variant, cols, rows, server } = options;
  const allowed = [shot.truth.turn].flat();
  const check = () => {
    const state = turnStateOf(server.log.entries);
    if (allowed.includes(state)) return state;
    throw new Error(`Cannot record ${shot.state}: the turn is ${state}, expected was ${allowed.join(" or ")}`);
  };
  check();
  const capture = await tmux(options, [
    ...["display-message", "-p", "-t", "stage", FORMAT, ";"],
    // As each provider's recordings were made: joined rows where the agent draws on the main screen.
    ...["capture-pane", "-p", "-e", ...(provider === "codex" ? ["-J"] : []), "-t", "stage"],
  ]);
  const state = check();
  const lineEnd = capture.indexOf("\n");
  const [title, alternate, x, y, cursor, command, dead] = capture.slice(0, lineEnd).split("\t");
  const sidecar = {
    provider,
    version,
    expect: shot.expect,
    cols,
    rows,
    title,
    alternate: alternate === "1",
    cursor: [Number(x), Number(y)],
    cursorVisible: cursor === "1",
    command,
    dead: dead === "1",
    ...(shot.truth.alone === false ? { alone: false } : {}),
    note: `${shot.truth.note} [${variant.name}; model server: turn ${state}]`,
  };
  return { name: `${variant.name}-${shot.state}-${cols}x${rows}`, capture: capture.slice(lineEnd + 1), sidecar };
}

/** Codex up to 0.145.0 leaves the connection of an interrupted turn open; its session log tells all the same. */
async function hasAbortedTurn(root: string): Promise<boolean> {
  for await (const { path } of walk(root, { includeDirs: false, exts: ["jsonl"] })) {
    if ((await Deno.readTextFile(path)).includes(`"type":"turn_aborted"`)) return true;
  }
  return false;
}

function lastStep(server: ModelServer): string | undefined {
  const last = server.log.entries.findLast((entry) => entry.event === "step");
  return last?.event === "step" ? last.step : undefined;
}

async function foreground(options: StageOptions): Promise<string> {
  return await tmux(options, ["display-message", "-p", "-t", "stage", "#{pane_current_command}"]);
}

async function tmux(options: StageOptions, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram(["tmux", "-L", "stage", "-f", "/dev/null", ...args], {
    cwd: options.sandbox.project,
    env: options.env,
    timeoutMs: 10_000,
  });
  if (code !== 0) throw new Error(`tmux ${args[0]} failed: ${stderr}`);
  return stdout;
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = systemClock.now() + WAIT_MS;
  while (!await holds()) {
    if (systemClock.now() > deadline) throw new Error(`Waited for ${what} in vain`);
    await systemClock.sleep(50);
  }
}
