import type { HookAnswer } from "../../agents/hook_payload.ts";
import type { Request } from "../../policy/request.ts";

export interface HookedRequest {
  readonly request: Request;
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal;
  /** Answers it. Without a call the CLI opens its dialog. */
  reply(answer: HookAnswer): Promise<void>;
  /** Told that its dialog has been answered already: it is pending no more. */
  dismiss(): void;
}
