import type { AuditDecision } from "./audit.ts";
import type { Offers } from "./decision.ts";
import type { Said } from "./person_answer.ts";
import type { AnswerOutcome } from "../../agents/pane/answer_dialog.ts";
import type { QuestionReply } from "../../base/question.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import type { Request } from "../../policy/request.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import { present } from "../../base/schema.ts";

/** A request that waits for its answer, and the way to it: keys on a pane, a hook's reply, a message of a protocol. */
export interface Asked extends AskedMatter {
  readonly offers: Offers;
  /** Why an automatic yes is out of the question, as a full sentence. */
  readonly doubt?: string | undefined;
  /** The last lines of what its agent showed. */
  readonly tail: readonly string[];
  /**
   * Whether more may become known of it in a moment.
   *
   * @param isAsked whether a person is asked about it already
   */
  mayChange?(verdict: PermissionVerdict, isAsked: boolean): boolean;
  /** Whether a person's answer can be given; if not, they are asked anew, and told why. */
  takes?(said: Said): boolean;
  /** Looked at right before the answer. @returns false where it is about something else by now */
  isMeant?(): Promise<boolean>;
  /** The keys of an answer. */
  keysOf?(answer: PlainAnswer): readonly string[];
  /** Gives the answer, whose record is on the disk. */
  carryOut(answer: GivenAnswer, entry: AuditDecision): Promise<Given>;
  /** Keeps what its agent showed; resolves to its name below the run's folder. */
  keepScreen?(): Promise<string | undefined>;
}

/** What is to be decided. */
export interface AskedMatter {
  /** Missing where only a screen tells of it. */
  readonly request: Request | undefined;
  /** The request, or else what the screen shows. */
  readonly shown: Request | DialogInfo;
  /** Tells it from what is asked next. */
  readonly identity: string;
  /** Whether an answer can be given for a person; otherwise they give it themselves, in the pane. */
  readonly isAnswerable: boolean;
  /** What a person should know besides the verdict's reason. */
  readonly note?: string | undefined;
  /** What can be seen of it: rows from the top, for the audit log. */
  readonly before: readonly string[];
  /** The same in a few lines, for a person. */
  readonly excerpt: string;
}

/** A plain yes or no. */
export type PlainAnswer = "accept" | "decline";

/** What is given. */
export type GivenAnswer =
  | { readonly answer: PlainAnswer; readonly reason: string }
  | { readonly answer: "reply"; readonly replies: readonly QuestionReply[] };

/** What came of an answer. */
export interface Given {
  /** `stopped`: it is asked about once more. */
  readonly outcome: AnswerOutcome["result"] | "stopped";
  /** The same for the audit log. */
  readonly result: string;
  /** The screen's rows afterwards. */
  readonly after: readonly string[];
  /** What was said to questions, a line each. */
  readonly replies?: string;
}

/** The audit log's record of a decision, on whatever way it is asked for and given. */
export function auditEntry(
  whose: Pick<AuditDecision, "role" | "terminal" | "provider">,
  { request, shown: { kind, subject }, before }: Pick<AskedMatter, "request" | "shown" | "before">,
  { decision, rule, reason, keys = [] }: PermissionVerdict & { readonly keys?: readonly string[] },
): AuditDecision {
  const exact = request === undefined ? {} : { source: request.source, ...present({ cwd: request.cwd }) };
  return { ...whose, kind, command: subject, ...exact, before, decision, rule, reason, keys };
}
