import { ANSWER_WAYS } from "../../base/terms.ts";
import { ROLES } from "../../base/roles.ts";
import { type FactOf, flag, listOf, number, object, oneOf, optional, orMissing, text } from "../../base/schema.ts";

const role = oneOf(...ROLES);

/** Where an audit log ends. */
export const auditEnd = object({ records: number, hash: text });

/** Where the audit log ends once the decision is in it; missing in journals of earlier versions. */
const audit = optional(auditEnd);

const agentQuestion = object({
  question: text,
  multiSelect: flag,
  options: listOf(object({ label: text, description: text })),
});

/** What a desk tells about the dialogs of a turn: each record type with its fields. */
export const DIALOG_FACTS = {
  /** An agent is at a dialog that only a person may answer; told once for each dialog. */
  dialog_waiting: {
    turnId: text,
    role,
    terminalId: text,
    kind: text,
    /** The command, the files: what the dialog is about, as far as its screen tells. */
    subject: orMissing(text),
    /** Tells this dialog from another. */
    fingerprint: text,
    /** Why it is not answered automatically, as a full sentence. */
    reason: text,
    /** The id under which `panewright answer` takes an answer; missing where only the pane does. */
    question: optional(text),
    /** What is asked, where the answer is more than a yes or a no. */
    questions: optional(listOf(agentQuestion)),
    timeoutSeconds: number,
    audit,
  },
  /** A dialog that waited for a person is closed, or is not waited for any longer. */
  dialog_closed: {
    turnId: text,
    role,
    question: optional(text),
    /** How long it waited. */
    seconds: number,
  },
  /** A dialog was given an answer. */
  dialog_answered: {
    turnId: text,
    role,
    terminalId: text,
    kind: text,
    subject: orMissing(text),
    answer: oneOf("accept", "decline", "reply"),
    /** What was said to questions, a line each: by the CLI's own record where it tells. */
    replies: optional(text),
    /** Which rule decided, `person`, or `model` for one that answered in place of a person. */
    rule: text,
    /** How a person's or a model's answer came, and to which question; missing in older journals. */
    by: optional(oneOf(...ANSWER_WAYS)),
    who: optional(text),
    question: optional(text),
    result: oneOf("closed", "gone", "replaced"),
    /**
     * What the agent showed, below the run's folder: `….ansi`. Of dialogs that the policy answered with a key, the first
     * ones of a turn.
     */
    screen: optional(text),
    audit,
  },
} as const;

/** What a desk tells about the dialogs of a turn. */
export type DialogFact = FactOf<typeof DIALOG_FACTS>;
