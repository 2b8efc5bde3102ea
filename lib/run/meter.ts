import type { MeterEvent, RunCaps } from "../journal/meter_event.ts";
import type { Clock } from "../base/ports/clock.ts";
import { CapReachedError, nameOf, raisedCaps, raiseOf, type ReachedCap, reachedCap, TOKEN_CAPS } from "./caps.ts";
import { costOf, type Prices, unpricedModels } from "./prices.ts";
import { reachedStandstill } from "./no_progress.ts";
import { spend, type Spending, usageIn, usedBy } from "./spending.ts";

interface Meter extends Disposable {
  readonly signal: AbortSignal;
  /**
   * Makes sure that a turn may begin.
   *
   * @throws {CapReachedError} when it may not
   */
  requireTurn(worker: string, turn?: TurnToCheck): void;
  /** What a cap is now, by name; undefined where there is none. */
  limitOf(cap: string): number | undefined;
  /**
   * Makes sure that what a fact says may begin, before it is written down.
   *
   * @throws {CapReachedError} when it may not
   */
  admit(event: MeterEvent | undefined): void;
  /**
   * Counts what was written down.
   *
   * @returns the models that it tells of for the first time and that have no price, where there are prices
   */
  take(event: MeterEvent | undefined): readonly string[];
}

const IN_A_TURN = ["maxMinutes", ...TOKEN_CAPS] as const;

export interface TurnToCheck {
  readonly hasBegun?: boolean;
}

interface MeterOptions {
  readonly caps: RunCaps;
  readonly earlier: Spending;
  readonly clock: Clock;
  readonly prices?: Prices | undefined;
}

export function openMeter({ caps, earlier, clock, prices }: MeterOptions): Meter {
  const reached = new AbortController();
  const over = new AbortController();
  const turnsOver = new Map<string, AbortController>();
  let spent = earlier;

  const limits = () => raisedCaps(caps, spent.raised);
  const errorOf = ({ name, used }: ReachedCap, caps = limits()) => new CapReachedError(name, caps[name] ?? 0, { used });
  const refuse = (cap: ReachedCap | undefined) => {
    if (cap !== undefined) throw errorOf(cap);
  };
  /** All limits that are reached are told, so that they can be raised at once. */
  const standstillError = () => {
    const limitOf = (name: string) => limits()[name] ?? 0;
    const [first, ...others] = reachedStandstill(limits(), spent.standstill);
    if (first === undefined) return undefined;
    const also = others.map(({ name, seen }) => `; so is ${name} (${limitOf(name)}): ${seen}`);
    return new CapReachedError(first.name, limitOf(first.name), {
      seen: first.seen + also.join(""),
      used: first.used,
      raiseAlso: others.map(({ name, used }) => raiseOf(name, { limit: limitOf(name), used })),
    });
  };
  const costNow = (worker?: string) => prices === undefined ? 0 : costOf(usageIn(spent, worker), prices);
  const used = (worker?: string) => ({ ...usedBy(spent, clock.now(), worker), maxCost: costNow(worker) });
  const stopInTime = (worker: string | undefined, signal: AbortSignal) => {
    const name = nameOf("maxMinutes", worker);
    const minutes = limits()[name];
    if (minutes === undefined) return;
    const leftMs = Math.max(0, Math.ceil((minutes - used(worker).maxMinutes) * 60_000));
    clock.sleep(leftMs, signal).then(() => reached.abort(errorOf({ name, used: minutes })), () => {});
  };
  const endTurn = (worker: string) => {
    turnsOver.get(worker)?.abort();
    turnsOver.delete(worker);
  };
  const requireTurn = (worker: string, { hasBegun = false }: TurnToCheck = {}) => {
    const kinds = hasBegun ? IN_A_TURN : undefined;
    refuse(reachedCap(limits(), used(), undefined, kinds));
    refuse(reachedCap(limits(), used(worker), worker, kinds));
    const error = standstillError();
    if (error !== undefined) throw error;
  };

  return {
    signal: reached.signal,
    requireTurn,
    limitOf: (cap) => limits()[cap],
    admit(event) {
      switch (event?.kind) {
        case "process_begins": {
          const raised = raisedCaps(caps, { ...spent.raised, ...event.raised });
          const cap = reachedCap(raised, used(), undefined, IN_A_TURN);
          if (cap !== undefined) throw errorOf(cap, raised);
          return;
        }
        case "turn_begins":
          return requireTurn(event.worker);
        case "turn_continues":
          return requireTurn(event.worker, { hasBegun: true });
      }
    },
    take(event) {
      const before = spent;
      spent = spend(spent, event, clock.now());
      switch (event?.kind) {
        case "process_begins":
          stopInTime(undefined, over.signal);
          break;
        case "turn_begins":
        case "turn_continues":
          endTurn(event.worker);
          turnsOver.set(event.worker, new AbortController());
          stopInTime(event.worker, turnsOver.get(event.worker)!.signal);
          break;
        case "tokens_counted": {
          const cap = reachedCap(limits(), used(), undefined, TOKEN_CAPS) ??
            reachedCap(limits(), used(event.worker), event.worker, TOKEN_CAPS);
          // Beside a turn there is nothing to stop: the next one does not begin.
          if (cap !== undefined && Object.keys(spent.open).length > 0) reached.abort(errorOf(cap));
          break;
        }
        case "command_repeats": {
          const error = standstillError();
          if (error !== undefined) reached.abort(error);
          break;
        }
        case "turn_ends":
          for (const worker of turnsOver.keys()) if (!Object.hasOwn(spent.open, worker)) endTurn(worker);
      }
      return prices === undefined
        ? []
        : unpricedModels(usageIn(spent), prices).filter((model) => !Object.hasOwn(usageIn(before), model));
    },
    [Symbol.dispose]() {
      over.abort();
      for (const worker of turnsOver.keys()) endTurn(worker);
    },
  };
}
