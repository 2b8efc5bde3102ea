import type { QuestionReply } from "../../base/question.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";
import type { QuestionsOutcome } from "../../agents/pane/answer_questions.ts";
import type { PaneLook } from "../../agents/pane/pane_look.ts";
import type { Request } from "../../policy/request.ts";
import type { Given } from "./asked.ts";
import type { AuditDecision, AuditLog } from "./audit.ts";

interface ReplyMeans {
  readonly terminal: Pick<AgentTerminal, "answerQuestions" | "pendingRequests">;
  readonly audit: AuditLog;
  readonly signal: AbortSignal;
}

export async function giveReplies(
  { terminal, audit, signal }: ReplyMeans,
  { entry, request, replies }: {
    readonly entry: AuditDecision;
    readonly request: Request;
    readonly replies: readonly QuestionReply[];
  },
): Promise<Given & { readonly problem: string | undefined }> {
  const { questions = [] } = request;
  const outcome = await terminal.answerQuestions({ callId: request.id, questions, replies }, {
    isMeant: async () => (await terminal.pendingRequests()).some(({ id }) => id === request.id),
    perform: (step, before, effect) => {
      const [reason, keys] = step.do === "press"
        ? ["A key of the person's answer.", [step.key]]
        : [`The person's own words: ${step.text}`, ["paste"]];
      return audit.perform({ ...entry, reason, keys, before: rowsOf(before) }, async () => {
        const { isPressed, after } = await effect();
        return { result: isPressed ? "done" : "not pressed: the page had changed", after: rowsOf(after) };
      });
    },
    signal,
  });
  return { ...givenOf(outcome), after: rowsOf({ screen: outcome.after }) };
}

function givenOf(outcome: QuestionsOutcome): Omit<Given, "after"> & { readonly problem: string | undefined } {
  switch (outcome.result) {
    case "closed": {
      const { told: replies, isAsSaid } = outcome;
      const result = `${isAsSaid ? "closed" : "closed, with other answers"}: ${replies}`;
      return { outcome: "closed", result, replies, problem: undefined };
    }
    case "gone":
      return { outcome: "gone", result: "gone", problem: undefined };
    case "stopped":
      return { outcome: "stopped", result: `stopped: ${outcome.problem}`, problem: outcome.problem };
  }
}

export function rowsOf({ screen: { rows } }: Pick<PaneLook, "screen">): readonly string[] {
  return rows.map(({ text }) => text);
}
