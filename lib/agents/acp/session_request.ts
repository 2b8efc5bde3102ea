import type { Clock } from "../../base/ports/clock.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { ConfigOption } from "./update.ts";

export interface SessionRequest {
  readonly provider: AcpAgentProvider;
  readonly workdir: string;
  readonly model: string | undefined;
  readonly resume: string | undefined;
  readonly authMethod: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface OpeningNews {
  expect(sessionId: string): void;
  readonly replayed: number;
  /** What was told of the mode and the options until now does not count any more. */
  forgetSettings(): void;
  tell(options: readonly ConfigOption[]): void;
  readonly mode: string | undefined;
  readonly options: readonly ConfigOption[] | undefined;
}
