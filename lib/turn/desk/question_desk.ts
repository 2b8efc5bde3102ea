import type { QuestionReply } from "../../base/question.ts";
import type { PaneLook } from "../../agents/pane/pane_look.ts";
import type { Request } from "../../policy/request.ts";
import type { Given } from "./asked.ts";
import type { AuditDecision } from "./audit.ts";
import type { DialogDeskContext, DialogDeskTurn } from "./desk_context.ts";

export async function giveReplies(
  { terminal, audit, signal }: Pick<DialogDeskContext, "audit" | "signal"> & Pick<DialogDeskTurn, "terminal">,
  { entry, request, replies }: {
    readonly entry: AuditDecision;
    readonly request: Request;
    readonly replies: readonly QuestionReply[];
  },
): Promise<Given & { readonly problem?: string }> {
  const { questions = [] } = request;
  const isPersons = entry.rule !== "assume";
  const outcome = await terminal.answerQuestions({ callId: request.id, questions, replies }, {
    isMeant: async () => (await terminal.pendingRequests()).some(({ id }) => id === request.id),
    perform: (step, before, effect) => {
      const [reason, keys] = step.do === "press"
        ? [`A key of ${isPersons ? "the person's" : "the"} answer.`, [step.key]]
        : [`${isPersons ? "The person's own words" : "The words"}: ${step.text}`, ["paste"]];
      return audit.perform({ ...entry, reason, keys, before: rowsOf(before) }, async () => {
        const { isPressed, after } = await effect();
        return { result: isPressed ? "done" : "not pressed: the page had changed", after: rowsOf(after) };
      });
    },
    signal,
  });
  const after = rowsOf({ screen: outcome.after });
  if (outcome.result === "gone") return { outcome: "gone", result: "gone", after };
  if (outcome.result === "stopped") {
    const { problem } = outcome;
    return { outcome: "stopped", result: `stopped: ${problem}`, problem, after };
  }
  const result = `${outcome.isAsSaid ? "closed" : "closed, with other answers"}: ${outcome.told}`;
  return { outcome: "closed", result, replies: outcome.told, after };
}

export function rowsOf({ screen: { rows } }: Pick<PaneLook, "screen">): readonly string[] {
  return rows.map(({ text }) => text);
}
