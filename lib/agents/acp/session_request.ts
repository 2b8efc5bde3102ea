import type { Clock } from "../../base/ports/clock.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { ConfigOption } from "./update.ts";

/** What a session is opened with. */
export interface SessionRequest {
  readonly provider: AcpAgentProvider;
  readonly workdir: string;
  readonly model: string | undefined;
  /** The id of the session that is to be continued. */
  readonly resume: string | undefined;
  /** The method of `authenticate` that comes first. */
  readonly authMethod: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What updates tell while a session is opened. */
export interface OpeningNews {
  /** From here on updates of this session are of its past, until it is open. */
  expect(sessionId: string): void;
  /** How many updates have come that are of that session, and say or do something. */
  readonly replayed: number;
  /** What was told of the mode and the options until now does not count any more. */
  forgetSettings(): void;
  /** These are the options now. */
  tell(options: readonly ConfigOption[]): void;
  /** The mode, and the options, that were told last. */
  readonly mode: string | undefined;
  readonly options: readonly ConfigOption[] | undefined;
}
