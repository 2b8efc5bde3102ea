/** What a job has left behind, to be judged. Plain data. */
export interface JobEvidence {
  readonly runId: string;
  /** The journal's text. */
  readonly journal: string;
  /** The run's archive of responses, by their paths below its folder. */
  readonly archive: readonly ArchivedFile[];
  /** The project's own files, by relative path. */
  readonly files: Readonly<Record<string, string>>;
  /** The prompts that agents got, as they were seen where they arrived, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** When agents were found to be dead. */
  readonly deaths: readonly Death[];
  /** What is left running or lying about, a line each. */
  readonly leftovers: readonly string[];
}

/** A file of the archive. */
export interface ArchivedFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A prompt that arrived. */
export interface Delivery {
  readonly atMs: number;
  readonly role: string;
  /** The turn that it is of, by what its text says; undefined where the text does not say. */
  readonly turnId: string | undefined;
  /** The process that got it, where the receiver can tell. */
  readonly pid?: number;
}

/** An agent that was alive before and is dead now. */
export interface Death {
  /** When it was known; it may have died earlier. */
  readonly atMs: number;
  readonly pid: number;
}

/** What a job comes to, however often it was interrupted. */
export interface JobResult {
  /** The ids of the turns, in the order in which their responses were taken. */
  readonly turns: readonly string[];
  /** What was decided, in its order: reviews, test commands, rounds. */
  readonly decisions: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

const HEADING = /You are the (\w+) of this job\. [^\n]*\nRound (\d+) of at most \d+(?:, review cycle (\d+) of)?/;

/** Where a prompt says that it belongs. */
export interface PromptPlace {
  readonly role: string;
  readonly round: number;
  /** 0 for the tester. */
  readonly cycle: number;
  readonly turnId: string;
}

/**
 * The turn that a prompt is of, read off its heading; undefined where it has none. This asks the text and not the
 * journal, which is what is tested.
 */
export function placeOfPrompt(prompt: string): PromptPlace | undefined {
  const [, role, round, cycle] = HEADING.exec(prompt) ?? [];
  if (role === undefined || round === undefined) return undefined;
  const turnId = `r${round}-${role}${cycle === undefined ? "" : `-c${cycle}`}`;
  return { role, round: Number(round), cycle: Number(cycle ?? 0), turnId };
}
