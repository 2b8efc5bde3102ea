import type { AcpElicitation, AcpElicitationReply, AcpPermissionOutcome } from "./protocol/protocol.ts";
import { objectOf } from "../../base/text/json.ts";
import { ACP_ACTING_KINDS } from "./acp_provider.ts";
import { type QuestionReply, questionsText, readQuestions, replyText } from "../../base/question.ts";
import type { Request } from "../../policy/request.ts";
import { readForm } from "./elicitation.ts";
import type { AnswerWays } from "./pending.ts";
import type { CallPatch } from "./protocol/update.ts";

interface AskedRequest<Reply> {
  readonly request: Request;
  readonly ways: AnswerWays<Reply>;
}

/** A request for a permission that puts questions; `undefined` where it puts none, or they cannot be answered. */
export function questionsAsked(
  request: Request,
  { input, kind = "other" }: CallPatch,
  { allow, ...ways }: AnswerWays<AcpPermissionOutcome>,
): AskedRequest<AcpPermissionOutcome> | undefined {
  const questions = readQuestions(objectOf(input));
  if (questions === undefined || allow === undefined) return undefined;
  // Who answers a question has seen nothing else.
  if (request.kind !== "other" || ACP_ACTING_KINDS.some((acting) => acting === kind)) return undefined;
  const replyWith = (replies: readonly QuestionReply[]) => ({
    ...allow,
    answers: Object.fromEntries(questions.map((question, at) => [String(at), replyText(question, replies[at]!)])),
  });
  const problemWith = (replies: readonly QuestionReply[]) =>
    replies.length === questions.length ? undefined : `it takes ${questions.length} replies`;
  return {
    request: { ...request, kind: "question", subject: questionsText(questions), questions },
    ways: { ...ways, questions: { problemWith, replyWith } },
  };
}

/** A form to fill in, as questions; one that cannot be read is put as its message alone, and only refused. */
export function formAsked(
  { message, mode = "form", requestedSchema }: AcpElicitation,
  { id }: Pick<Request, "id">,
): AskedRequest<AcpElicitationReply> {
  const form = mode === "form" ? readForm(message, requestedSchema) : undefined;
  const subject = form === undefined ? message : questionsText(form.questions);
  return {
    request: {
      ...{ id, source: "acp", kind: "question", subject, tool: "elicitation" } as const,
      ...(form === undefined ? {} : { questions: form.questions }),
    },
    ways: {
      reject: { action: "decline" },
      gone: { action: "cancel" },
      ...(form === undefined ? {} : {
        questions: {
          problemWith: (replies) => form.problemWith(replies),
          replyWith: (replies) => ({ action: "accept", content: form.contentOf(replies) }),
        },
      }),
    },
  };
}
