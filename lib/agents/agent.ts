import type { AgentFact } from "../base/activity.ts";
export type { AgentFact } from "../base/activity.ts";
import type { FailureClass } from "../base/terms.ts";
import type { QuestionReply } from "../base/question.ts";
import type { Request } from "../policy/request.ts";
import type { TokenUsage, Usage } from "../base/usage.ts";

/**
 * An agent, whatever drives it: a pane, a process without a terminal, the Agent Client Protocol, a recording. In goes a
 * prompt, out comes one stream of what the agent itself tells; what that comes to is a fold of the stream.
 */
export interface Agent extends AsyncDisposable {
  /** Begins a turn. It resolves once the agent has taken the text. */
  send(text: string, options: { readonly signal: AbortSignal }): Promise<void>;
  /** What is told from now on, in order; the stream ends when the agent is gone and all of it was told. */
  events(options: { readonly signal: AbortSignal }): AsyncIterable<AgentEvent>;
  /** What it waits for. */
  pending(): readonly Request[];
  /** Returns whether the answer was given: false where the agent does not wait for it any more. */
  answer(id: string, answer: AgentAnswer): Promise<boolean>;
  /** Ends it with all of its processes; it may be called at any time. */
  stop(): Promise<void>;
}

/** What a request of an agent is answered with. */
export type AgentAnswer =
  | { readonly type: "allow" }
  /** The reason goes to the agent where its driver has a way. */
  | { readonly type: "reject"; readonly reason?: string }
  | { readonly type: "reply"; readonly replies: readonly QuestionReply[] }
  /** As if nobody had been asked: the settings of its CLI decide, where its driver has a way. */
  | { readonly type: "leave" };

/**
 * Where a command is seen. The same one appears in several of these, at most once in each: the model's call, the CLI's
 * record of what was run, its report that it begins, its hook.
 */
export type CallSource = "call" | "execution" | "stream" | "hook";

/** A shell command that a record tells of. */
export interface ToldCommand {
  /** Shell text, or an argv array. */
  readonly command: string | readonly string[];
  /** Whether it is run for sure; a program of code mode may decide otherwise. */
  readonly isCertain: boolean;
}

/** What agents tell, whatever drives them. Texts are the agent's own: not for a terminal as they are. */
export type AgentEvent = AgentFact | AgentSignal;

/** What folds need besides. Times are milliseconds since the epoch, and `NaN` where the record has none. */
type AgentSignal =
  /** Whose record this is. */
  | { readonly type: "opened"; readonly session: RecordedSession }
  | TurnBegan
  | TurnEnd
  /** A message to the agent is on record; `by` says whether a person's prompt, or anything given to the model. */
  | { readonly type: "prompted"; readonly by: "person" | "cli"; readonly text: string; readonly at: number }
  /** What its CLI tells of its sandbox before a turn, in the CLI's own words. */
  | { readonly type: "confined"; readonly context: Readonly<Record<string, unknown>>; readonly at: number }
  | {
    readonly type: "called";
    readonly source: CallSource;
    readonly id: string;
    readonly commands: readonly ToldCommand[];
    /** What it would do, exactly, where the record has that. */
    readonly request?: Request;
    /** Whether a tool of the CLI writes files by itself. */
    readonly writesFiles?: true;
  }
  | {
    readonly type: "ended";
    readonly source: CallSource;
    readonly id: string;
    /** `undefined` while it still runs. */
    readonly exitCode: number | undefined;
    readonly output: string;
    /** Whether this is what the model got for its call: nothing more comes of it. */
    readonly isResult?: true;
  }
  /** It waits for an answer to this. */
  | { readonly type: "asked"; readonly request: Request }
  /** It does not wait for this any more. */
  | { readonly type: "answered"; readonly id: string }
  /** The files that a tool of the CLI's has changed: absolute paths. */
  | { readonly type: "changed"; readonly paths: readonly string[] }
  /** The agent's message of this id begins or goes on: what is said from now on is of it. */
  | { readonly type: "message"; readonly id: string }
  /** What was answered to the questions of a call, by the question's text. */
  | { readonly type: "replied"; readonly id: string; readonly answers: Readonly<Record<string, string>> }
  /** Its conversation was made shorter: what it was told before may be lost to it. */
  | { readonly type: "compacted" }
  /** What one reply of the model cost. */
  | { readonly type: "spent"; readonly model: string; readonly tokens: TokenUsage }
  /** What all of the attempt cost, as the CLI itself sums it up. */
  | {
    readonly type: "cost";
    readonly usage: Usage;
    /** Whether what single replies cost is known better, as far as it is known. */
    readonly isRough: boolean;
  }
  /** The calls that were not permitted, as lines that tell about them. */
  | { readonly type: "denied"; readonly calls: readonly string[] }
  /** The account's limit is used up. */
  | { readonly type: "limit"; readonly resetsAt?: Date }
  /** Requests are let through, whatever was told of a limit before; or, where `isSilent`, nothing is told of one now. */
  | { readonly type: "limit_lifted"; readonly isSilent?: true };

/** What a record says of its session. */
export interface RecordedSession {
  readonly id: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether a person's own session, or a helper of one (a subagent, a review). */
  readonly isMain: boolean;
}

/** A turn has begun. */
interface TurnBegan {
  readonly type: "turn_began";
  /** The CLI's own id of the turn; missing where it has none. */
  readonly turnId?: string;
  readonly at: number;
}

/** The end of a turn, by the agent's own word. */
export interface TurnEnd {
  readonly type: "turn_end";
  readonly outcome: "completed" | "failed" | "interrupted";
  readonly turnId?: string;
  /** The record that it ended with: `task_complete`; after an `error` the end itself may still come. */
  readonly record?: string;
  readonly at?: number;
  readonly finalText?: string;
  readonly error?: string;
  /** The CLI's own name of the error, as its table of failures has it. */
  readonly code?: string;
  /** Of what kind the failure is, where that was read already; a table of failures says it otherwise. */
  readonly failure?: FailureClass;
  /** When the account's limit ends that has ended the turn. */
  readonly resetsAt?: Date;
}
