import type { AuditDecision } from "./audit.ts";
import type { Offers } from "./decision.ts";
import type { Said } from "./person_answer.ts";
import type { AnswerOutcome } from "../../agents/pane/answer_dialog.ts";
import type { QuestionReply } from "../../base/question.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import type { Request } from "../../policy/request.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import { present } from "../../base/schema.ts";

export interface Asked extends AskedMatter {
  readonly offers: Offers;
  readonly doubt?: string | undefined;
  readonly tail: readonly string[];
  /** Whether the agent is told why with a no, and works on. @default {false} it is told in a message, if it rests then */
  readonly tellsWhy?: boolean;
  /** Whether more may become known of it in a moment. */
  mayChange?(verdict: PermissionVerdict, isAsked: boolean): boolean;
  /** Whether a person's answer can be given; if not, they are asked anew, and told why. */
  takes?(said: Said): boolean;
  /** Looked at right before the answer. @returns false where it is about something else by now */
  isMeant?(): Promise<boolean>;
  keysOf?(answer: PlainAnswer): readonly string[];
  carryOut(answer: GivenAnswer, entry: AuditDecision): Promise<Given>;
  keepScreen?(): Promise<string | undefined>;
}

export interface AskedMatter {
  /** Missing where only a screen tells of it. */
  readonly request: Request | undefined;
  readonly shown: Request | DialogInfo;
  readonly identity: string;
  /** Whether an answer can be given for a person; otherwise they give it themselves, in the pane. */
  readonly isAnswerable: boolean;
  /** Whether its agent shows it, where that has a pane. @default {true} */
  readonly isShown?: boolean;
  readonly note?: string | undefined;
  readonly before: readonly string[];
  readonly excerpt: string;
}

export type PlainAnswer = "accept" | "decline";

export type GivenAnswer =
  | { readonly answer: PlainAnswer; readonly reason: string }
  | { readonly answer: "reply"; readonly replies: readonly QuestionReply[] };

export interface Given {
  /** `stopped`: it is asked about once more. */
  readonly outcome: AnswerOutcome["result"] | "stopped";
  readonly result: string;
  readonly after: readonly string[];
  readonly replies?: string;
}

export function auditEntry(
  whose: Pick<AuditDecision, "role" | "terminal" | "provider">,
  { request, shown: { kind, subject }, before }: Pick<AskedMatter, "request" | "shown" | "before">,
  { decision, rule, reason, keys = [] }: PermissionVerdict & { readonly keys?: readonly string[] },
): AuditDecision {
  const exact = request === undefined ? {} : { source: request.source, ...present({ cwd: request.cwd }) };
  return { ...whose, kind, command: subject, ...exact, before, decision, rule, reason, keys };
}
