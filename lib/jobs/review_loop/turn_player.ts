import type { AgentFact } from "../../agents/agent.ts";
import type { Role } from "../../base/roles.ts";
import type { OnStuck } from "../../turn/desk/desk_context.ts";
import type { DialogDesk } from "../../turn/dialog_desk.ts";
import { playTurn } from "../../turn/play_turn.ts";
import { comesToRest } from "../../turn/settle.ts";
import { openWakeUp } from "../../turn/wake_up.ts";
import type { WakeSource } from "../../agents/pane/wake_source.ts";
import type { LeftByRoles } from "./left_by_roles.ts";
import type { AgentTeam } from "./agents.ts";
import { keepScreen } from "./kept_screens.ts";
import { continueTurn } from "./continued_turn.ts";
import type { RoleAgent } from "./role_agent.ts";
import type { RunParts } from "./run_parts.ts";
import { findOpenTurn } from "../../journal/loop/state.ts";
import type { Turn } from "./state.ts";
import { type TokenCounter, whileCounting } from "./token_counter.ts";
import { recordTurnEvents, type TakenResponse } from "./turn_events.ts";
import { present } from "../../base/schema.ts";
import { RESPONSE_TIMEOUT } from "./settings.ts";

interface AgentTurn {
  readonly turnId: string;
  readonly role: Role;
  readonly terminal: RoleAgent;
}

export interface TurnPlayerOptions extends
  Pick<
    RunParts,
    "plan" | "folder" | "redactor" | "state" | "record" | "limitOf" | "lookAtObeyed" | "clock" | "signal"
  > {
  readonly team: AgentTeam;
  readonly counter: TokenCounter;
  readonly responses: WakeSource;
  /** Shows a role's pane to a person; `undefined` where it has none. */
  readonly attachCommandOf: (role: Role) => string | undefined;
  readonly onStuck: OnStuck;
  readonly afterTurn: LeftByRoles["afterTurn"];
  readonly createDesk: (turn: AgentTurn) => DialogDesk;
  readonly commandsOf: (role: Role, turnId: string) => (fact: AgentFact) => void;
}

export interface Work {
  readonly turnId: string;
  readonly role: Role;
  /** Where in the loop it is; missing for a message from outside. */
  readonly place?: Pick<Turn, "round" | "cycle">;
  readonly promptOf: () => string;
  /** @default {true} */
  readonly expectsResponse?: boolean;
  /** Absolute. */
  readonly archiveDir: string;
  readonly onResponse: (response: TakenResponse) => void;
  /** Whether its end is recorded: then it is not played again with another agent. @default {() => false} */
  readonly isOver?: () => boolean;
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Makes what plays the turns of a run, each with one agent.
 *
 * What is sent is written down first, and so is that it is about to be sent; a turn that an earlier process began
 * continues where that one left it. A turn that fails leaves what can be seen of its agent in the run's folder.
 */
export function createTurnPlayer(options: TurnPlayerOptions): (work: Work, terminal: RoleAgent) => Promise<void> {
  const { plan, folder, team, counter, responses, state, createDesk, clock } = options;
  const known = new Set<string>();
  const acceptTimes = new Map<string, number>();

  return async (work, terminal) => {
    const { turnId, role, place, expectsResponse = true, archiveDir, onResponse, startedAtMs, signal } = work;
    await noteCompaction({ ...options, role, terminal });
    const prompt = work.promptOf();
    const isKnown = known.has(terminal.id);
    known.add(terminal.id);
    const begun = findOpenTurn(state(), turnId);
    if (begun?.lastAcceptAtMs !== undefined) {
      acceptTimes.set(terminal.id, clock.now() - Math.max(0, Date.now() - begun.lastAcceptAtMs));
    }
    const attachCommand = options.attachCommandOf(role);
    const emit = recordTurnEvents({
      ...{ ...options, turnId, role, terminal, onResponse, startedAtMs, kept: begun?.message, attachCommand },
      ...present({ place }),
    });
    const desk = createDesk({ turnId, role, terminal });
    const usedBefore = begun?.usedBefore ?? 0;
    const noteCommand = options.commandsOf(role, turnId);
    // What it ran in an earlier turn is past.
    await terminal.takeWork();
    using wakeUp = openWakeUp({ clock, sources: [responses, ...terminal.wakeSources] });
    try {
      const { workdir } = plan;
      const { agents } = state();
      const message = begun === undefined
        ? { message: prompt }
        : await continueTurn(begun, { prompt, expectsResponse, folder, workdir, agents });
      const play = (signal: AbortSignal) =>
        playTurn(terminal, {
          role,
          ...message,
          workdir,
          archiveDir,
          expectsResponse,
          settings: handoffOf(options),
          settleBeforeSend: async () => !isKnown && !await team.hasSettled(role),
          acceptTimes,
          async wake(untilMs, turnSignal) {
            for (const fact of await terminal.takeWork()) noteCommand(fact);
            await wakeUp.wait(untilMs, turnSignal);
          },
          clock,
          signal,
          emit,
          keepsOutput: true,
          ...replaceable(role, { ...options, restate: work.promptOf }),
          ...present({ draftTimeoutSeconds: plan.permissions.dialogTimeoutSeconds }),
          dialogs: desk,
        });
      await whileCounting({ counter, role, signal }, play);
      if (terminal.via !== "pane") await terminal.endTurn({ signal });
      await counter.requireCount(role, usedBefore, signal);
      if (terminal.via !== "process" && await options.afterTurn(terminal, { turnId, role }) === "ended_some") {
        await comesToRest(async () => ({ status: (await terminal.status({ signal })).status }), { clock, signal });
      }
    } catch (error) {
      if (!signal.aborted) await noteFailure(options, { terminal, turnId, role, desk });
      throw error;
    } finally {
      desk.noteClosed();
    }
  };
}

/** What can be seen of it, and what it asks; the failure itself must be told, whatever comes of this. */
async function noteFailure(
  { folder, redactor, record }: Pick<TurnPlayerOptions, "folder" | "redactor" | "record">,
  { terminal, turnId, role, desk }: AgentTurn & { readonly desk: DialogDesk },
): Promise<void> {
  desk.leaveOpen?.();
  const file = await keepScreen(terminal, { folder, name: turnId, redactor });
  if (file === undefined) return;
  try {
    record({ type: "screen_kept", turnId, role, moment: "failure", file, passable: true });
  } catch { /* the journal cannot be written: that is what the turn has failed of */ }
}

function replaceable(
  role: Role,
  { team, state, restate }: Pick<TurnPlayerOptions, "team" | "state"> & { readonly restate: () => string },
) {
  const compactions = state().agents[role]?.compactions ?? 0;
  return { mayReplace: true, mayRecover: team.mayRecover, fallbacks: () => team.fallbacks(role), restate, compactions };
}

function handoffOf({ plan: { handoff }, limitOf }: Pick<TurnPlayerOptions, "plan" | "limitOf">) {
  return { ...handoff, responseTimeoutSeconds: limitOf(RESPONSE_TIMEOUT) ?? handoff.responseTimeoutSeconds };
}

/** What an agent was told may be lost to it since: then its next prompt says all of it. */
async function noteCompaction(
  { state, record, role, terminal }: TurnPlayerOptions & { readonly role: Role; readonly terminal: RoleAgent },
): Promise<void> {
  const times = await terminal.compactions().catch(() => 0);
  if (times > (state().agents[role]?.compactions ?? 0)) record({ type: "agent_compacted", role, times });
}
