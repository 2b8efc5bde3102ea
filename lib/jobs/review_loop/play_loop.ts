import type { Role } from "../../base/roles.ts";
import type { WakeSource } from "../../agents/pane/wake_source.ts";
import { createAcpDesk } from "../../turn/desk/acp_desk.ts";
import type { DialogDeskContext } from "../../turn/desk/desk_context.ts";
import { createPaneDesk } from "../../turn/desk/pane_desk.ts";
import { isOutsideProgramGone } from "../../run/programs.ts";
import { runTestOf } from "../test_of_run.ts";
import type { AgentTeam } from "./agents.ts";
import { createAgentTurns } from "./ask_agent.ts";
import type { RunResult } from "../../run/execution.ts";
import { driveLoop } from "./loop.ts";
import { rolesLeft } from "./machine.ts";
import { openMailbox } from "./mailbox.ts";
import type { RunParts } from "./run_parts.ts";
import type { TokenCounter } from "./token_counter.ts";
import { keepTurnChanges } from "./turn_changes.ts";
import type { LeftByRoles } from "./left_by_roles.ts";
import { beginTurnApart, endTurnApart, keepTurnOf } from "../keep_turn.ts";
import { createLocks } from "../locks.ts";
import { watchWork } from "./work_watch.ts";

/** Plays what is left of the loop, and messages from outside beside it, with agents that are ready. */
export async function playLoop(
  parts: RunParts,
  { desks, team, counter, responses, afterTurn, attachCommandOf, onFailure, onBroken }: {
    readonly desks: DialogDeskContext;
    readonly team: AgentTeam;
    readonly counter: TokenCounter;
    readonly responses: WakeSource;
    readonly afterTurn: LeftByRoles["afterTurn"];
    readonly attachCommandOf: (role: Role) => string | undefined;
    /** Told what a turn of the loop has failed of. */
    readonly onFailure: (error: unknown) => void;
    /** Told what of a message keeps the run from continuing. */
    readonly onBroken: (error: unknown) => void;
  },
): Promise<RunResult> {
  const { plan, state, clock, signal } = parts;
  const locks = createLocks<Role>();
  const { turn: begunTurn } = state();
  let held = begunTurn && await locks.take(begunTurn.role, signal);
  const work = watchWork({ ...parts, workdir: plan.workdir });
  const changes = keepTurnChanges({ ...parts, workdir: plan.workdir });
  const { askAgent, playMessage } = createAgentTurns({
    ...parts,
    ...{ team, counter, responses, afterTurn },
    createDesk: ({ terminal, ...turn }) =>
      terminal.via === "pane"
        ? createPaneDesk(desks, { ...turn, terminal })
        : createAcpDesk(desks, { ...turn, terminal }),
    commandsOf: (role, turnId) => work.commandsOf(role, turnId),
    attachCommandOf,
    onStuck: desks.onStuck,
  });
  await using mailbox = openMailbox({
    ...parts,
    locks,
    hasAgent: (role) => state().agents[role] !== undefined || rolesLeft(state().loop, plan.loop).includes(role),
    play: playMessage,
    onBroken,
  });
  const result = await driveLoop({
    ...parts,
    beforeTold: work.keepEvidence,
    async takeAgent(role) {
      const agent = held ?? await locks.take(role, signal);
      held = undefined;
      return agent;
    },
    async askAgent(turn) {
      if (plan.agents[turn.role]?.isApart === true) await beginTurnApart(turn.id, { ...parts, workdir: plan.workdir });
      try {
        await work.around(turn, () => changes.around(turn, () => askAgent(turn)));
      } catch (error) {
        onFailure(error);
        throw error;
      } finally {
        await keepTurnOf(turn.id, { ...parts, workdir: plan.workdir });
      }
      // Also where the configuration says so no more since it began.
      await endTurnApart({ ...parts, workdir: plan.workdir });
    },
    runTestCommand: (command) =>
      runTestOf(parts, {
        ...{ command, cwd: plan.workdir, timeoutSeconds: plan.loop.testCommandTimeoutSeconds },
        around: plan.sandboxOfCommands,
      }),
    judge: parts.judge ?? (() => Promise.resolve({ how: "", output: "" })),
    isReviewJudged: (plan.evidence?.budgetMinutes ?? 0) > 0 && plan.loop.projectTestCmd !== undefined,
    isProgramGone: (command) =>
      isOutsideProgramGone(command, { folder: plan.workdir, searchPath: Deno.env.get("PATH") ?? "" }),
  });
  await mailbox.finish();
  // What the last reply has used is written down a moment later.
  await clock.sleep(RECORD_LAG_MS, signal);
  return result;
}

/** How much later than the end of a turn its last reply may be recorded: up to 100 ms (Claude Code 2.1.328). */
const RECORD_LAG_MS = 150;
