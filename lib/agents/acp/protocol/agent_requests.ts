import { client, CLIENT_METHODS, type JsonRpcId, RequestError } from "@agentclientprotocol/sdk";
import { abortable } from "../../../base/ports/abortable.ts";
import type { AcpHandlers } from "./contract.ts";
import type { AcpElicitationReply, AcpPermissionOutcome } from "./protocol.ts";
import { readElicitation, readPermission } from "./shapes.ts";
import type { TroubleCounter } from "./troubles.ts";
import { present } from "../../../base/schema.ts";

const PERMISSION = CLIENT_METHODS.session_request_permission;
const ELICITATION = CLIENT_METHODS.elicitation_create;

/** What {@linkcode AgentRequests} are answered with. */
interface AgentRequestsOptions {
  readonly handlers: Pick<AcpHandlers, "permission" | "elicitation">;
  readonly troubles: TroubleCounter;
  /** Told that a request is dealt with from now on. */
  readonly onTaken: (id: JsonRpcId | undefined) => void;
  /** What a handler has thrown while somebody waited for it. */
  readonly onFailed: (error: unknown) => void;
  /** Aborted at the connection's end: then nobody waits for an answer any more. */
  readonly over: AbortSignal;
}

/** A request that an agent waits for the answer to. */
interface WaitingRequest {
  readonly sessionId: string | undefined;
  readonly cancel: AbortController;
}

/** What an agent asks of us: checked, handed over, and answered in any case. */
export class AgentRequests {
  readonly #options: AgentRequestsOptions;
  readonly #waiting = new Set<WaitingRequest>();

  constructor(options: AgentRequestsOptions) {
    this.#options = options;
  }

  /** The methods that the agent may call. */
  get methods(): readonly string[] {
    return [PERMISSION, ...(this.#options.handlers.elicitation ? [ELICITATION] : [])];
  }

  /** The library's client that has them answered. */
  app(): ReturnType<typeof client> {
    const { permission, elicitation } = this.#options.handlers;
    const app = client({ name: "panewright" }).onRequest(PERMISSION, this.#checked(readPermission), async (context) => {
      const cancelled: AcpPermissionOutcome = { outcome: "cancelled" };
      const { answers, ...outcome } = await this.#answer(context, { handle: permission, cancelled });
      return { outcome, ...present({ answers }) };
    });
    if (elicitation === undefined) return app;
    const cancelled: AcpElicitationReply = { action: "cancel" };
    return app.onRequest(
      ELICITATION,
      this.#checked(readElicitation),
      (context) => this.#answer(context, { handle: elicitation, cancelled }),
    );
  }

  /** Nobody waits any more for what a session has asked. */
  cancel(sessionId: string): void {
    // A question need not name a session: then it may be of this one.
    for (const request of this.#waiting) if ((request.sessionId ?? sessionId) === sessionId) request.cancel.abort();
  }

  #checked<Params>(read: (params: unknown) => Params | undefined): (params: unknown) => Params {
    return (params) => {
      const request = read(params);
      if (request !== undefined) return request;
      this.#options.troubles.add("malformed_request", JSON.stringify(params) ?? "nothing");
      throw RequestError.invalidParams();
    };
  }

  /** Has a request of the agent answered, unless nobody waits for it any more. */
  async #answer<Request extends { readonly sessionId: string | undefined }, Reply>(
    { params, signal, requestId }: { params: Request; signal: AbortSignal; requestId?: JsonRpcId | undefined },
    { handle, cancelled }: {
      readonly handle: (request: Request, signal: AbortSignal) => Promise<Reply>;
      readonly cancelled: Reply;
    },
  ): Promise<Reply> {
    const { onFailed, onTaken, over } = this.#options;
    onTaken(requestId);
    const waiting = { sessionId: params.sessionId, cancel: new AbortController() };
    this.#waiting.add(waiting);
    const gone = AbortSignal.any([signal, waiting.cancel.signal, over]);
    try {
      return await abortable(() => handle(params, gone), gone);
    } catch (error) {
      if (!gone.aborted) onFailed(error);
      return cancelled;
    } finally {
      this.#waiting.delete(waiting);
    }
  }
}
