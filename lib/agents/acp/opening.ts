import type { Clock } from "../../base/ports/clock.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { AcpQuestion } from "./protocol/contract.ts";
import type { AcpInitialized } from "./protocol/protocol.ts";
import type { AcpNotification, ConfigOption } from "./protocol/update.ts";

const MAX_PAST_CALLS = 1000;

export interface SessionRequest {
  readonly provider: AcpAgentProvider;
  readonly initialized: AcpInitialized;
  /** Asks the agent for as long as the session may take to open. */
  readonly ask: <Result>(question: AcpQuestion<Result>) => Promise<Result>;
  readonly workdir: string;
  readonly model: string | undefined;
  readonly resume: string | undefined;
  readonly authMethod: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface OpenedSession {
  readonly sessionId: string;
  readonly resumed: boolean;
  readonly notResumedBecause?: string;
  readonly mode: string | undefined;
  readonly model: string | undefined;
}

/** What an agent tells before its session is open. */
export class Opening {
  replayed = 0;
  mode: string | undefined;
  options: readonly ConfigOption[] | undefined;
  #expected: string | undefined;
  readonly pastCalls = new Set<string>();
  readonly troubles: string[] = [];

  expect(sessionId: string): void {
    this.#expected = sessionId;
    this.replayed = 0;
  }

  /** What was told of the mode and the options until now does not count any more. */
  forgetSettings(): void {
    this.mode = undefined;
    this.options = undefined;
  }

  tell(options: readonly ConfigOption[]): void {
    this.options = options;
    this.mode = options.find(({ category }) => category === "mode")?.value ?? this.mode;
  }

  take({ sessionId, update }: AcpNotification): void {
    if (update.type === "mode") this.mode = update.mode;
    if (update.type === "config") this.tell(update.options);
    if (update.type === "call" && this.pastCalls.size < MAX_PAST_CALLS) this.pastCalls.add(update.call.id);
    const isPast = ["call", "message", "thought", "user"].includes(update.type);
    if (isPast && sessionId === this.#expected) this.replayed++;
  }
}
