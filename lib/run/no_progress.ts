import type { RunCaps, WorkEvent } from "../journal/meter_event.ts";
import type { SettingSlice, SettingsOf } from "../base/settings.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

/** The slice of the settings table with what both jobs may repeat before a person is asked. */
export const REPETITION_SETTINGS = {
  maxSameTestOutput: {
    names: { key: "limits.max_same_test_output" },
    value: { kind: "count", least: 0, default: 4 },
    description:
      "Rounds of a review loop in a row whose test fails with the same output (times, durations, process ids and temporary paths apart), or failures of a step's check with the same output and no file changed, after which a run stops with exit code 3; 0 for no limit.",
  },
  maxSameCommand: {
    names: { key: "limits.max_same_command" },
    value: { kind: "count", least: 0, default: 20 },
    description:
      "Times that an agent runs one command with the same output, nothing else in between and no file changed, after which it is ended and the run stops with exit code 3; 0 for no limit. Agents wait by repeating a command, so keep it high.",
  },
} as const satisfies SettingSlice;

export const NO_CHANGE_SETTINGS = {
  maxRoundsWithoutChange: {
    names: { key: "limits.max_rounds_without_change" },
    value: { kind: "count", least: 0, default: 3 },
    description:
      "Rounds in a row that end with FAIL and in which the programmer changes no file, after which a run stops with exit code 3; 0 for no limit.",
  },
  maxTurnsWithoutChange: {
    names: { key: "limits.max_turns_without_change" },
    value: { kind: "count", least: 0, default: 6 },
    description:
      "Turns of the programmer in a row in which no file changes, after which a run stops with exit code 3; 0 for no limit. An approval that does not count yet leads to such turns, so keep it above two rounds of `max_review_cycles`.",
  },
} as const satisfies SettingSlice;

export type NoProgressLimits = Partial<SettingsOf<typeof REPETITION_SETTINGS> & SettingsOf<typeof NO_CHANGE_SETTINGS>>;

type Limit = keyof NoProgressLimits;

const NAMES: Readonly<Record<Limit, string>> = {
  maxRoundsWithoutChange: "max_rounds_without_change",
  maxTurnsWithoutChange: "max_turns_without_change",
  maxSameTestOutput: "max_same_test_output",
  maxSameCommand: "max_same_command",
};
const LIMITS = Object.keys(NAMES) as readonly Limit[];

export function noProgressName(limit: Limit): string {
  return NAMES[limit];
}

export function noProgressCaps(limits: NoProgressLimits = {}): RunCaps {
  return Object.fromEntries(
    LIMITS.flatMap((limit) => (limits[limit] ?? 0) === 0 ? [] : [[NAMES[limit], limits[limit]!]]),
  );
}

export interface Standstill {
  readonly work: { readonly files: string | undefined } | undefined;
  readonly turns: { readonly count: number; readonly last: string; readonly files: string };
  readonly round: { readonly begun: number; readonly unchanged: number };
  readonly rounds: { readonly count: number; readonly last: number };
  readonly test: {
    readonly count: number;
    readonly output: string;
    readonly files: string | undefined;
    readonly last: string;
    readonly evidence: string | undefined;
  };
  readonly command: { readonly times: number; readonly worker: string; readonly command: string };
}

/** Before the first fact. */
export const NO_STANDSTILL: Standstill = {
  work: undefined,
  turns: { count: 0, last: "", files: "" },
  round: { begun: 0, unchanged: 0 },
  rounds: { count: 0, last: 0 },
  test: { count: 0, output: "", files: undefined, last: "", evidence: undefined },
  command: { times: 0, worker: "", command: "" },
};

/** What a run has done of the same after a fact. Files that could not be looked at count as changed. */
export function noteWork(before: Standstill, event: WorkEvent): Standstill {
  switch (event.kind) {
    case "work_begins": {
      const { round, turns } = before;
      // The end of the turn before was not seen: files may have changed in it.
      const known = before.work === undefined ? turns : NO_STANDSTILL.turns;
      return { ...before, work: { files: event.files }, turns: known, round: { ...round, begun: round.begun + 1 } };
    }
    case "work_ends": {
      const { work, turns, round } = before;
      const { turn: last, files } = event;
      const isSame = work !== undefined && files !== undefined && work.files === files;
      return isSame
        ? {
          ...before,
          work: undefined,
          turns: { count: turns.count + 1, last, files },
          round: { ...round, unchanged: round.unchanged + 1 },
        }
        : { ...before, work: undefined, turns: NO_STANDSTILL.turns };
    }
    case "round_fails": {
      const { round: { begun, unchanged }, rounds, test } = before;
      const { round, output, evidence } = event;
      const isSame = begun > 0 && begun === unchanged;
      return {
        ...before,
        round: NO_STANDSTILL.round,
        rounds: { count: isSame ? rounds.count + 1 : 0, last: round },
        test: output === undefined
          ? NO_STANDSTILL.test
          : sameTest(test, { output, files: undefined, last: `round ${round}`, evidence }),
      };
    }
    case "check_fails": {
      const { check: last, output, files } = event;
      const isComparable = files !== undefined && before.test.files === files && before.test.last === last;
      return {
        ...before,
        test: sameTest(isComparable ? before.test : NO_STANDSTILL.test, { output, files, last, evidence: undefined }),
      };
    }
    case "checks_begin":
      return { ...before, test: NO_STANDSTILL.test };
    case "command_repeats": {
      const { times, worker, command } = event;
      return { ...before, command: { times, worker, command } };
    }
  }
}

function sameTest(before: Standstill["test"], now: Omit<Standstill["test"], "count">): Standstill["test"] {
  return { ...now, count: before.count > 0 && before.output === now.output ? before.count + 1 : 1 };
}

export function atTurn(standstill: Standstill): Standstill {
  return standstill.command.times === 0 ? standstill : { ...standstill, command: NO_STANDSTILL.command };
}

interface ReachedStandstill {
  readonly name: string;
  readonly used: number;
  readonly seen: string;
}

export function reachedStandstill(caps: RunCaps, standstill: Standstill): readonly ReachedStandstill[] {
  return LIMITS
    .map((limit) => ({ name: NAMES[limit], ...SEEN[limit](standstill) }))
    .filter(({ name, used }) => used >= (caps[name] ?? Infinity));
}

const MOST_CHARACTERS = 300;

const SEEN: Readonly<Record<Limit, (standstill: Standstill) => Omit<ReachedStandstill, "name">>> = {
  maxRoundsWithoutChange({ rounds: { count: used, last }, turns: { files } }) {
    const which = used === 1 ? `round ${last}` : `rounds ${last - used + 1} to ${last}`;
    return { used, seen: `${which} ended with FAIL, and no file changed (files ${files.slice(0, 12)})` };
  },
  maxTurnsWithoutChange({ turns: { count: used, last, files } }) {
    const which = used === 1 ? "turn" : `${used} turns in a row, up to`;
    return { used, seen: `no file changed in ${which} ${last} (files ${files.slice(0, 12)})` };
  },
  maxSameTestOutput({ test: { count: used, last, evidence, files } }) {
    const where = evidence === undefined ? "" : `, which is in ${evidence}`;
    const unchanged = files === undefined ? "" : `, and no file changed (files ${files.slice(0, 12)})`;
    const seen = `the test failed ${used} times in a row, up to ${last}, with the same output${where}${unchanged}`;
    return { used, seen };
  },
  maxSameCommand({ command: { times: used, worker, command } }) {
    const text = command.length > MOST_CHARACTERS ? `${command.slice(0, MOST_CHARACTERS)}…` : command;
    const seen = `${worker} ran one command ${used} times in a row, with the same output, and no file changed: `;
    return { used, seen: seen + sanitizeLine(text) };
  },
};
