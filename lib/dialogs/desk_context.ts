import type { Clock } from "../ports/clock.ts";
import type { AgentQuestion } from "../providers/agent_question.ts";
import type { AgentTerminal } from "../providers/terminal/agent_terminal.ts";
import type { Role } from "../roles.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import type { AnswersFolder } from "./answers.ts";
import type { AuditLog } from "./audit.ts";
import type { DialogPlan } from "./decision.ts";
import type { DialogFact } from "./facts.ts";
import type { HookChannel } from "./hook_channel.ts";
import type { PermissionVerdict } from "./policy/mod.ts";
import type { ExactRequest } from "./request.ts";

/** A dialog as a person is asked about it. */
export interface DialogQuestion extends Pick<DialogInfo, "kind" | "subject"> {
  /** Unique in the run: `q1`. */
  readonly id: string;
  readonly role: Role;
  /** Why a person has to decide, as a full sentence. */
  readonly reason: string;
  readonly secondsLeft: number;
  /** What is asked, where it is answered with words and not with a yes or a no. */
  readonly questions?: readonly AgentQuestion[];
  /** What was wrong with the answer before, without a full stop. */
  readonly problem?: string;
}

/** A person at a terminal. Resolves to what they say, or to `undefined` when they leave the question open. */
export type AskAboutDialog = (question: DialogQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** What all desks of a run share. */
export interface DialogDeskContext {
  readonly plan: DialogPlan;
  /** Where `panewright answer` leaves what a person says. */
  readonly answers: AnswersFolder;
  readonly audit: AuditLog;
  /** Where the agents' hooks ask; missing where there is no channel. */
  readonly hooks?: Pick<HookChannel, "pending" | "forget" | "listen">;
  readonly emit: (fact: DialogFact) => void;
  /** Told once for each dialog that a person has to answer. */
  readonly onStuck: (role: Role, message: string) => void;
  /** The id of the run's next question. */
  readonly nextQuestionId: () => string;
  /** The question that an earlier process of the run asked and did not see answered. */
  readonly earlierQuestion: () => { readonly id: string; readonly fingerprint: string } | undefined;
  /** Missing where nobody sits at a terminal. */
  readonly person: AskAboutDialog | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whose dialogs a desk deals with. */
export interface DialogDeskTurn {
  readonly turnId: string;
  readonly role: Role;
  readonly terminal: Pick<
    AgentTerminal,
    "id" | "look" | "answerDialog" | "answerQuestions" | "pendingRequests" | "provider"
  >;
}

/** Why something is decided as it is, and about which request. */
export type DialogVerdict = Pick<PermissionVerdict, "rule" | "reason"> & {
  readonly request?: ExactRequest;
  /** Why a question can only be answered in its pane, as a full sentence. */
  readonly paneOnly?: string;
};
