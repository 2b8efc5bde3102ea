import { type QuestionReply, questionsText, readQuestions, replyText } from "../../base/question.ts";
import { present } from "../../base/schema.ts";
import { objectOf } from "../../base/text/json.ts";
import type { Request } from "../../policy/request.ts";
import { ACP_ACTING_KINDS } from "./tool_kinds.ts";
import { readForm, type Replied } from "./elicitation.ts";
import type { AnswerWays } from "./pending.ts";
import type { AcpElicitation, AcpElicitationReply, AcpPermissionOutcome } from "./protocol/protocol.ts";
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
  const replyWith = (replies: readonly QuestionReply[]): Replied<AcpPermissionOutcome> => {
    if (replies.length !== questions.length) return { problem: `it takes ${questions.length} replies` };
    const answers = questions.map((question, at) => [String(at), replyText(question, replies[at]!)]);
    return { reply: { ...allow, answers: Object.fromEntries(answers) } };
  };
  return {
    request: { ...request, kind: "question", subject: questionsText(questions), questions },
    ways: { ...ways, replyWith },
  };
}

/** A form to fill in, as questions; one that cannot be read is put as its message alone, and only refused. */
export function formAsked(
  { message, mode = "form", requestedSchema }: AcpElicitation,
  id: string,
): AskedRequest<AcpElicitationReply> {
  const form = mode === "form" ? readForm(message, requestedSchema) : undefined;
  const subject = form === undefined ? message : questionsText(form.questions);
  const replyWith = form && ((replies: readonly QuestionReply[]): Replied<AcpElicitationReply> => {
    const replied = form.replyWith(replies);
    return "problem" in replied ? replied : { reply: { action: "accept", content: replied.reply } };
  });
  return {
    request: {
      ...{ id, source: "acp", kind: "question", subject, tool: "elicitation" } as const,
      ...present({ questions: form?.questions }),
    },
    ways: { reject: { action: "decline" }, gone: { action: "cancel" }, ...present({ replyWith }) },
  };
}
