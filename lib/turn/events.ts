import type { MessageKind } from "../base/terms.ts";
import type { AgentFailure } from "../agents/failure.ts";
import type { Role } from "../base/roles.ts";
import type { DispatchMark } from "./response_reading.ts";
import type { Retry } from "./ladder.ts";
import type { TerminalReading } from "./terminal.ts";

/**
 * What happens in a turn. The turn goes on only when an event was taken in: a message's step is told before its key is
 * pressed, a response before it is returned.
 */
export type TurnEvent =
  /** The terminal's status differs from the one before. */
  | ({ readonly type: "status" } & TerminalReading)
  /** What the agent says of a turn that failed, before the turn ends, or waits to be tried again. */
  | { readonly type: "failure"; readonly failure: AgentFailure; readonly retry?: Retry }
  /** Something else than before keeps a message from being sent. */
  | { readonly type: "held"; readonly held: Held }
  /** It waits no longer. */
  | { readonly type: "released" }
  /** How much of its time the turn has used: at least every minute, and when it fails; not while a person is awaited. */
  | { readonly type: "time_used"; readonly seconds: number }
  /** The agent's conversation was made shorter, so often in all. */
  | { readonly type: "compacted"; readonly times: number }
  /** The first has the number 1. */
  | { readonly type: "reminder"; readonly number: number }
  | { readonly type: "archived"; readonly response: ArchivedResponse }
  /** Right before each key that is pressed for a message, and when it was taken; a prompt's with its dispatch. */
  | { readonly type: "message"; readonly message: Message; readonly dispatch?: DispatchMark }
  /** `audit`: a permission is about to be given or refused. It has line breaks where the screen's tail follows. */
  | { readonly type: "notice"; readonly severity: "warning" | "audit"; readonly message: string };

/** Takes events in; the turn waits for what it returns. A notice must be taken in at once. */
export type EmitTurnEvent = (event: TurnEvent) => void | Promise<void>;

/** A message to an agent, and how far it has come: about to be pasted, about to be submitted, taken. */
export interface Message {
  /** What it is for. */
  readonly what: MessageKind;
  /** Its words. */
  readonly text: string;
  /** How far it has come. */
  readonly step: "paste" | "enter" | "sent";
}

/** A message that cannot be sent yet. */
export interface Held {
  /** What it is for. */
  readonly what: MessageKind;
  /** `at_work`: the agent works on something else; `draft`: a person's words stand in its composer. */
  readonly obstacle: "at_work" | "draft";
  /** How long it is waited for at most. */
  readonly timeoutSeconds: number;
}

/** A response that was read and moved to the archive. */
export interface ArchivedResponse {
  /** Whose response it is. */
  readonly role: Role;
  /** Where the file is now. */
  readonly path: string;
  /** The size of the file. */
  readonly bytes: number;
  /** As it is returned: without byte order mark, with LF line ends. */
  readonly text: string;
}
