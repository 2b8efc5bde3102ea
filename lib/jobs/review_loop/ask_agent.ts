import { RuntimeError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { AgentGivenUpError } from "../../turn/failure.ts";
import { promptOf } from "./prompts/mod.ts";
import { lookUpNames } from "./existing_names.ts";
import { outsideMessagePrompt } from "./prompts/outside_message.ts";
import type { RoleAgent } from "./role_agent.ts";
import type { OutsideMessage } from "../../journal/loop/state.ts";
import type { Turn } from "./state.ts";
import { createTurnPlayer, type TurnPlayerOptions, type Work } from "./turn_player.ts";

interface AgentTurns {
  readonly askAgent: (turn: Turn) => Promise<void>;
  readonly playMessage: (message: OutsideMessage, text: string, signal: AbortSignal) => Promise<void>;
}

export function createAgentTurns(options: TurnPlayerOptions): AgentTurns {
  const { plan, folder, team, state, record, clock } = options;
  const play = createTurnPlayer(options);
  return {
    async askAgent(turn) {
      const { id: turnId, role } = turn;
      await playWork({
        turnId,
        role,
        place: turn,
        // What an agent before was told is new to another one.
        promptOf: () => promptOf(state(), turn),
        archiveDir: folder.responsesDir,
        onResponse({ text, ...response }) {
          const names = lookUpNames(plan.workdir, { role, text });
          record({ type: "response_received", turnId, role, ...response, ...names }, text);
        },
        // With the time of an agent that was lost: the turn's minutes are capped.
        startedAtMs: clock.now(),
        signal: options.signal,
      });
    },
    async playMessage({ id, role, wantsResponse, ...from }, text, signal) {
      const { workdir } = plan;
      const message = { id, text, wantsResponse, ...from };
      const startedAtMs = clock.now();
      const about = { type: "message_answered", messageId: id, role } as const;
      let isAnswered = false;
      await playWork({
        turnId: id,
        role,
        promptOf: () => outsideMessagePrompt({ workdir, role, message }),
        expectsResponse: wantsResponse,
        archiveDir: `${folder.repliesDir}/${id}`,
        onResponse({ text: _, ...response }) {
          isAnswered = true;
          record({ ...about, ...response });
        },
        isOver: () => isAnswered,
        startedAtMs,
        signal,
      });
      if (!isAnswered) record({ ...about, seconds: (clock.now() - startedAtMs) / 1000 });
    },
  };

  async function playWork(work: Work): Promise<void> {
    try {
      await playWithAgents(work);
    } finally {
      await options.lookAtObeyed(`turn ${work.turnId}`);
    }
  }

  async function playWithAgents(work: Work): Promise<void> {
    const { role, signal } = work;
    for (await team.start(role);;) {
      const terminal = team.terminalOf(role);
      try {
        return await play(work, terminal);
      } catch (error) {
        if (
          work.isOver?.() === true || !await replace(options, { role, error, terminal, signal })
        ) throw error;
      }
    }
  }
}

interface Ended {
  readonly role: Role;
  readonly error: unknown;
  readonly terminal: RoleAgent;
  readonly signal: AbortSignal;
}

/** Puts another agent in the place of one that has ended, or was given up; that is on record already. */
async function replace(options: TurnPlayerOptions, ended: Ended): Promise<boolean> {
  const { role, error, signal } = ended;
  if (!(error instanceof AgentGivenUpError)) return await restartLost(options, ended);
  if (signal.aborted) return false;
  await options.counter.countAll();
  await options.team.restart(role, { isFresh: error.recovery !== "restart" });
  return true;
}

async function restartLost(
  { plan, team, counter, state, record }: TurnPlayerOptions,
  { role, error, terminal, signal }: Ended,
): Promise<boolean> {
  const restart = (state().restarts[role] ?? 0) + 1;
  const { maxAgentRestarts: maxRestarts } = plan;
  if (signal.aborted || !(error instanceof RuntimeError) || restart > maxRestarts) return false;
  const reason = await terminal.describeEnd().catch(() => undefined);
  if (reason === undefined) return false;
  await counter.countAll();
  record({ type: "agent_lost", role, terminalId: terminal.id, reason, restart, maxRestarts });
  await team.restart(role);
  return true;
}
