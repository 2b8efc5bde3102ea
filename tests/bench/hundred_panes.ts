/**
 * Measures what waiting for many agents costs panewright: the share of one core that this process takes while every
 * pane rests, and while every pane's spinner turns.
 *
 * `deno run -P=tests tests/bench/hundred_panes.ts [PANES] [SECONDS]`
 *
 * A pane shows a recorded screen of Codex 0.169.0. One other process draws in all of them what Codex draws while it
 * works: 30 frames a second, a title 10 times a second, the seconds of its `Working` row once a second.
 */
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import { watchResponses } from "../../lib/turn/response_watch.ts";
import { ensureResponseDir } from "../../lib/turn/response_files.ts";
import { openWakeUp } from "../../lib/turn/wake_up.ts";
import { waitForTurn } from "../../lib/turn/play_turn.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { startPipedProcess } from "../../lib/base/ports/piped_process.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../lib/agents/pane/start_agent_terminal.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import type { PaneProvider } from "../../lib/agents/provider.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import { tempDir } from "../support/temp_dir.ts";

const FRAMES_PER_SECOND = 30;
const SPINNER = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];

async function findIdleScreen(): Promise<Recording> {
  for await (const { recording } of readCorpus(new URL("../../fixtures/screens/codex", import.meta.url).pathname)) {
    if (recording.version === "0.169.0" && recording.name === "idle-fresh-220x50") return recording;
  }
  throw new Error("The corpus has no fresh Codex 0.169.0 of 220x50");
}

/** Codex, shown by `cat`: there is no session log to read. */
function shownProvider(file: string, title: string): PaneProvider {
  const { openStatusSource: _source, ...terminal } = codexProvider.terminal;
  const script = 'printf "\\033]0;%s\\007" "$2"; cat "$1"; exec sleep 100000';
  return {
    ...codexProvider,
    terminal: {
      ...terminal,
      launch: ({ workdir }) => ({ argv: ["sh", "-c", script, "sh", file, title], env: {}, cwd: workdir }),
    },
  };
}

/** Draws in terminals until its standard input ends; run as a process of its own. */
async function draw(row: number, ttys: readonly string[]): Promise<void> {
  const files = ttys.map((path) => Deno.openSync(path, { write: true }));
  let frame = 0;
  const timer = setInterval(() => {
    const second = Math.floor(frame / FRAMES_PER_SECOND);
    const title = frame % 3 === 0 ? `\x1b]0;${SPINNER[frame / 3 % 10]} Mock title | project\x07` : "";
    const work = frame % FRAMES_PER_SECOND === 0
      ? `\x1b[${row};1H\x1b[2m•\x1b[0m \x1b[2mWorking (${second}s • \x1b[22m\x1b[1mesc\x1b[22m\x1b[2m to interrupt)\x1b[0m`
      : "";
    const bytes = new TextEncoder().encode(`${title}\x1b[?2026h\x1b[?25l${work}\x1b[0m\x1b[47;3H\x1b[?25h\x1b[?2026l`);
    for (const file of files) file.writeSync(bytes);
    frame++;
  }, 1000 / FRAMES_PER_SECOND);
  for await (const _ of Deno.stdin.readable) { /* until it ends */ }
  clearInterval(timer);
}

interface Cost {
  /** Percent of one core. */
  readonly own: number;
  readonly server: number;
}

async function measureCost(serverPid: number, seconds: number): Promise<Cost> {
  const before = [await cpuTicks(Deno.pid), await cpuTicks(serverPid)] as const;
  await systemClock.sleep(seconds * 1000);
  // A tick is a hundredth of a second on every Linux that there is.
  return {
    own: (await cpuTicks(Deno.pid) - before[0]) / seconds,
    server: (await cpuTicks(serverPid) - before[1]) / seconds,
  };
}

async function cpuTicks(pid: number): Promise<number> {
  const { stdout } = await systemProcessRunner.run({ argv: ["cat", `/proc/${pid}/stat`] });
  const fields = stdout.slice(stdout.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function describeCost(name: string, { own, server }: Cost): string {
  const { rss, heapUsed } = Deno.memoryUsage();
  return `${name}: panewright ${own.toFixed(2)} % of a core, ${(rss / 1e6).toFixed(0)} MB resident ` +
    `(${(heapUsed / 1e6).toFixed(0)} MB heap), tmux ${server.toFixed(2)} %`;
}

async function main(paneCount: number, seconds: number): Promise<void> {
  await using folder = await tempDir();
  const screen = await findIdleScreen();
  await folder.write({
    screen: `${screen.ansi.trimEnd().replaceAll("\n", "\r\n")}\x1b[${screen.cursor![1] + 1};${screen.cursor![0] + 1}H`,
  });
  const plain = createTmuxClient({ socket: `panewright-bench-${crypto.randomUUID().slice(0, 8)}` });
  await using client = new ControlClient({
    plain,
    log: (message) => {
      throw new Error(message);
    },
  });
  await using session = await openSession(client, { name: "bench" });
  await client.connect("bench");
  const provider = shownProvider(`${folder.path}/screen`, screen.title ?? "project");
  const terminals: AgentTerminal[] = [];
  for (let count = 0; count < paneCount; count++) {
    const request = { workdir: `${folder.path}`, role: `agent-${count}` };
    terminals.push(await startAgentTerminal({ session, provider, request }));
  }
  const byId = new Map(terminals.map((terminal) => [terminal.pane.paneId, terminal]));
  const statuses = new Map<string, TerminalStatus>();
  await ensureResponseDir(folder.path);
  await using responses = watchResponses(folder.path);
  const stop = new AbortController();
  const waits = [...byId].map(async ([paneId, terminal]) => {
    using wakeUp = openWakeUp({ clock: systemClock, sources: [responses, ...terminal.wakeSources] });
    await waitForTurn(terminal, {
      role: "tester",
      workdir: folder.path,
      settings: { idleGraceSeconds: 100_000, responseTimeoutSeconds: 100_000 },
      emit: (event) => void (event.type === "status" && statuses.set(paneId, event.status)),
      wake: (untilMs, signal) => wakeUp.wait(untilMs, signal),
      signal: stop.signal,
    }).catch((error) => {
      if (!stop.signal.aborted) throw error;
    });
  });
  const print = (text: string) => Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  const count = (wanted: TerminalStatus) => [...statuses.values()].filter((status) => status === wanted).length;
  const serverPid = Number((await client.run(["display-message", "-p", "#{pid}"])).stdout);
  await systemClock.sleep(5000);
  await print(
    describeCost(`${count("idle")} of ${paneCount} panes at rest`, await measureCost(serverPid, seconds)),
  );

  const { stdout } = await client.run(["list-panes", "-s", "-t", "=bench", "-F", "#{pane_tty}"]);
  const row = screen.cursor![1] - 1;
  const drawing = startPipedProcess({
    argv: [
      Deno.execPath(),
      "run",
      "--quiet",
      "-A",
      import.meta.filename!,
      "--draw",
      String(row),
      ...stdout.trim().split("\n"),
    ],
    env: Deno.env.toObject(),
  });
  await systemClock.sleep(5000);
  await print(
    describeCost(`${count("processing")} of ${paneCount} panes at work`, await measureCost(serverPid, seconds)),
  );
  await print(describeCost("still at work", await measureCost(serverPid, seconds)));

  await drawing.closeStdin();
  for await (const _ of drawing.stdout) { /* it says nothing */ }
  await drawing.ended;
  stop.abort();
  await Promise.all(waits);
}

if (import.meta.main) {
  const [first = "100", second = "20", ...ttys] = Deno.args;
  if (first === "--draw") await draw(Number(second), ttys);
  else await main(Number(first), Number(second));
}
