import type { AnswerSource } from "../../base/terms.ts";
import { type QuestionReply, repliesText } from "../../base/question.ts";
import type { PaneProvider } from "../../agents/provider.ts";
import type { AgentTerminal } from "../../agents/pane/agent_terminal.ts";
import type { QuestionsOutcome } from "../../agents/pane/answer_questions.ts";
import type { PaneLook } from "../../agents/pane/pane_look.ts";
import type { AuditDecision, AuditLog } from "./audit.ts";
import { rowsOf } from "./audit_matter.ts";
import type { KnownRequest } from "./decision.ts";
import { ruleOf, sayerOf } from "./person_wait.ts";
import type { Request } from "../../policy/request.ts";

/**
 * Finds the questions that an open dialog puts among the calls that the CLI has on record. Pure.
 *
 * @returns with a doubt, as a full sentence, where they can only be answered in the pane
 */
export function knownQuestions(
  look: PaneLook,
  pending: readonly Request[],
  { terminal: { questionDialogs } }: Pick<PaneProvider, "terminal">,
): KnownRequest {
  const asked = pending.filter(({ questions }) => questions !== undefined);
  const shown = asked.filter(({ questions = [] }) => questionDialogs?.read(look, questions) !== undefined);
  const [only, ...others] = shown.length === 1 ? shown : asked;
  if (only === undefined) {
    return { doubt: "It can only be answered in the pane: the record of the agent's CLI cannot be understood." };
  }
  if (others.length > 0) {
    return {
      doubt:
        "It can only be answered in the pane: the agent asks several, and the screen does not show which one this is.",
    };
  }
  if (shown.length === 1) return { request: only };
  return {
    request: only,
    doubt: "It can only be answered in the pane: the screen does not show it as the agent asked it.",
  };
}

/** With what replies are given. */
interface ReplyMeans {
  readonly terminal: Pick<AgentTerminal, "answerQuestions" | "pendingRequests">;
  readonly audit: AuditLog;
  readonly signal: AbortSignal;
}

/**
 * Gives a person's replies to the questions that are open. The audit log has the whole answer before the first key, and
 * each key before it is pressed.
 */
export async function giveReplies(
  { terminal, audit, signal }: ReplyMeans,
  { entry, request, replies, source }: {
    readonly entry: Omit<AuditDecision, "decision" | "rule" | "reason" | "keys">;
    readonly request: Request;
    readonly replies: readonly QuestionReply[];
    readonly source: AnswerSource;
  },
): Promise<QuestionsOutcome> {
  const { questions = [] } = request;
  const decision = { ...entry, decision: "allow", rule: ruleOf(source) } as const;
  const said = repliesText(questions, replies);
  const { outcome } = await audit.perform(
    {
      ...decision,
      reason: `${ruleOf(source) === "model" ? sayerOf(source) : "The person"} answered: ${said}`,
      keys: [],
    },
    async () => {
      const outcome = await terminal.answerQuestions({ callId: request.id, questions, replies }, {
        isMeant: async () => (await terminal.pendingRequests()).some(({ id }) => id === request.id),
        perform: (step, before, effect) => {
          const [reason, keys] = step.do === "press"
            ? ["A key of the person's answer.", [step.key]]
            : [`The person's own words: ${step.text}`, ["paste"]];
          return audit.perform({ ...decision, reason, keys, before: rowsOf(before.screen) }, async () => {
            const { isPressed, after } = await effect();
            return { result: isPressed ? "done" : "not pressed: the page had changed", after: rowsOf(after.screen) };
          });
        },
        signal,
      });
      return { outcome, result: describe(outcome), after: rowsOf(outcome.after) };
    },
  );
  return outcome;
}

/** What came of it, for the audit log. */
function describe(outcome: QuestionsOutcome): string {
  switch (outcome.result) {
    case "closed":
      return `${outcome.isAsSaid ? "closed" : "closed, with other answers"}: ${outcome.told}`;
    case "gone":
      return "gone";
    case "stopped":
      return `stopped: ${outcome.problem}`;
  }
}
