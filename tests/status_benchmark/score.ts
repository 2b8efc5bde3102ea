import { isAtRest, TERMINAL_STATUSES, type TerminalStatus } from "../../lib/screen/mod.ts";
import type { Sample } from "./samples.ts";

/** How often each status was told as each: truth first. */
export type Matrix = Readonly<Record<TerminalStatus, Readonly<Record<TerminalStatus, number>>>>;

/** How a tool does on samples that one screen decides. */
export interface Score {
  readonly total: number;
  readonly right: number;
  /** As `right`, but `idle` and `completed` count as the same, for tools that do not tell them apart. */
  readonly rightAtRest: number;
  /** `processing` told as `idle` or `completed`: the next prompt would be sent too early. */
  readonly busyAsDone: number;
  /** Told as `waiting_user_answer` without a dialog: an answer would be typed into nothing. */
  readonly falseWaiting: number;
  /** A dialog told as anything else: nobody would be asked. */
  readonly missedWaiting: number;
  readonly unknown: number;
  readonly matrix: Matrix;
}

/**
 * Scores what a tool said. A sample without a prediction counts as `unknown`; one that no screen alone decides does not
 * count.
 */
export function score(samples: readonly Sample[], told: ReadonlyMap<string, TerminalStatus>): Score {
  const pairs = samples.filter(({ alone }) => alone)
    .map(({ id, expect }) => ({ expect, got: told.get(id) ?? "unknown" as const }));
  const count = (fits: (pair: typeof pairs[number]) => boolean) => pairs.filter(fits).length;
  const row = (truth: TerminalStatus) =>
    Object.fromEntries(
      TERMINAL_STATUSES.map((status) => [status, count(({ expect, got }) => expect === truth && got === status)]),
    ) as Record<TerminalStatus, number>;
  return {
    total: pairs.length,
    right: count(({ expect, got }) => expect === got),
    rightAtRest: count(({ expect, got }) => expect === got || isAtRest(expect) && isAtRest(got)),
    busyAsDone: count(({ expect, got }) => expect === "processing" && isAtRest(got)),
    falseWaiting: count(({ expect, got }) => expect !== "waiting_user_answer" && got === "waiting_user_answer"),
    missedWaiting: count(({ expect, got }) => expect === "waiting_user_answer" && got !== "waiting_user_answer"),
    unknown: count(({ got }) => got === "unknown"),
    matrix: Object.fromEntries(TERMINAL_STATUSES.map((status) => [status, row(status)])) as Matrix,
  };
}

/**
 * Reads predictions: a line `{"id": "…", "status": "…"}` for each sample.
 *
 * @throws {TypeError} for a line that is not one, an unknown status or id, or a second prediction; it names the line
 */
export function parsePredictions(text: string, samples: readonly Sample[]): ReadonlyMap<string, TerminalStatus> {
  const ids = new Set(samples.map(({ id }) => id));
  const told = new Map<string, TerminalStatus>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const wrong = (why: string) => new TypeError(`Cannot read line ${index + 1} of the predictions: ${why}`);
    const { id, status } = parseLine(line) ?? {};
    if (typeof id !== "string") throw wrong(`it is not a JSON object with an "id"`);
    if (!ids.has(id)) throw wrong(`there is no recording ${JSON.stringify(id)}`);
    if (told.has(id)) throw wrong(`${id} has a prediction already`);
    if (!isStatus(status)) throw wrong(`"status" must be one of ${TERMINAL_STATUSES.join(", ")}`);
    told.set(id, status);
  }
  return told;
}

function parseLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value as Readonly<Record<string, unknown>> : undefined;
  } catch {
    return undefined;
  }
}

function isStatus(value: unknown): value is TerminalStatus {
  return TERMINAL_STATUSES.some((status) => status === value);
}
