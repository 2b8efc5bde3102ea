import type { RunCaps } from "../journal/meter_event.ts";
import { HumanInterventionRequiredError, UsageError } from "../base/errors.ts";
import type { SettingSlice, SettingsOf } from "../base/settings.ts";
import { didYouMean } from "../base/text/suggest.ts";

export const MOST_TOKENS = 1_000_000_000_000;

export const LEAST_COST = 0.01;

/** The slice of the settings table with what a run may use before a person is asked. */
export const CAP_SETTINGS = {
  maxTurns: {
    names: { key: "limits.max_turns", env: "PANEWRIGHT_MAX_TURNS" },
    value: { kind: "count", least: 1 },
    description:
      "Turns (prompts of a review loop, attempts of a pipeline) after which a run stops with exit code 3; those of earlier processes count.",
    example: 60,
  },
  maxMinutes: {
    names: { key: "limits.max_minutes", env: "PANEWRIGHT_MAX_MINUTES" },
    value: { kind: "count", least: 1, most: 10_080 },
    description:
      "Minutes after which a run is stopped with exit code 3, its agents with it; those of earlier processes count, the time between them does not.",
    example: 480,
  },
  maxTokens: {
    names: { key: "limits.max_tokens", env: "PANEWRIGHT_MAX_TOKENS" },
    value: { kind: "count", least: 1, most: MOST_TOKENS },
    description:
      "Tokens (all input, also what comes from a cache, and all output) after which a run is stopped with exit code 3, at the latest one reply of a model beyond it; those of earlier processes count.",
    example: 20_000_000,
  },
  maxCost: {
    names: { key: "limits.max_cost", env: "PANEWRIGHT_MAX_COST" },
    value: { kind: "amount", least: LEAST_COST },
    description:
      "Cost, by the tokens that were counted and `prices`, after which a run is stopped with exit code 3, like `max_tokens`; in the currency of the prices.",
    example: 25,
  },
} as const satisfies SettingSlice;

export interface Caps extends SettingsOf<typeof CAP_SETTINGS> {}

type Cap = keyof Caps;

export type Used = Readonly<Record<Cap, number>>;

const NAMES: Readonly<Record<Cap, string>> = {
  maxTurns: "max_turns",
  maxMinutes: "max_minutes",
  maxTokens: "max_tokens",
  maxCost: "max_cost",
};
const CAPS = Object.keys(NAMES) as readonly Cap[];

export const TOKEN_CAPS = ["maxTokens", "maxCost"] as const satisfies readonly Cap[];

export function runCaps(run: Caps, workers: Readonly<Record<string, Caps>>): RunCaps {
  const named = (caps: Caps, worker?: string) =>
    CAPS.flatMap((cap) => caps[cap] === undefined ? [] : [[nameOf(cap, worker), caps[cap]] as const]);
  return Object.fromEntries([
    ...named(run),
    ...Object.entries(workers).flatMap(([worker, caps]) => named(caps, worker)),
  ]);
}

export function raisedCaps(caps: RunCaps, raised: RunCaps): RunCaps {
  return Object.fromEntries(Object.entries(caps).map(([name, limit]) => [name, Math.max(limit, raised[name] ?? 0)]));
}

/** Reads what `--raise` says */
export function parseRaise(words: readonly string[]): RunCaps {
  return Object.fromEntries(words.map((word) => {
    const { name, limit } =
      /^(?<name>.+)=(?<limit>[1-9][0-9]{0,15}|(?<=max_cost=)[0-9]{1,9}\.[0-9]{1,6})$/s.exec(word)?.groups ?? {};
    if (name === undefined) {
      throw new UsageError(
        `Cannot raise ${JSON.stringify(word)}: it must be a cap and a whole number, or an amount for max_cost`,
        {
          hint: "For example: --raise max_turns=40",
        },
      );
    }
    return [name, Number(limit)];
  }));
}

/** Makes sure that each cap to be raised is there and is raised. */
export function requireRaise(raised: RunCaps, caps: RunCaps): void {
  for (const [name, limit] of Object.entries(raised)) {
    const now = Object.hasOwn(caps, name) ? caps[name] : undefined;
    if (now === undefined) {
      const known = Object.entries(caps).map((cap) => cap.join("="));
      throw new UsageError(`Cannot raise ${name}: the run has no such cap${didYouMean(name, Object.keys(caps))}`, {
        hint: known.length === 0 ? "The run has no caps." : `Its caps are: ${known.join(", ")}.`,
      });
    }
    if (limit <= now) throw new UsageError(`Cannot raise ${name} to ${limit}: it is ${now} already`);
  }
}

export interface ReachedCap {
  readonly name: string;
  readonly used: number;
}

export function reachedCap(
  caps: RunCaps,
  used: Used,
  worker?: string,
  kinds: readonly Cap[] = CAPS,
): ReachedCap | undefined {
  return kinds.map((cap) => ({ name: nameOf(cap, worker), used: used[cap] }))
    .find(({ name, used }) => used >= (caps[name] ?? Infinity));
}

export function nameOf(cap: Cap, worker?: string): string {
  return worker === undefined ? NAMES[cap] : `${worker}.${NAMES[cap]}`;
}

/** The name of a cap for which the tokens of a role or a step must be known; `undefined` where there is none. */
export function tokenCapOf(
  worker: string,
  { caps, ofWorker }: { readonly caps: Caps; readonly ofWorker: Caps | undefined },
): string | undefined {
  const find = (caps: Caps | undefined, worker?: string) =>
    TOKEN_CAPS.flatMap((cap) => caps?.[cap] === undefined ? [] : [nameOf(cap, worker)])[0];
  return find(ofWorker, worker) ?? find(caps);
}

/**
 * What `--raise` is given to let a run continue beyond a cap: twice the cap, or twice what was used where that is not
 * enough.
 */
export function raiseOf(
  cap: string,
  { limit, used = 0 }: { readonly limit: number; readonly used?: number | undefined },
): string {
  const more = used < 2 * limit ? Number((2 * limit).toFixed(6)) : 2 * Math.ceil(used);
  // Only an amount may have decimals.
  return `${cap}=${cap.endsWith("max_cost") ? more : Math.ceil(more)}`;
}

export class CapReachedError extends HumanInterventionRequiredError {
  override name = "CapReachedError";
  readonly raise: string;
  /** What else must be raised: other caps that are reached as well. */
  readonly raiseAlso: readonly string[];

  /**
   * @param more `seen` is what was seen, as the rest of a sentence, where the number alone does not tell it; `used` is
   * how much was used, which may be far beyond the cap
   */
  constructor(
    cap: string,
    limit: number,
    { seen, used, raiseAlso = [] }: {
      readonly seen?: string;
      readonly used?: number;
      readonly raiseAlso?: readonly string[];
    } = {},
  ) {
    super(`Cannot continue: the cap ${cap} (${limit}) is reached${seen === undefined ? "" : `: ${seen}`}`, {
      hint: "Everything is kept. `panewright resume --raise` continues with a higher cap.",
    });
    this.raise = raiseOf(cap, { limit, used });
    this.raiseAlso = raiseAlso;
  }
}

/** What was used of a cap cannot be told: nothing is lost, and a person can change the cap. */
export class TokensUnknownError extends HumanInterventionRequiredError {
  override name = "TokensUnknownError";

  constructor(cap: string, why: string) {
    super(`Cannot continue: the cap ${cap} cannot be checked: ${why}`, {
      hint: "Take the cap out of the limits, or cap turns and minutes; then resume the run.",
    });
  }
}
