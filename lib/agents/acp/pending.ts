import type { QuestionReply } from "../../base/question.ts";
import { present } from "../../base/schema.ts";
import type { Request } from "../../policy/request.ts";
import type { AgentAnswer } from "../agent.ts";
import type { Replied } from "./elicitation.ts";
import type { AcpPermissionOutcome, AcpPermissionRequest } from "./protocol/protocol.ts";

export interface PendingRequest {
  readonly request: Request;
  readonly signal: AbortSignal;
  problemWith(replies: readonly QuestionReply[]): string | undefined;
  /** Returns whether the answer was given: false where the agent does not wait for it any more. */
  answer(answer: AgentAnswer): Promise<boolean>;
}

export interface AnswerWays<Reply> {
  readonly allow?: Reply;
  readonly reject?: Reply;
  /** A no that tells why. */
  readonly rejectWith?: (reason: string) => Reply;
  readonly replyWith?: (replies: readonly QuestionReply[]) => Replied<Reply>;
  /** What is said when nobody waits any more. */
  readonly gone: Reply;
}

export class PendingRequests {
  readonly #waiting = new Map<string, PendingRequest>();

  constructor(readonly onAnswered: (id: string, answer: "allow" | "reject" | "reply" | "gone") => void) {}

  async answer(id: string, answer: AgentAnswer): Promise<boolean> {
    return await this.#waiting.get(id)?.answer(answer) ?? false;
  }

  list(): readonly PendingRequest[] {
    return [...this.#waiting.values()];
  }

  async wait<Reply>(
    request: Request,
    ways: AnswerWays<Reply>,
    { signal, onWaiting }: { readonly signal: AbortSignal; readonly onWaiting: (request: Request) => void },
  ): Promise<Reply> {
    const over = new AbortController();
    const said = Promise.withResolvers<Reply>();
    const end = (reply: Reply, word: "allow" | "reject" | "reply" | "gone"): boolean => {
      if (over.signal.aborted) return false;
      over.abort();
      this.#waiting.delete(request.id);
      said.resolve(reply);
      this.onAnswered(request.id, word);
      return true;
    };
    const { replyWith = () => ({ problem: "the agent takes no replies to it" }) } = ways;
    const offers = { allow: ways.allow !== undefined, reject: ways.reject !== undefined };
    const asked = { ...request, offers };
    this.#waiting.set(request.id, {
      request: asked,
      signal: over.signal,
      problemWith(replies) {
        const replied = replyWith(replies);
        return "problem" in replied ? replied.problem : undefined;
      },
      // deno-lint-ignore require-await
      async answer(given) {
        if (given.type === "leave") return end(ways.gone, "gone");
        if (given.type === "reply") {
          const replied = replyWith(given.replies);
          if ("problem" in replied) throw new TypeError(`The agent cannot take replies: ${replied.problem}`);
          return end(replied.reply, "reply");
        }
        const { type, reason } = { reason: undefined, ...given };
        const reply = (reason === undefined ? undefined : ways.rejectWith?.(reason)) ?? ways[type];
        if (reply === undefined) throw new TypeError(`The agent offers no plain ${type === "allow" ? "yes" : "no"}`);
        return end(reply, type);
      },
    });
    onWaiting(asked);
    const onGone = () => void end(ways.gone, "gone");
    if (signal.aborted) onGone();
    else signal.addEventListener("abort", onGone, { once: true, signal: over.signal });
    return await said.promise;
  }
}

/**
 * The plain yes and no of a request for a permission: the only option of the kind `allow_once`, or `reject_once`, by
 * that alone. Ids, names and places differ from agent to agent; an id that stands for two options says nothing.
 */
export function permissionWays(options: AcpPermissionRequest["options"]): AnswerWays<AcpPermissionOutcome> {
  const optionOf = (kind: string): AcpPermissionOutcome | undefined => {
    const [only, ...others] = options.filter((option) => option.kind === kind);
    if (only === undefined || others.length > 0) return undefined;
    const { optionId } = only;
    return options.filter((option) => option.optionId === optionId).length === 1
      ? { outcome: "selected", optionId }
      : undefined;
  };
  return {
    ...present({ allow: optionOf("allow_once"), reject: optionOf("reject_once") }),
    gone: { outcome: "cancelled" },
  };
}
