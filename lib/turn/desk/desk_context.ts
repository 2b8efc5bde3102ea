import type { DialogFact } from "../../journal/loop/facts.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { AgentQuestion } from "../../base/question.ts";
import type { Provider } from "../../agents/provider.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";
import type { Role } from "../../base/roles.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { Screen } from "../../screen/screen.ts";
import type { AnswersFolder } from "./answers.ts";
import type { AuditLog } from "./audit.ts";
import type { DialogPlan } from "./decision.ts";
import type { HookChannel } from "./hook_channel.ts";

export interface DialogQuestion extends Pick<DialogInfo, "kind" | "subject"> {
  /** Unique in the run: `q1`. */
  readonly id: string;
  readonly role: Role;
  readonly reason: string;
  /** Undefined without a limit. */
  readonly secondsLeft: number | undefined;
  readonly questions?: readonly AgentQuestion[];
  /** What was wrong with the answer before, without a full stop. */
  readonly problem?: string;
}

/** A person at a terminal. Resolves to what they say, or to `undefined` when they leave the question open. */
export type AskAboutDialog = (question: DialogQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** Tells a person who is elsewhere that an agent needs them. */
export type OnStuck = (role: Role, message: string, question?: StuckQuestion) => { withdraw(): void };

export interface StuckQuestion {
  readonly id: string;
  readonly fingerprint: string;
  /** What a yes would permit, as the message has it; empty where the message does not show it, missing without a yes. */
  readonly permits?: string;
  /** The answers that need no typing, each as `panewright answer` takes it. */
  readonly choices: readonly { readonly label: string; readonly answer: string }[];
}

export interface KeptLook {
  readonly screen: Screen;
  readonly provider: string;
}

export interface DialogDeskContext {
  readonly plan: DialogPlan;
  /** Where `panewright answer` leaves what a person says; missing where it cannot. */
  readonly answers: AnswersFolder | undefined;
  /** What is told of an answer to a question that lies where it does not count. @default {() => undefined} */
  readonly strayAnswer?: (question: string) => string | undefined;
  readonly audit: AuditLog;
  /** Takes secrets out of what a person is shown. */
  readonly redact: (text: string) => string;
  /** Where the agents' hooks ask; missing where there is no channel. */
  readonly hooks?: Pick<HookChannel, "pending" | "forget" | "listen">;
  /** Tells of it; `isShown`: whether a person can answer it in the pane, too. */
  readonly emit: (fact: DialogFact, options?: { readonly isShown?: boolean }) => void;
  /** Keeps what an agent showed at a dialog that the policy answers. */
  readonly keepScreen?: (turnId: string, shown: KeptLook) => Promise<string | undefined>;
  readonly warn: (role: Role, message: string) => void;
  /** Told once for each dialog that a person has to answer. */
  readonly onStuck: OnStuck;
  readonly nextQuestionId: () => string;
  /** What was asked in a turn and has no answer, also by an earlier process of the run. */
  readonly openQuestions: (turnId: string) => readonly { readonly id: string; readonly fingerprint: string }[];
  /** Missing where nobody sits at a terminal. */
  readonly person: AskAboutDialog | undefined;
  /** Whether a person is waited for as long as it takes, where no limit is set. @default {false} */
  readonly isPatient?: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whose turn it is in which a person may be needed. */
export interface DeskTurn {
  readonly turnId: string;
  readonly role: Role;
  readonly terminal: { readonly id: string; readonly provider: Pick<Provider, "id"> };
}

export interface DialogDeskTurn extends DeskTurn {
  readonly terminal: Pick<
    AgentTerminal,
    "id" | "look" | "answerDialog" | "answerQuestions" | "pendingRequests" | "provider"
  >;
}
