/** A record of a journal, as far as times are derived from it. */
export interface TimedRecord {
  readonly type: string;
  /** ISO 8601. */
  readonly at: string;
  readonly role?: string;
  readonly what?: string;
  readonly step?: string;
}

/** One run of a review loop, by its journal and by those who saw it from outside. */
export interface ObservedRun {
  readonly records: readonly TimedRecord[];
  /** When the process was started and when it had ended, in milliseconds since the epoch. */
  readonly process: { readonly startedAt: number; readonly endedAt: number };
  /** When the model's server had sent the last byte of each turn. */
  readonly modelEnds: readonly number[];
  /** When each turn was over by the record that its CLI keeps. */
  readonly cliEnds: readonly number[];
}

/** The parts of a run, in their order. They do not overlap, and together they are the run. */
export const PARTS = [
  "program",
  "starting",
  "first prompts",
  "later prompts",
  "paste to Enter",
  "proof",
  "turn",
  "drawing",
  "consuming",
  "between",
  "ending",
] as const;

/** The name of a part of a run. */
export type Part = typeof PARTS[number];

/** What each part is. */
export const PART_TEXTS: Readonly<Record<Part, string>> = {
  program: "the program starts, until its first agent does",
  starting: "the CLIs start: first agent started to last one ready",
  "first prompts": "prompt due to pasted, each agent's first: with settling",
  "later prompts": "prompt due to pasted, all others",
  "paste to Enter": "about to paste to about to press Enter",
  proof: "about to press Enter to the proof that it was taken",
  turn: "that proof to the model's last byte",
  drawing: "the model's last byte to the end of the turn in the CLI's own record",
  consuming: "that end to the response archived and recorded",
  between: "response recorded to the next prompt due, with the project's tests",
  ending: "last response to the end of the process",
};

/**
 * What counts as the CLIs' own time. While the proof is waited for, the CLI is at work as well: that counts as ours,
 * and so does what a CLI takes to draw that it has taken the text.
 */
export const CLI_PARTS: ReadonlySet<Part> = new Set(["starting", "turn", "drawing"]);

/** How long a run took, in milliseconds. */
export interface RunTime {
  readonly parts: Readonly<Record<Part, number>>;
  readonly turns: number;
  readonly wholeMs: number;
  /** The whole without the CLIs' own time. */
  readonly ownMs: number;
  /** The whole without the turns up to the model's last byte: the CLIs' starting and drawing count as ours. */
  readonly strictMs: number;
}

/**
 * Derives where the time of a run went that passed without a break: one prompt a turn, no dialog.
 *
 * @throws {TypeError} when it was another kind of run
 */
export function runTimeOf({ records, process, modelEnds, cliEnds }: ObservedRun): RunTime {
  const times = records.map((record) => ({ ...record, atMs: Date.parse(record.at) }));
  const timesOf = (type: string, fits: (record: TimedRecord) => boolean = () => true) =>
    times.filter((record) => record.type === type && fits(record));
  const due = timesOf("turn_started");
  const pastes = timesOf("message_sending", ({ step }) => step === "paste");
  const enters = timesOf("message_sending", ({ step }) => step === "enter");
  const proofs = timesOf("message_sent");
  const received = timesOf("response_received");
  const starting = timesOf("agent_starting")[0]?.atMs;
  const ready = timesOf("agent_ready").at(-1)?.atMs;
  const counts = [pastes, enters, proofs, received].map(({ length }) => length);
  if (starting === undefined || ready === undefined || due.length === 0 || counts.some((n) => n !== due.length)) {
    throw new TypeError(`Cannot derive the times of this run: ${due.length} turns, ${counts.join(", ")} of each step`);
  }
  const parts: Record<Part, number> = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  parts.program = starting - process.startedAt;
  parts.starting = ready - starting;
  let before = ready;
  const known = new Set<string | undefined>();
  for (const [turn, { atMs: dueMs, role }] of due.entries()) {
    const [pasteMs, enterMs, proofMs, receivedMs] = [pastes, enters, proofs, received]
      .map((all) => all[turn]!.atMs) as [number, number, number, number];
    const lastWithin = (ends: readonly number[]) => ends.filter((atMs) => atMs >= enterMs && atMs <= receivedMs).at(-1);
    const modelMs = lastWithin(modelEnds);
    if (modelMs === undefined) throw new TypeError(`Cannot derive the times of this run: turn ${turn + 1} has no end`);
    // A model that answers at once may have done so before the proof was seen.
    const workMs = Math.max(modelMs, proofMs);
    // What the CLI has not written down by then is nothing that was waited for.
    const cliMs = Math.max(workMs, lastWithin(cliEnds) ?? modelMs);
    parts.between += dueMs - before;
    parts[known.has(role) ? "later prompts" : "first prompts"] += pasteMs - dueMs;
    known.add(role);
    parts["paste to Enter"] += enterMs - pasteMs;
    parts.proof += proofMs - enterMs;
    parts.turn += workMs - proofMs;
    parts.drawing += cliMs - workMs;
    parts.consuming += receivedMs - cliMs;
    before = receivedMs;
  }
  parts.ending = process.endedAt - before;
  const wholeMs = process.endedAt - process.startedAt;
  const cliMs = PARTS.reduce((sum, part) => CLI_PARTS.has(part) ? sum + parts[part] : sum, 0);
  return {
    parts,
    turns: due.length,
    wholeMs,
    ownMs: wholeMs - cliMs,
    strictMs: wholeMs - parts.turn,
  };
}
