import { isReserved, type ModelAnswers } from "../base/terms.ts";
import type { AgentQuestion } from "../base/question.ts";

/** What waits for a person. */
export interface Waits {
  /** The first; undefined where nothing does. */
  readonly waiting: Waiting | undefined;
  /** What waits besides: an agent may be at work on a message from outside while another has its turn. */
  readonly alsoWaiting: readonly Waiting[];
  /** What a model may answer in place of a person. */
  readonly modelAnswers: ModelAnswers;
}

/** A question, or a dialog, that nobody has answered yet. */
export interface Waiting {
  /** Unique in its run: `q1`. Missing where only the agent's pane takes the answer. */
  readonly id: string | undefined;
  /** The role, or the step, that asks. */
  readonly by: string;
  /** The question's text, or in words what the dialog asks for and why it was not decided. */
  readonly text: string;
  readonly askedAt: string;
  /** Whether it takes a yes or a no: a call of a step's agent needs a permission. @default {false} */
  readonly isPermission?: boolean;
  /** Whether only a person may answer it, and no model. @default {false} */
  readonly reserved?: boolean;
  /** Tells this dialog, or this request for a permission, from any other; missing for a question of a step. */
  readonly fingerprint?: string;
  /** What a dialog asks for; missing for a question. */
  readonly dialog?: WaitingDialog;
}

/** A dialog of an agent that only a person may answer. */
export interface WaitingDialog {
  readonly kind: string;
  /** The command, the files, one on each line, or questions as a person reads them; undefined where it is not known. */
  readonly subject: string | undefined;
  /** Why it is not answered automatically, as a full sentence. */
  readonly reason: string;
  readonly terminalId: string;
  readonly timeoutSeconds: number;
  /** What it asks, where an answer is more than a yes or a no. */
  readonly questions?: readonly AgentQuestion[];
}

/** What waits for a person, after an agent has begun to; it waits for one thing at a time. */
export function waitsFor(before: Waits, waiting: Waiting) {
  const judged = judgedBy(before.modelAnswers, waiting);
  return asWaiting([...allWaiting(before).filter(({ by }) => by !== waiting.by), judged]);
}

/** What a process says that a model may answer; what waits already is judged by it. */
export function modelsMay(before: Waits, modelAnswers = before.modelAnswers): Waits {
  return { modelAnswers, ...asWaiting(allWaiting(before).map((waiting) => judgedBy(modelAnswers, waiting))) };
}

/** Marks what only a person may answer. */
function judgedBy(modelAnswers: ModelAnswers, { reserved: _, ...waiting }: Waiting): Waiting {
  const { isPermission = false, dialog } = waiting;
  const isReservedOne = isReserved(modelAnswers, {
    isPermission: isPermission || (dialog !== undefined && dialog.questions === undefined),
  });
  return isReservedOne ? { ...waiting, reserved: true } : waiting;
}

/** What waits for a person, when an agent does not any longer. */
export function waitsNoLonger(before: Pick<Waits, "waiting" | "alsoWaiting">, by: string) {
  return asWaiting(allWaiting(before).filter((waiting) => waiting.by !== by));
}

/** All that waits for a person, the first one first. */
export function allWaiting(
  { waiting, alsoWaiting }: Pick<Waits, "waiting" | "alsoWaiting">,
): readonly Waiting[] {
  return waiting === undefined ? [] : [waiting, ...alsoWaiting];
}

function asWaiting([waiting, ...alsoWaiting]: readonly Waiting[]): Pick<Waits, "waiting" | "alsoWaiting"> {
  return { waiting, alsoWaiting };
}
