import { flag, listOf, number, object, oneOf, optional, orMissing, text, type ValuesOf } from "../base/schema.ts";
import { type AnswersFrom, isReserved, type ModelAnswers, type OnAnswer, SHOWN } from "../base/terms.ts";
import type { RunEnd } from "./run_facts.ts";

export interface Waits {
  /** The first; undefined where nothing does. */
  readonly waiting: Waiting | undefined;
  readonly alsoWaiting: readonly Waiting[];
  readonly modelAnswers: ModelAnswers;
  readonly answersFrom: AnswersFrom;
  readonly onAnswer: OnAnswer;
}

export const agentQuestion = object({
  question: text,
  multiSelect: flag,
  options: listOf(object({ label: text, description: text })),
});

/** A dialog of an agent that only a person may answer. */
export const waitingDialog = {
  kind: text,
  /** The command, the files, one on each line, or questions as a person reads them; undefined where it is not known. */
  subject: orMissing(text),
  /** Why it is not answered automatically, as a full sentence. */
  reason: text,
  terminalId: text,
  /** Missing without a limit. */
  timeoutSeconds: optional(number),
  questions: optional(listOf(agentQuestion)),
};

export const waiting = {
  /** Unique in its run: `q1`. Missing where only the agent's pane takes the answer. */
  id: orMissing(text),
  by: text,
  /** The question's text, or in words what the dialog asks for and why it was not decided. */
  text,
  askedAt: text,
  isPermission: optional(flag),
  /** Whether only a person may answer it, and no model. @default {false} */
  reserved: optional(flag),
  /** Whether a person is shown all that a yes permits: one to what is masked or cut is refused. @default {"whole"} */
  shown: optional(oneOf(...SHOWN)),
  /** Whether its task rests, and others are done meanwhile. @default {false} */
  parked: optional(flag),
  /** Tells this dialog, or this request for a permission, from any other; missing for a question of a step. */
  fingerprint: optional(text),
  /** What a dialog asks for; missing for a question. */
  dialog: optional(object(waitingDialog)),
};

export type Waiting = ValuesOf<typeof waiting>;

export type WaitingDialog = ValuesOf<typeof waitingDialog>;

/** What waits for a person when an agent asks: what it asks now takes the place of all that it asked before. */
export function waitsFor(before: Waits, first: Waiting, ...others: readonly Waiting[]) {
  const judged = [first, ...others].map((waiting) => judgedBy(before.modelAnswers, waiting));
  return asWaiting([...allWaiting(before).filter(({ by, parked }) => parked === true || by !== first.by), ...judged]);
}

/** What waits for a person, when this does besides. */
export function alsoWaitsFor(before: Waits, asked: Waiting) {
  return asWaiting([...allWaiting(before), judgedBy(before.modelAnswers, asked)]);
}

/** What waits for a person, where the programs in the sandbox are gone. */
export function withoutHosts(before: Pick<Waits, "waiting" | "alsoWaiting">) {
  return asWaiting(allWaiting(before).filter(({ dialog }) => dialog?.kind !== HOST));
}

/**
 * What waits for a person when the run has ended: what it asked before it was stopped, or nobody answered in time, as
 * the next process of the run takes the answer.
 */
export function waitsAfter(before: Pick<Waits, "waiting" | "alsoWaiting">, outcome: RunEnd) {
  const isOpen = outcome === "interrupted" || outcome === "needs_human";
  return asWaiting(isOpen ? allWaiting(withoutHosts(before)).filter(({ id }) => id !== undefined) : []);
}

/** What waits for a person, when these rest with their task, or do not any longer. */
export function parkedWaiting(
  before: Pick<Waits, "waiting" | "alsoWaiting">,
  { ids, parked }: { readonly ids: readonly string[]; readonly parked: boolean },
) {
  const marked = ({ parked: _, ...waiting }: Waiting): Waiting => parked ? { ...waiting, parked } : waiting;
  return asWaiting(
    allWaiting(before).map((waiting) => ids.includes(waiting.id ?? "") ? marked(waiting) : waiting),
  );
}

/** What waits for a person when the task under way waits for nothing. */
export function onlyParked(before: Pick<Waits, "waiting" | "alsoWaiting">) {
  return asWaiting(allWaiting(before).filter(({ parked }) => parked === true));
}

/** What waits for a person when this has its answer. */
export function withoutWaiting(before: Pick<Waits, "waiting" | "alsoWaiting">, { id }: Pick<Waiting, "id">) {
  return asWaiting(allWaiting(before).filter((waiting) => waiting.id !== id));
}

export function mayAnswer(
  before: Waits,
  told: {
    readonly modelAnswers?: ModelAnswers | undefined;
    readonly answersFrom?: AnswersFrom | undefined;
    readonly onAnswer?: OnAnswer | undefined;
  },
): Waits {
  const { modelAnswers = before.modelAnswers, answersFrom = before.answersFrom, onAnswer = "keep" } = told;
  return {
    ...{ modelAnswers, answersFrom, onAnswer },
    // A process that has ended may not have said so.
    ...asWaiting(allWaiting(withoutHosts(before)).map((waiting) => judgedBy(modelAnswers, waiting))),
  };
}

/** The kinds of questions that are put to a person, by name, and to nobody in their place. */
export const CHOICE = "choice";
export const HOST = "host";

/** Marks what only a person may answer. */
function judgedBy(modelAnswers: ModelAnswers, { reserved: _, ...waiting }: Waiting): Waiting {
  const { isPermission = false, dialog } = waiting;
  const isReservedOne = isReserved(modelAnswers, {
    isPermission: isPermission || (dialog !== undefined && dialog.questions === undefined),
  });
  return isReservedOne || dialog?.kind === CHOICE || dialog?.kind === HOST ? { ...waiting, reserved: true } : waiting;
}

/** What waits for a person, when an agent does not any longer. */
export function waitsNoLonger(before: Pick<Waits, "waiting" | "alsoWaiting">, by: string) {
  return asWaiting(allWaiting(before).filter((waiting) => waiting.by !== by));
}

export function allWaiting(
  { waiting, alsoWaiting }: Pick<Waits, "waiting" | "alsoWaiting">,
): readonly Waiting[] {
  return waiting === undefined ? [] : [waiting, ...alsoWaiting];
}

function asWaiting([waiting, ...alsoWaiting]: readonly Waiting[]): Pick<Waits, "waiting" | "alsoWaiting"> {
  return { waiting, alsoWaiting };
}
