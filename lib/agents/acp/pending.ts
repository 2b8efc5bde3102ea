import type { AcpPermissionOutcome, AcpPermissionRequest } from "./protocol/protocol.ts";
import type { QuestionReply } from "../../base/question.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";

export type PendingAnswer = "allow" | "reject" | { readonly replies: readonly QuestionReply[] };

export interface PendingRequest {
  readonly request: Request;
  readonly signal: AbortSignal;
  problemWith(replies: readonly QuestionReply[]): string | undefined;
  answer(answer: PendingAnswer): Promise<boolean>;
}

export interface AnswerWays<Reply> {
  readonly allow?: Reply;
  readonly reject?: Reply;
  readonly questions?: {
    problemWith(replies: readonly QuestionReply[]): string | undefined;
    replyWith(replies: readonly QuestionReply[]): Reply;
  };
  /** What is said when nobody waits any more. */
  readonly gone: Reply;
}

type AnswerWord = "allow" | "reject" | "reply" | "gone";

export class PendingRequests {
  readonly #waiting = new Map<string, PendingRequest>();

  constructor(readonly onAnswered: (id: string, answer: AnswerWord) => void) {}

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
    const end = (reply: Reply, word: AnswerWord): boolean => {
      if (over.signal.aborted) return false;
      over.abort();
      this.#waiting.delete(request.id);
      said.resolve(reply);
      this.onAnswered(request.id, word);
      return true;
    };
    const offers = { allow: ways.allow !== undefined, reject: ways.reject !== undefined };
    const asked = { ...request, offers };
    this.#waiting.set(request.id, {
      request: asked,
      signal: over.signal,
      problemWith: (replies) =>
        ways.questions === undefined ? "the agent takes no replies to it" : ways.questions.problemWith(replies),
      answer(answer) {
        const { reply, word } = replyOf(answer, ways);
        return Promise.resolve(end(reply, word));
      },
    });
    onWaiting(asked);
    const onGone = () => void end(ways.gone, "gone");
    if (signal.aborted) onGone();
    else signal.addEventListener("abort", onGone, { once: true, signal: over.signal });
    return await said.promise;
  }
}

function replyOf<Reply>(
  answer: PendingAnswer,
  { allow, reject, questions }: AnswerWays<Reply>,
): { readonly reply: Reply; readonly word: AnswerWord } {
  if (answer === "allow" || answer === "reject") {
    const reply = answer === "allow" ? allow : reject;
    if (reply === undefined) throw new TypeError(`The agent offers no plain ${answer === "allow" ? "yes" : "no"}`);
    return { reply, word: answer };
  }
  const problem = questions === undefined ? "it has no questions" : questions.problemWith(answer.replies);
  if (questions === undefined || problem !== undefined) {
    throw new TypeError(`The agent cannot take replies: ${problem}`);
  }
  return { reply: questions.replyWith(answer.replies), word: "reply" };
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
  const [allow, reject] = [optionOf("allow_once"), optionOf("reject_once")];
  return {
    ...present({ allow, reject }),
    gone: { outcome: "cancelled" },
  };
}
