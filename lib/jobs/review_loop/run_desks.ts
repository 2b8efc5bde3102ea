import { present } from "../../base/schema.ts";
import type { Role } from "../../base/roles.ts";
import { findOpenTurn, nextQuestionId } from "../../journal/loop/state.ts";
import { strayAnswerMessage } from "../../run/stray_mail.ts";
import type { DialogDeskContext } from "../../turn/desk/desk_context.ts";
import type { HookChannel } from "../../turn/desk/hook_channel.ts";
import type { keepDialogScreens } from "./kept_screens.ts";
import type { RunParts } from "./run_parts.ts";

/** What the desks of a run's turns have in common. */
export function deskContextOf(
  parts: RunParts,
  { hooks, screens, attachCommandOf }: {
    readonly hooks: HookChannel | undefined;
    readonly screens: ReturnType<typeof keepDialogScreens>;
    readonly attachCommandOf: (role: Role) => string | undefined;
  },
): DialogDeskContext {
  const { plan, folder, mail, audit, state, record, redactor, clock, signal } = parts;
  return {
    plan,
    answers: mail,
    strayAnswer: (question) => strayAnswerMessage(folder, question),
    audit,
    redact: redactor.text,
    ...present({ hooks }),
    emit(fact, { isShown = true } = {}) {
      if (fact.type !== "dialog_waiting") return record(fact);
      record({ ...fact, runId: folder.id, ...isShown ? present({ attachCommand: attachCommandOf(fact.role) }) : {} });
      screens.keep(fact);
    },
    keepScreen: (turnId, shown) => screens.keepAnswered(turnId, shown),
    warn: (role, message) => record({ type: "warning", role, message }),
    onStuck(role, message, question) {
      const title = `panewright: ${role} is stuck`;
      if (question === undefined) return parts.notify({ kind: "needed", title, text: message, priority: 5 });
      const words = question.permits === undefined ? "YOUR ANSWER" : "yes, or no and why";
      const text = `${message}\n\n${parts.commandLine("answer", "--question", question.id)} "${words}"`;
      return parts.notify({ kind: "needed", title, text, priority: 5, question });
    },
    nextQuestionId: () => nextQuestionId(state()),
    openQuestions: (turnId) => findOpenTurn(state(), turnId)?.openQuestions ?? [],
    person: parts.person,
    isPatient: parts.isPatient,
    clock,
    signal,
  };
}
