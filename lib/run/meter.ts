import type { MeterEvent, RunCaps } from "../journal/meter_event.ts";
import type { Clock } from "../base/ports/clock.ts";
import { CapReachedError, nameOf, raisedCaps, raiseOf, type ReachedCap, reachedCap, TOKEN_CAPS } from "./caps.ts";
import { costOf, type Prices, unpricedModels } from "./prices.ts";
import { reachedStandstill } from "./no_progress.ts";
import { spend, type Spending, usageIn, usedBy } from "./spending.ts";

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

interface Metering extends MeterOptions {
  readonly reached: AbortController;
  readonly over: AbortController;
  readonly turnsOver: Map<string, AbortController>;
  spent: Spending;
}

export function openMeter(options: MeterOptions) {
  const { clock, prices } = options;
  const metering: Metering = {
    ...options,
    reached: new AbortController(),
    over: new AbortController(),
    turnsOver: new Map(),
    spent: options.earlier,
  };
  return {
    signal: metering.reached.signal,
    requireTurn: (worker: string, turn?: TurnToCheck) => requireTurn(metering, worker, turn),
    limitOf: (cap: string) => limitsOf(metering)[cap],
    admit: (event: MeterEvent | undefined) => admit(metering, event),
    /** Counts what was written down, and tells the models that are new in it and have no price. */
    take(event: MeterEvent | undefined): readonly string[] {
      const before = metering.spent;
      metering.spent = spend(before, event, clock.now());
      watchCaps(metering, event);
      return prices === undefined
        ? []
        : unpricedModels(usageIn(metering.spent), prices).filter((model) => !Object.hasOwn(usageIn(before), model));
    },
    [Symbol.dispose]() {
      metering.over.abort();
      for (const worker of metering.turnsOver.keys()) endTurn(metering, worker);
    },
  };
}

function limitsOf({ caps, spent }: Metering): RunCaps {
  return raisedCaps(caps, spent.raised);
}

function usedIn({ spent, clock, prices }: Metering, worker?: string) {
  const maxCost = prices === undefined ? 0 : costOf(usageIn(spent, worker), prices);
  return { ...usedBy(spent, clock.now(), worker), maxCost };
}

function reachedError({ name, used }: ReachedCap, limits: RunCaps): CapReachedError {
  return new CapReachedError(name, limits[name] ?? 0, { used });
}

/** All limits that are reached are told, so that they can be raised at once. */
function standstillError(metering: Metering): CapReachedError | undefined {
  const limits = limitsOf(metering);
  const limitOf = (name: string) => limits[name] ?? 0;
  const [first, ...others] = reachedStandstill(limits, metering.spent.standstill);
  if (first === undefined) return undefined;
  const also = others.map(({ name, seen }) => `; so is ${name} (${limitOf(name)}): ${seen}`);
  return new CapReachedError(first.name, limitOf(first.name), {
    seen: first.seen + also.join(""),
    used: first.used,
    raiseAlso: others.map(({ name, used }) => raiseOf(name, { limit: limitOf(name), used })),
  });
}

function requireTurn(metering: Metering, worker: string, { hasBegun = false }: TurnToCheck = {}): void {
  const kinds = hasBegun ? IN_A_TURN : undefined;
  const limits = limitsOf(metering);
  const cap = reachedCap(limits, usedIn(metering), undefined, kinds) ??
    reachedCap(limits, usedIn(metering, worker), worker, kinds);
  if (cap !== undefined) throw reachedError(cap, limits);
  const error = standstillError(metering);
  if (error !== undefined) throw error;
}

function admit(metering: Metering, event: MeterEvent | undefined): void {
  switch (event?.kind) {
    case "process_begins": {
      const raised = raisedCaps(metering.caps, { ...metering.spent.raised, ...event.raised });
      const cap = reachedCap(raised, usedIn(metering), undefined, IN_A_TURN);
      if (cap !== undefined) throw reachedError(cap, raised);
      return;
    }
    case "turn_begins":
      return requireTurn(metering, event.worker);
    case "turn_continues":
      return requireTurn(metering, event.worker, { hasBegun: true });
  }
}

/** Stops what has used what it may, at once or in time. */
function watchCaps(metering: Metering, event: MeterEvent | undefined): void {
  const { reached, over, turnsOver, spent } = metering;
  switch (event?.kind) {
    case "process_begins":
      return stopInTime(metering, undefined, over.signal);
    case "turn_begins":
    case "turn_continues": {
      endTurn(metering, event.worker);
      const turnOver = new AbortController();
      turnsOver.set(event.worker, turnOver);
      return stopInTime(metering, event.worker, turnOver.signal);
    }
    case "tokens_counted": {
      const limits = limitsOf(metering);
      const cap = reachedCap(limits, usedIn(metering), undefined, TOKEN_CAPS) ??
        reachedCap(limits, usedIn(metering, event.worker), event.worker, TOKEN_CAPS);
      // Beside a turn there is nothing to stop: the next one does not begin.
      if (cap !== undefined && Object.keys(spent.open).length > 0) reached.abort(reachedError(cap, limits));
      return;
    }
    case "command_repeats": {
      const error = standstillError(metering);
      if (error !== undefined) reached.abort(error);
      return;
    }
    case "turn_ends":
      for (const worker of turnsOver.keys()) if (!Object.hasOwn(spent.open, worker)) endTurn(metering, worker);
  }
}

function stopInTime(metering: Metering, worker: string | undefined, signal: AbortSignal): void {
  const name = nameOf("maxMinutes", worker);
  const minutes = limitsOf(metering)[name];
  if (minutes === undefined) return;
  const leftMs = Math.max(0, Math.ceil((minutes - usedIn(metering, worker).maxMinutes) * 60_000));
  metering.clock.sleep(leftMs, signal).then(
    () => metering.reached.abort(reachedError({ name, used: minutes }, limitsOf(metering))),
    () => {},
  );
}

function endTurn({ turnsOver }: Metering, worker: string): void {
  turnsOver.get(worker)?.abort();
  turnsOver.delete(worker);
}
