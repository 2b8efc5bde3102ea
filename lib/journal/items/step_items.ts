import { titleOf } from "../exec/task_title.ts";
import type { ExecFact } from "../exec/facts.ts";
import { type NewDetail, QUESTION_KEY } from "./item_changes.ts";
import type { ItemTable } from "./item_table.ts";
import { auditDetail, changesOf } from "./review_items.ts";

/**
 * What the records of a pipeline change in a report; the words of all others are enough.
 *
 * @param step the name of the step under way: most records have only its number
 */
export function stepItems(step: string): ItemTable<ExecFact> {
  const lane = step === "" ? "run" : step;
  return {
    task_started: (_fact, { title }) => [{ do: "add", key: "task", item: { kind: "round", title } }],
    task_skipped: (_fact, { title }) => [{ do: "add", item: { kind: "note", title } }],
    step_started: ({ name }, { title }) => [{ do: "add", key: "step", item: { kind: "round", lane: name, title } }],
    attempt_started: ({ folder, ...place }, { title }) => [{
      do: "add",
      key: "attempt",
      item: {
        ...{ kind: "work", lane, turn: turnOf(place), title },
        details: [
          { kind: "prompt", title: "The prompt", from: "file", path: `${folder}/prompt.md` },
          { kind: "output", title: "What the agent said and ran", from: "file", path: `${folder}/log.txt` },
        ],
      },
    }],
    session_found: () => [],
    agent_permitted: () => [],
    call_decided: ({ decision, subject, audit, ...place }, { title }) => [{
      do: "add",
      item: {
        ...{ kind: "dialog", lane, turn: turnOf(place), title, text: subject },
        ...{ tone: decision === "allow" ? "plain" : "caution", details: auditDetail(audit) },
      },
    }],
    attempt_finished({ outcome, finalText, ...place }, { title }) {
      const isGood = outcome === "completed";
      const details: readonly NewDetail[] = finalText.trim() === ""
        ? []
        : [{ kind: "response", title: "The agent's last message", from: "record", text: finalText }];
      return [
        { do: "close", key: "attempt" },
        {
          do: "add",
          item: {
            ...{ kind: "response", lane, turn: turnOf(place), title, details },
            ...{ text: finalText, tone: isGood ? "plain" : "bad" },
          },
        },
      ];
    },
    question_asked: ({ question, stepName, text, call, ...place }) => [
      { do: "close", key: "attempt" },
      {
        do: "add",
        key: `${QUESTION_KEY}${question}`,
        item: {
          ...{ kind: call === undefined ? "question" : "dialog", lane: stepName, turn: turnOf(place) },
          ...{ title: `question ${question}: ${titleOf(text)}`, text, tone: "caution" },
        },
      },
    ],
    question_answered: ({ question, answer }, { title }) => [
      { do: "close", key: `${QUESTION_KEY}${question}` },
      { do: "add", item: { kind: "answer", lane, title, text: answer } },
    ],
    // The question and the end of the run say so.
    question_waiting: () => [],
    usage_limit_reached: (_fact, { title }) => [
      { do: "add", key: "limit", item: { kind: "limit", lane, title, tone: "caution" } },
    ],
    usage_limit_waited: () => [{ do: "close", key: "limit" }],
    files_changed: ({ files, more = 0, folder, hasPatch }, { title }) =>
      files.length === 0
        ? []
        : [{ do: "add", item: { kind: "changes", lane, title, ...changesOf({ files, more, folder, hasPatch }) } }],
    writes_checked: ({ outside, untold, enforced }, { title }) =>
      outside.length === 0 && untold === undefined
        ? []
        : [{ do: "add", item: { kind: "warning", lane, title, tone: enforced ? "bad" : "caution" } }],
    check_started: ({ description }) => [
      { do: "add", key: "check", item: { kind: "check", lane, title: `check: ${description}` } },
    ],
    check_finished: ({ passed, output }, { title }) => [{
      do: "close",
      key: "check",
      item: {
        ...{ kind: "check", lane, title, tone: passed ? "good" : "bad" },
        ...(output.trim() === ""
          ? {}
          : { text: output, details: [{ kind: "output", title: "What it wrote", from: "record", text: output }] }),
      },
    }],
    step_finished: ({ name, outcome, next }, { title }) => [
      { do: "close", key: "attempt" },
      { do: "close", key: "step" },
      {
        do: "add",
        item: {
          ...{ kind: "verdict", lane: name, title },
          tone: outcome === "pass" ? "good" : next === undefined ? "bad" : "caution",
        },
      },
    ],
    task_finished: ({ outcome }, { title }) => [
      { do: "close", key: "task" },
      { do: "add", item: { kind: "verdict", title, tone: outcome === "pass" ? "good" : "bad" } },
    ],
  };
}

function turnOf({ task, step, attempt }: {
  readonly task: number;
  readonly step: number;
  readonly attempt: number;
}): string {
  return `t${task}-s${step}-a${attempt}`;
}
