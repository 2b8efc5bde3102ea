import type { RunParts } from "./run_parts.ts";
import type { RunState } from "./state.ts";
import { tokensIn, type ToldCost } from "../../base/usage.ts";
import type { SessionUsage } from "../../agents/pane/status_source.ts";
import type { Role } from "../../base/roles.ts";
import { TokensUnknownError } from "../../run/caps.ts";
import { newIn } from "../../journal/usage.ts";
import { countOf, openTurnOf } from "../../journal/loop/state.ts";
import { present } from "../../base/schema.ts";

interface CountedAgent {
  usage(): Promise<(SessionUsage & { readonly cost?: ToldCost }) | undefined>;
}

/** Options of {@linkcode createTokenCounter}. */
interface TokenCounterOptions extends Pick<RunParts, "record" | "clock"> {
  readonly agents: () => Iterable<readonly [Role, CountedAgent]>;
  readonly state: () => Pick<RunState, "tokens" | "turn" | "messages">;
  readonly capOf: (role: Role) => string | undefined;
}

export interface TokenCounter {
  countAll(): Promise<void>;
  countTurn(role: Role, signal: AbortSignal): Promise<never>;
  requireCount(role: Role, usedBefore: number, signal: AbortSignal): Promise<void>;
}

/** How often it is looked whether a capped role has used more: a reply of a model takes longer. */
const CAPPED_LOOK_MS = 100;
const LOOK_MS = 2000;
const FIND_MS = 60_000;
/** How much later than the end of a turn its last reply may be written down: up to 100 ms (Claude Code 2.1.328). */
const LAG_MS = 2000;

export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  const { agents, state, capOf, record, clock } = options;

  /** What was written down last of what a session has cost. */
  const paid = new Map<string, number>();

  async function count(role: Role, agent: CountedAgent): Promise<boolean> {
    const told = await agent.usage();
    if (told === undefined) return false;
    const { sessionId: session, usage, cost } = told;
    // A record that has lost something, as one that an agent has removed, gives nothing back.
    const isMore = tokensIn(newIn(state().tokens, countOf({ role, session, usage }))) > 0;
    // An agent may tell the cost of tokens later than the tokens, or tell nothing else.
    const costsMore = cost !== undefined && cost.amount > (paid.get(session) ?? 0);
    if (!isMore && !costsMore) return true;
    if (cost !== undefined) paid.set(session, cost.amount);
    record({ type: "tokens_counted", role, session, usage, ...present({ cost }), passable: true });
    return true;
  }

  async function countRole(role: Role): Promise<boolean> {
    for (const [name, agent] of agents()) if (name === role) return await count(role, agent);
    return false;
  }

  async function countAll(): Promise<void> {
    for (const [role, agent] of agents()) await count(role, agent);
  }

  return {
    countAll,
    async countTurn(role, signal) {
      const cap = capOf(role);
      const pauseMs = cap === undefined ? LOOK_MS : CAPPED_LOOK_MS;
      let sentAtMs: number | undefined;
      for (let pausedMs = 0;; pausedMs += pauseMs) {
        if (pausedMs % LOOK_MS === 0) await countAll();
        const isFound = cap === undefined || await countRole(role);
        if (openTurnOf(state(), role)?.message?.step === "sent") sentAtMs ??= clock.now();
        if (isFound) sentAtMs = undefined;
        else if (cap !== undefined && sentAtMs !== undefined && clock.now() - sentAtMs >= FIND_MS) {
          throw new TokensUnknownError(cap, `the record of ${role}'s CLI is not found`);
        }
        await clock.sleep(pauseMs, signal);
      }
    },
    async requireCount(role, usedBefore, signal) {
      const cap = capOf(role);
      if (cap === undefined) return;
      for (const startMs = clock.now();;) {
        await countRole(role);
        if (tokensIn(state().tokens.byWorker[role] ?? {}) > usedBefore) return;
        if (clock.now() - startMs >= LAG_MS) {
          throw new TokensUnknownError(cap, `the CLI of ${role} has recorded no tokens in its turn`);
        }
        await clock.sleep(CAPPED_LOOK_MS, signal);
      }
    },
  };
}

/** Plays the turn of a role while its tokens are counted; what stops the count stops the turn. */
export async function whileCounting<Result>(
  { counter, role, signal }: { readonly counter: TokenCounter; readonly role: Role; readonly signal: AbortSignal },
  play: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController();
  const stopped = new AbortController();
  const counting = counter.countTurn(role, AbortSignal.any([signal, over.signal])).catch((error) => {
    if (!over.signal.aborted) stopped.abort(error);
  });
  try {
    return await play(AbortSignal.any([signal, stopped.signal]));
  } finally {
    over.abort();
    await counting;
  }
}
