import { adds, auditDetail, closes, opens, screenDetail } from "../items/item_changes.ts";
import { listOf, number, oneOf, optional, orMissing, present, text } from "../../base/schema.ts";
import { ANSWER_WAYS, answerWay, GIVER_KINDS, SHOWN } from "../../base/terms.ts";
import { entriesOf } from "../entry.ts";
import { counted } from "../progress.ts";
import { auditEnd, giver } from "../run_facts.ts";
import { agentQuestion, waitsFor, waitsNoLonger } from "../waiting.ts";
import { answerForm, detail, dialogRequest, giverDetail, line, paragraph } from "../words/lines.ts";
import { duration } from "../words/words.ts";
import { role } from "./fields.ts";
import { findOpenTurn, inTurn, type RunRecords } from "./state.ts";

const loopRecord = entriesOf<RunRecords>();

/** Where the audit log ends once the decision is in it; missing in journals of earlier versions. */
const audit = optional(auditEnd);

/** The dialogs of a turn that only a person may answer, and what was answered. */
export const DIALOG_RECORDS = {
  /** An agent is at a dialog that only a person may answer; told once for each dialog. */
  dialog_waiting: loopRecord({
    turnId: text,
    role,
    terminalId: text,
    kind: text,
    /** The command, the files: what the dialog is about, as far as its screen tells. */
    subject: orMissing(text),
    /** Tells this dialog from another. */
    fingerprint: text,
    /** Why it is not answered automatically, as a full sentence. */
    reason: text,
    /** The id under which `panewright answer` takes an answer; missing where only the pane does. */
    question: optional(text),
    /** What is asked, where the answer is more than a yes or a no. */
    questions: optional(listOf(agentQuestion)),
    /** Whether a person is shown all that a yes permits: one to what is masked or cut is refused. */
    shown: optional(oneOf(...SHOWN)),
    /** Missing without a limit. */
    timeoutSeconds: optional(number),
    audit,
    runId: text,
    /** Shows the pane to a person; missing where the agent has none. */
    attachCommand: optional(text),
  }, {
    state(state, { turnId, question: id, fingerprint }) {
      if (id === undefined) return state;
      const openQuestions = [...otherQuestions(state, turnId, id), { id, fingerprint }];
      return inTurn({ ...state, questions: Math.max(state.questions, Number(id.slice(1))) }, { turnId }, {
        openQuestions,
      });
    },
    progress(before, record) {
      const { question: id, role: by, kind, subject, reason, terminalId, timeoutSeconds, questions, fingerprint } =
        record;
      const { shown } = record;
      const text = `a dialog (${kind})${subject === undefined ? "" : `: ${subject}`}\n${reason}`;
      const dialog = { kind, subject, reason, terminalId, ...present({ timeoutSeconds, questions }) };
      return waitsFor(before, { id, by, text, askedAt: record.at, fingerprint, dialog, ...present({ shown }) });
    },
    words: (record) => {
      const { role, terminalId, subject, reason, question, questions, runId, attachCommand, timeoutSeconds } = record;
      const lines = [
        `${role} ${dialogRequest(record)} (${attachCommand === undefined ? "" : `terminal ${terminalId}; `}` +
        `waits for a person${timeoutSeconds === undefined ? "" : ` for at most ${duration(timeoutSeconds)}`})`,
        ...(subject === undefined ? [] : subject.split("\n").map((row) => `  | ${row}`)),
        `not decided automatically: ${reason}`,
        ...(attachCommand === undefined ? [] : [`look at it with: ${attachCommand}`]),
        ...(question === undefined ? [] : [
          `answer it ${
            attachCommand === undefined ? "" : "there, or "
          }with: panewright answer ${runId} --question ${question} ${answerForm(questions)}`,
        ]),
      ];
      return paragraph(lines.join("\n"), "caution", "always");
    },
    items(fact) {
      const { role: lane, turnId: turn, subject, reason, questions, audit } = fact;
      const kind = questions === undefined ? "dialog" : "question";
      const text = [subject, `Not decided automatically: ${reason}`].filter((part) => part !== undefined).join("\n\n");
      const details = auditDetail(audit);
      const title = dialogRequest(fact);
      return opens(`dialog:${lane}`, { kind, lane, turn, title, text, details, tone: "caution" });
    },
  }),
  /** A dialog that waited for a person is closed, or is not waited for any longer. */
  dialog_closed: loopRecord({
    turnId: text,
    role,
    question: optional(text),
    /** How long it waited. */
    seconds: number,
  }, {
    state: (state, { turnId, question }) =>
      inTurn(state, { turnId }, { openQuestions: otherQuestions(state, turnId, question) }),
    progress: (before, { role }) => waitsNoLonger(before, role),
    words: ({ role, seconds }) => line(`${role}: the dialog waited for ${duration(seconds)}`),
    items: ({ role: lane }) => closes(`dialog:${lane}`),
  }),
  /** A dialog was given an answer. */
  dialog_answered: loopRecord({
    turnId: text,
    role,
    terminalId: text,
    kind: text,
    subject: orMissing(text),
    answer: oneOf("accept", "decline", "reply"),
    /** What was said to questions, a line each: by the CLI's own record where it tells. */
    replies: optional(text),
    /** Which rule decided, `person`, or `model` or `program` for one that answered in place of a person. */
    rule: text,
    /** How a person's or a model's answer came, and to which question; missing in older journals. */
    by: optional(oneOf(...ANSWER_WAYS)),
    who: optional(text),
    giver: optional(giver),
    question: optional(text),
    result: oneOf("closed", "gone", "replaced"),
    /**
     * What the agent showed, below the run's folder: `….ansi`. Of dialogs that the policy answered with a key, the first
     * ones of a turn.
     */
    screen: optional(text),
    audit,
  }, {
    state(state, { turnId, rule, result, answer, at }) {
      const turn = findOpenTurn(state, turnId);
      if (turn === undefined || isGiven(rule) || rule === "assume" || result !== "closed") return state;
      return answer === "accept"
        ? inTurn(state, { turnId }, { acceptedDialogs: turn.acceptedDialogs + 1, lastAcceptAtMs: Date.parse(at) })
        : inTurn(state, { turnId }, { declinedDialogs: turn.declinedDialogs + 1 });
    },
    progress(before, { role: worker, kind, subject, answer, replies, rule, by = rule, ...given }) {
      const { who, giver, question: id, result, at } = given;
      if (result !== "closed") return {};
      if (!isGiven(rule) && rule !== "assume") {
        return counted(before, answer === "accept" ? "acceptedDialogs" : "declinedDialogs");
      }
      const asked = `${kind}${subject === undefined ? "" : `: ${subject}`}`;
      const said = replies ?? (answer === "accept" ? "yes" : "no");
      return { answers: [...before.answers, { id, worker, asked, answer: said, by, ...present({ who, giver }), at }] };
    },
    words: ({ role, kind, answer, replies, rule, by, who, giver, result }) => {
      const how = { accept: "accepted", decline: "declined", reply: "answered" }[answer];
      const outcome = result === "closed" ? "" : `, but it was ${result}`;
      const said = replies === undefined ? "" : `: ${replies.replaceAll("\n", "; ")}`;
      const isFromOutside = by !== undefined && by !== "terminal" && by !== "command";
      const way = isFromOutside ? `, ${answerWay({ by, ...present({ who }) })}` : "";
      const sayer = `${rule === "program" ? "a program of this user" : rule}${way}`;
      const told = rule === "assume"
        ? `${role} is to assume what it asks, to be confirmed${outcome}${said}`
        : `${role}: dialog (${kind}) ${how} by ${sayer}${outcome}${said}`;
      // What an agent was told is a part of the work, and who waited for a decision wants to know it.
      return [answer === "reply" || isGiven(rule) ? line(told) : detail(told), ...giverDetail(giver)];
    },
    items({ role: lane, turnId: turn, kind, subject, answer, replies, rule, audit, screen }, { title }) {
      const told = {
        lane,
        turn,
        title,
        text: [subject, replies].filter((part) => part !== undefined).join("\n\n"),
        tone: answer === "decline" ? "caution" : "plain",
        details: [...(screen === undefined ? [] : [screenDetail(screen)]), ...auditDetail(audit)],
      } as const;
      if (!isGiven(rule) && answer !== "reply") return adds({ kind: "dialog", ...told });
      return adds({ kind: kind === "question" || isGiven(rule) ? "answer" : "dialog", ...told });
    },
  }),
} as const;

/** Whether it was said, and the policy did not decide. */
function isGiven(rule: string): boolean {
  return GIVER_KINDS.some((kind) => kind === rule);
}

/** Where no id is told, as in journals of earlier versions, there was one question at most. */
function otherQuestions(state: RunRecords, turnId: string, id: string | undefined) {
  const open = findOpenTurn(state, turnId)?.openQuestions ?? [];
  return id === undefined ? [] : open.filter((question) => question.id !== id);
}
