/**
 * Measures the memory that panewright takes while many agents work for a long time: all its code from the bytes of
 * tmux's control mode up to the waits for the responses, on a clock that runs ahead.
 *
 * `deno run -P=tests --v8-flags=--max-semi-space-size=2 tests/bench/hour_of_panes.ts [PANES] [MINUTES]`, with the flag
 * that the executable is compiled with. With `--expose-gc` as well, what is in use is told without garbage.
 *
 * tmux is played: a pane shows a recorded screen of Codex 0.169.0 with a row of work and an answer that grows, and says
 * what Codex says while it works, 30 frames a second and a title 10 times a second. An hour takes some minutes, so that
 * far more garbage is made in a second than ever will be: what is measured is an upper bound.
 */
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { ensureResponseDir } from "../../lib/turn/response_files.ts";
import { openWakeUp } from "../../lib/turn/wake_up.ts";
import { waitForTurn } from "../../lib/turn/play_turn.ts";
import type { Clock } from "../../lib/base/ports/clock.ts";
import type { PipedProcess } from "../../lib/base/ports/piped_process.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../lib/agents/pane/start_agent_terminal.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import type { PaneProvider } from "../../lib/agents/provider.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import type { TmuxSession } from "../../lib/tmux/session.ts";
import { tempDir } from "../support/temp_dir.ts";

const STEP_MS = 100;
const POLL_MS = 2000;
const SAMPLES = 12;
const SPINNER = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const FRAME = String.raw`\033[?2026h\033[?25l\033[0m\033[47;3H\033[?25h\033[?2026l`;
const PACK = new URL("../../fixtures/screens/codex/0.169.0.ndjson.gz", import.meta.url).pathname;

/** A clock that stands still until it is set forward. */
class SteppedClock implements Clock {
  #nowMs = 0;
  readonly #sleepers = new Map<() => void, number>();

  now(): number {
    return this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const wake = () => {
        this.#sleepers.delete(wake);
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      const onAbort = () => {
        this.#sleepers.delete(wake);
        reject(signal?.reason);
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#sleepers.set(wake, this.#nowMs + ms);
    });
  }

  /** Sets the clock forward, and lets everything happen that is due. */
  async step(ms: number): Promise<void> {
    this.#nowMs += ms;
    for (const [wake, atMs] of this.#sleepers) if (atMs <= this.#nowMs) wake();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** A `tmux -C` that shows the same screen in every pane. */
class PlayedTmux implements PipedProcess {
  readonly pid = 0;
  readonly #clock: Clock;
  readonly #screen: Recording;
  readonly #answer: readonly string[];
  readonly #pieces: Uint8Array[] = [];
  readonly #end = Promise.withResolvers<number>();
  #arrived = Promise.withResolvers<void>();
  #isClosed = false;
  #commands = 0;
  #isWorking = false;
  #captures = 0;

  constructor(clock: Clock, screen: Recording) {
    this.#clock = clock;
    this.#screen = screen;
    this.#answer = screen.ansi.trimEnd().split("\n");
    this.#say("%begin 0 0 0\n%end 0 0 0\n");
  }

  get ended(): Promise<number> {
    return this.#end.promise;
  }

  get stdout(): AsyncIterable<Uint8Array> {
    return this.#read();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let piece = this.#pieces.shift(); piece; piece = this.#pieces.shift()) yield piece;
      if (this.#isClosed) return;
      await this.#arrived.promise;
      this.#arrived = Promise.withResolvers();
    }
  }

  write(bytes: Uint8Array): Promise<void> {
    for (const command of new TextDecoder().decode(bytes).trimEnd().split(" ; ")) {
      const guard = `0 ${++this.#commands} 1`;
      this.#say(`%begin ${guard}\n${this.#reply(command)}%end ${guard}\n`);
    }
    return Promise.resolve();
  }

  #reply(command: string): string {
    const paneId = /%\d+/.exec(command)?.[0];
    if (command.startsWith("display-message")) {
      const [x, y] = this.#screen.cursor!;
      return `${paneId} 1 220 50 ${x} ${y} 1 0 0 codex\t${this.#title()}\n`;
    }
    if (!command.startsWith("capture-pane")) return "";
    this.#captures++;
    return `${this.#rows().join("\n")}\n`;
  }

  #title(): string {
    const title = this.#screen.title ?? "project";
    return this.#isWorking ? `${SPINNER[Math.floor(this.#clock.now() / 100) % 10]} Mock title | ${title}` : title;
  }

  #rows(): string[] {
    const rows = [...this.#answer];
    if (!this.#isWorking) return rows;
    const second = Math.floor(this.#clock.now() / 1000);
    const status = this.#screen.cursor![1] - 2;
    rows[status] =
      `\x1b[2m•\x1b[0m \x1b[2mWorking (${second}s • \x1b[22m\x1b[1mesc\x1b[22m\x1b[2m to interrupt)\x1b[0m`;
    for (let row = status - 20; row < status - 1; row++) {
      rows[row] = `  ${second + row}. What the agent says in this row.`;
    }
    return rows;
  }

  /** How often a pane was looked at. */
  get captures(): number {
    return this.#captures;
  }

  /** The agents begin to work. */
  startWork(): void {
    this.#isWorking = true;
  }

  /** What the agents write in the time of a step. */
  draw(paneCount: number): void {
    const title = String.raw`\033]0;${this.#title()}\007`;
    let text = "";
    for (let pane = 0; pane < paneCount; pane++) {
      text += `%output %${pane} ${title}${FRAME}\n%output %${pane} ${FRAME}\n%output %${pane} ${FRAME}\n`;
    }
    this.#say(text);
  }

  /** Tells of a pane, as a subscription does. */
  tellOf(pane: number): void {
    this.#say(`%subscription-changed panewright $0 @${pane} ${pane} %${pane} : 0\n`);
  }

  closeStdin(): Promise<void> {
    this.#isClosed = true;
    this.#arrived.resolve();
    this.#end.resolve(0);
    return Promise.resolve();
  }

  end(): void {
    this.kill();
  }

  kill(): void {}

  #say(text: string): void {
    this.#pieces.push(new TextEncoder().encode(text));
    this.#arrived.resolve();
  }
}

/** Prints the screen that is shown; run as a process of its own, since unpacking recordings leaves memory taken. */
async function printScreen(): Promise<void> {
  for await (const { recording } of readCorpus(PACK)) {
    if (recording.name === "idle-fresh-220x50") await print(JSON.stringify(recording));
  }
}

async function readIdleScreen(): Promise<Recording> {
  const argv = [Deno.execPath(), "run", "--quiet", "-P=tests", import.meta.filename!, "--screen"] as const;
  const { code, stdout, stderr } = await systemProcessRunner.run({ argv });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function print(text: string): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(text));
}

function fail(message: string): never {
  throw new Error(message);
}

function describeMemory(minute: number): string {
  const { rss, heapTotal, heapUsed, external } = Deno.memoryUsage();
  const columns = [rss, heapTotal, heapUsed, external].map((bytes) => (bytes / 1e6).toFixed(0).padStart(10));
  const collect = (globalThis as { readonly gc?: () => void }).gc;
  collect?.();
  if (collect) columns.push((Deno.memoryUsage().heapUsed / 1e6).toFixed(1).padStart(10));
  return `${String(minute).padStart(6)}${columns.join("")}\n`;
}

async function main(paneCount: number, minutes: number): Promise<void> {
  await using folder = await tempDir();
  await ensureResponseDir(folder.path);
  const clock = new SteppedClock();
  const tmux = new PlayedTmux(clock, await readIdleScreen());
  await using client = new ControlClient({
    plain: createTmuxClient({ socket: "panewright-bench-played" }),
    log: fail,
    clock,
    startProcess: () => tmux,
  });
  await client.connect("bench");
  let panes = 0;
  const session = {
    client,
    cleanupOnExit: false,
    openPane: () => Promise.resolve({ paneId: `%${panes++}`, pid: 1 }),
  } as unknown as TmuxSession;
  const { openStatusSource: _source, ...terminal } = codexProvider.terminal;
  const launch: typeof terminal.launch = ({ workdir }) => ({ argv: ["codex"], env: {}, cwd: workdir });
  const provider: PaneProvider = { ...codexProvider, terminal: { ...terminal, launch } };
  const starting = Array.from({ length: paneCount }, async (_, pane) => {
    tmux.tellOf(pane);
    return await startAgentTerminal({ session, provider, clock, request: { workdir: folder.path, role: `a${pane}` } });
  });
  for (let step = 0; step < 20; step++) await clock.step(STEP_MS);
  const terminals = new Map<string, AgentTerminal>();
  for (const terminal of await Promise.all(starting)) terminals.set(terminal.pane.paneId, terminal);

  const stop = new AbortController();
  const statuses = new Map<string, TerminalStatus>();
  const waits = [...terminals].map(async ([paneId, terminal], pane) => {
    // Nothing but chance would make all agents be looked at in the same moment.
    await clock.sleep(pane / paneCount * POLL_MS);
    using wakeUp = openWakeUp({ clock, sources: terminal.wakeSources });
    await waitForTurn(terminal, {
      role: "tester",
      workdir: folder.path,
      clock,
      settings: { pollSeconds: POLL_MS / 1000, responseTimeoutSeconds: minutes * 60 + 1000 },
      emit: (event) => void (event.type === "status" && statuses.set(paneId, event.status)),
      wake: (untilMs, signal) => wakeUp.wait(untilMs, signal),
      signal: stop.signal,
    }).catch((error) => {
      if (!stop.signal.aborted) throw error;
    });
  });
  tmux.startWork();
  await print(`minute  resident      heap      used  external${"gc" in globalThis ? "    in use" : ""}   (MB)\n`);
  const steps = minutes * 60_000 / STEP_MS;
  for (let step = 0; step <= steps; step++) {
    if (step % Math.round(steps / SAMPLES) === 0) await print(describeMemory(Math.round(step * STEP_MS / 60_000)));
    tmux.draw(paneCount);
    await clock.step(STEP_MS);
  }
  const working = [...statuses.values()].filter((status) => status === "processing").length;
  await print(`${working} of ${paneCount} panes at work, looked at ${tmux.captures} times\n`);
  stop.abort();
  await Promise.all(waits);
}

if (import.meta.main) {
  const [panes = "100", minutes = "60"] = Deno.args;
  if (panes === "--screen") await printScreen();
  else await main(Number(panes), Number(minutes));
}
