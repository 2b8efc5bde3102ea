import { ensureDir } from "@std/fs";
import { responseFileInstruction } from "../../lib/turn/instruction.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import { hasResponse } from "../../lib/turn/response_reading.ts";
import { watchResponses } from "../../lib/turn/response_watch.ts";
import { openWakeUp } from "../../lib/turn/wake_up.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { startAcpAgent } from "../../lib/agents/acp/agent.ts";
import { DrivenTerminal } from "../../lib/agents/driven_terminal.ts";
import { packProvider } from "../../lib/agents/packs/provider.ts";
import { acpPack } from "../chaos/acp_job.ts";
import type { Answer } from "../chaos/agent_log.ts";
import { tempDir } from "../support/temp_dir.ts";

/** Turns of an agent over the Agent Client Protocol, at POLL_SECONDS=2, whose ends can be timed. */
export interface AcpTurns extends AsyncDisposable {
  /** Plays a turn up to its last act: its response is there, and it has said its last word. */
  next(): Promise<WaitingTurn>;
}

/** A turn that waits for its end. */
export interface WaitingTurn {
  /** Lets the agent end it; resolves once its response was consumed, archived durably. */
  end(): Promise<void>;
}

/** How long before its end an agent has written its response: its model has to say a last word. */
const LAST_WORD_MS = 150;

/** Starts an agent that works through the same steps as a role's in a run: session, prompt, call, permission, response. */
export async function openAcpTurns(): Promise<AcpTurns> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempDir());
  const workdir = `${folder.path}/project`;
  const gate = `${folder.path}/gate`;
  const answer: Answer = { response: "RESULT: PASS\nAll is well.", gate };
  await ensureDir(workdir);
  await folder.write({ "answers.json": JSON.stringify({ bench: answer }) });
  await systemProcessRunner.run({ argv: ["mkfifo", gate] });
  const agent = stack.use(
    await startAcpAgent({
      provider: packProvider("bench", JSON.parse(acpPack(folder.path))),
      name: "tester",
      launch: { workdir },
      mark: { name: "PANEWRIGHT_BENCH", value: folder.path },
      clock: systemClock,
      signal: new AbortController().signal,
    }),
  );
  stack.use(agent.listen(() => agent.requests().forEach((one) => void one.answer({ type: "allow" }))));
  const found = () => hasResponse({ workdir, role: "tester", maxBytes: 1_000_000 });
  const terminal = new DrivenTerminal({ agent, hasResponse: found, clock: systemClock });
  const responses = stack.use(watchResponses(workdir));
  const resources = stack.move();
  return {
    async next() {
      const wakeUp = openWakeUp({ clock: systemClock, sources: [responses, ...terminal.wakeSources] });
      const consumed = playTurn(terminal, {
        role: "tester",
        message: `TURN bench\n${responseFileInstruction(workdir, "tester")}`,
        workdir,
        settings: { pollSeconds: 2 },
        wake: (untilMs, signal) => wakeUp.wait(untilMs, signal),
      });
      // It opens when the agent reads from it.
      const opened = await Deno.open(gate, { write: true });
      await systemClock.sleep(LAST_WORD_MS);
      return {
        async end() {
          opened.close();
          await consumed;
          wakeUp[Symbol.dispose]();
        },
      };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** How long it takes from the end of each turn to its response being consumed, in milliseconds. */
export async function measureAcpTurns(count: number): Promise<readonly number[]> {
  await using turns = await openAcpTurns();
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) {
    const waiting = await turns.next();
    const startMs = performance.now();
    await waiting.end();
    times.push(performance.now() - startMs);
  }
  return times;
}
