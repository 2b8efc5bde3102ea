/**
 * Measures how long it takes from "the agent has finished" to "its response was consumed", at POLL_SECONDS=2, in real
 * tmux panes.
 *
 * `deno run -P=tests tests/bench/handoff_latency.ts [replay|codex|claude_code] [TURNS] [--plain] [--no-hooks]`
 *
 * The agent has finished when its response file is there and its title shows no spinner any more, whichever is later;
 * an observer of its own sees that. Claude Code's title tells nothing in tmux: there the end of the model's last answer
 * counts. With `--plain` nothing wakes the waiting, as before control mode; with `--no-hooks` the agent's CLI does not
 * tell of its turns.
 */
import { responseFileInstruction } from "../../lib/turn/instruction.ts";
import { watchResponses } from "../../lib/turn/response_watch.ts";
import { openWakeUp } from "../../lib/turn/wake_up.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { startAgentTerminal } from "../../lib/agents/pane/start_agent_terminal.ts";
import type { PaneEvents } from "../../lib/tmux/pane_events.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import { setUpStage } from "../e2e/agent_stage.ts";
import { createReviewModel } from "../e2e/review_model.ts";
import type { CliName } from "../support/clis.ts";
import { sourceReplayProvider } from "../lab/replay/pane.ts";
import { tempDir } from "../support/temp_dir.ts";
import { describeTimes } from "./describe.ts";

interface Subject {
  readonly terminal: AgentTerminal;
  readonly workdir: string;
  /** When the agent came to rest last, in milliseconds since the epoch, independently of what is measured. */
  readonly restedAt: () => number;
}

function watchTitle({ pane: { paneId } }: AgentTerminal, observer: PaneEvents): Disposable & { restedAt(): number } {
  let restedAt = 0;
  const watch = observer.watch(paneId, (event) => {
    if (event.type === "title" && !/[\u2800-\u28ff]/.test(event.title)) restedAt = Date.now();
  });
  return { restedAt: () => restedAt, [Symbol.dispose]: () => watch[Symbol.dispose]() };
}

async function measure({ terminal, workdir, restedAt }: Subject, turns: number, wakes: boolean): Promise<number[]> {
  await using responses = watchResponses(workdir);
  const latencies: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const sources = [responses, ...terminal.wakeSources];
    using wakeUp = openWakeUp({ clock: systemClock, sources });
    let archived = "";
    await playTurn(terminal, {
      role: "tester",
      message: `Turn ${turn}.\n${responseFileInstruction(workdir, "tester")}`,
      workdir,
      settings: { pollSeconds: 2 },
      emit: (event) => void (event.type === "archived" && (archived = event.response.path)),
      ...(wakes ? { wake: (untilMs, signal) => wakeUp.wait(untilMs, signal) } : {}),
    });
    const consumedAt = Date.now();
    const writtenAt = (await Deno.stat(archived)).mtime?.getTime() ?? 0;
    latencies.push(consumedAt - Math.max(writtenAt, restedAt()));
  }
  return latencies;
}

/** Milliseconds of work that is nothing to the poll interval: from 0.3 to 2.3 s. */
function workMs(turn: number): number {
  return 300 + turn * 617 % 2000;
}

async function measureReplay(turns: number, wakes: boolean): Promise<number[]> {
  await using folder = await tempDir();
  const script = Array.from({ length: turns }, (_, turn) => [
    { think: workMs(turn) },
    { respond: ["RESULT: PASS", "All is well."] },
    { stream: "I have written the response." },
  ]);
  const workdir = `${folder.path}/project`;
  await folder.write({
    "script.json": JSON.stringify({ roles: { tester: { turns: script } } }),
    "project/README.md": "",
  });
  const plain = createTmuxClient({ socket: `panewright-bench-${crypto.randomUUID().slice(0, 8)}` });
  await using client = new ControlClient({ plain, log: fail });
  await using observer = new ControlClient({ plain, log: fail });
  await using session = await openSession(client, { name: "bench" });
  if (wakes) await client.connect("bench");
  await observer.connect("bench");
  const request = { workdir, role: "tester", args: ["--script", `${folder.path}/script.json`] };
  await using terminal = await startAgentTerminal({ session, provider: sourceReplayProvider, request });
  using title = watchTitle(terminal, observer.paneEvents);
  const latencies = await measure({ terminal, workdir, restedAt: title.restedAt }, turns, wakes);
  await observer.disconnect();
  return latencies;
}

async function measureCli(provider: CliName, turns: number, wakes: boolean): Promise<number[]> {
  let turn = 0;
  const model = createReviewModel(() => ({ response: "RESULT: PASS\nAll is well." }), { thinkMs: 0 });
  await using stage = await setUpStage({
    provider,
    controlMode: wakes,
    turnHooks: !Deno.args.includes("--no-hooks"),
    ...(provider === "claude_code" ? { args: ["--allowedTools", "Bash"] } : {}),
    respond: async (request) => [{ do: "wait", ms: workMs(turn++) }, ...await model.respond(request)],
  });
  const terminal = await stage.start();
  await using observer = new ControlClient({
    plain: createTmuxClient({ socket: stage.session.client.socket, env: stage.sandbox.env }),
    env: stage.sandbox.env,
    log: fail,
  });
  await observer.connect("stage");
  using title = watchTitle(terminal, observer.paneEvents);
  const answeredAt = () =>
    stage.server.log.entries.findLast((entry) => entry.event === "idle" && entry.endsTurn)?.t ?? 0;
  const restedAt = provider === "codex" ? title.restedAt : answeredAt;
  return await measure({ terminal, workdir: stage.sandbox.project, restedAt }, turns, wakes);
}

function fail(message: string): never {
  throw new Error(message);
}

if (import.meta.main) {
  const wakes = !Deno.args.includes("--plain");
  const [agent = "replay", turns = "20"] = Deno.args.filter((arg) => !arg.startsWith("--"));
  const latencies = agent === "codex" || agent === "claude_code"
    ? await measureCli(agent, Number(turns), wakes)
    : await measureReplay(Number(turns), wakes);
  const how = `${wakes ? "events" : "polls only"}${Deno.args.includes("--no-hooks") ? ", no hooks" : ""}`;
  const text = describeTimes(`${agent}, ${how}: finished to consumed`, latencies);
  await Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
}
