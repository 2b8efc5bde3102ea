import { dialogRequest } from "../words/dialog_text.ts";
import { plural } from "../words/words.ts";
import type { ReviewFact } from "../loop/facts.ts";
import type { ItemChange, NewDetail } from "./item_changes.ts";
import type { ItemTable } from "./item_table.ts";
import { present } from "../../base/schema.ts";

/** What the records of a review loop change in a report; the words of all others are enough. */
export const REVIEW_ITEMS: ItemTable<ReviewFact> = {
  session_opening: () => [],
  session_opened: () => [],
  session_adopted: () => [],
  panes_left: () => [],
  agent_starting: ({ role: lane }, { title }) => [{
    do: "add",
    key: `start:${lane}`,
    item: { kind: "start", lane, title },
  }],
  agent_ready: ({ role: lane }, { title }) => [{
    do: "close",
    key: `start:${lane}`,
    item: { kind: "start", lane, title },
  }],
  agent_adopted: ({ role: lane }, { title }) => [{ do: "add", item: { kind: "start", lane, title } }],
  agent_lost: ({ role: lane }, { title }) => [{ do: "add", item: { kind: "kill", lane, title, tone: "bad" } }],
  round_started: (_fact, { title }) => [{ do: "add", key: "round", item: { kind: "round", title } }],
  turn_started: (fact, _words) => [turnBegins(fact, "works")],
  turn_resumed: (fact, _words) => [turnBegins(fact, "continues its turn")],
  message_sending({ role: lane, turnId: turn, what, file, step, bytes }) {
    // It is kept before it is pasted; the same file is named again for the key that submits it.
    if (step === "enter") return [];
    const details: readonly NewDetail[] = [{ kind: "prompt", title: `The ${what}`, from: "file", path: file }];
    const title = `${what} of ${plural(bytes, "byte")}: being sent`;
    return [{ do: "add", key: `message:${lane}`, item: { kind: "prompt", lane, turn, title, details } }];
  },
  message_sent: ({ role: lane, turnId: turn, what }, { title }) => [{
    do: "close",
    key: `message:${lane}`,
    item: { kind: "prompt", lane, turn, title: what === "prompt" ? title : `${what} sent` },
  }],
  // The message itself says so.
  reminder_sent: () => [],
  message_held: ({ role: lane, turnId: turn }, { title, text }) => [
    { do: "add", key: `held:${lane}`, item: { kind: "warning", lane, turn, title, text, tone: "caution" } },
  ],
  message_released: ({ role: lane }) => [{ do: "close", key: `held:${lane}` }],
  status_changed: ({ role: lane, turnId: turn, status }, { title }) =>
    status === "error" ? [{ do: "add", item: { kind: "warning", lane, turn, title, tone: "bad" } }] : [],
  agent_failed: ({ role: lane, turnId: turn, class: failure, retryAt }, { title, text }) => [{
    do: "add",
    item: {
      kind: failure === "usage_limit" ? "limit" : retryAt === undefined ? "warning" : "retry",
      ...{ lane, turn, title, text, tone: retryAt === undefined ? "bad" : "caution" },
    },
  }],
  dialog_waiting(fact) {
    const { role: lane, turnId: turn, subject, reason, questions, audit } = fact;
    const kind = questions === undefined ? "dialog" : "question";
    const text = [subject, `Not decided automatically: ${reason}`].filter((part) => part !== undefined).join("\n\n");
    const details = auditDetail(audit);
    const title = dialogRequest(fact);
    return [{ do: "add", key: `dialog:${lane}`, item: { kind, lane, turn, title, text, details, tone: "caution" } }];
  },
  dialog_closed: ({ role: lane }) => [{ do: "close", key: `dialog:${lane}` }],
  dialog_answered({ role: lane, turnId: turn, kind, subject, answer, replies, rule, audit, screen }, { title }) {
    const told = {
      lane,
      turn,
      title,
      text: [subject, replies].filter((part) => part !== undefined).join("\n\n"),
      tone: answer === "decline" ? "caution" : "plain",
      details: [...(screen === undefined ? [] : [screenDetail(screen)]), ...auditDetail(audit)],
    } as const;
    const isGiven = rule === "person" || rule === "model";
    if (!isGiven && answer !== "reply") return [{ do: "add", item: { kind: "dialog", ...told } }];
    return [{ do: "add", item: { kind: kind === "question" || isGiven ? "answer" : "dialog", ...told } }];
  },
  screen_kept({ role: lane, turnId: turn, moment, file }) {
    const details = [screenDetail(file)];
    if (moment === "failure") {
      const what = "what it showed when its turn failed";
      return [{ do: "add", item: { kind: "warning", lane, turn, title: what, details, tone: "bad" } }];
    }
    const otherwise = { kind: "dialog", lane, turn, title: "its screen at the dialog", details } as const;
    return [{ do: "amend", key: `dialog:${lane}`, item: { details }, otherwise }];
  },
  files_changed: ({ role: lane, turnId: turn, files, more = 0, folder, hasPatch }, { title }) =>
    files.length === 0 ? [] : [{
      do: "add",
      item: { kind: "changes", lane, turn, title, ...changesOf({ files, more, folder, hasPatch }) },
    }],
  changes_unknown: ({ role: lane, turnId: turn }, { title }) => [
    { do: "add", item: { kind: "changes", lane, turn, title, tone: "caution" } },
  ],
  agent_session: () => [],
  response_received: ({ role: lane, turnId: turn, archivedAs, sha256 }, { title }) => [
    { do: "close", key: `turn:${lane}` },
    { do: "close", key: `message:${lane}` },
    {
      do: "add",
      item: {
        ...{ kind: "response", lane, turn, title, tone: "plain" },
        details: [responseDetail(archived(archivedAs), sha256)],
      },
    },
  ],
  message_received: ({ role: lane, messageId: turn }, { title }) => [
    { do: "add", key: `outside:${turn}`, item: { kind: "message", lane, turn, title } },
  ],
  message_started: ({ role: lane, messageId: turn }) => [messageBegins(lane, turn, "works on a message from outside")],
  message_resumed: ({ role: lane, messageId: turn }, { title }) => [messageBegins(lane, turn, title)],
  message_answered: ({ role: lane, messageId: turn, archivedAs, sha256 }, { title }) => [
    { do: "close", key: `turn:${lane}` },
    { do: "close", key: `message:${lane}` },
    { do: "close", key: `outside:${turn}` },
    {
      do: "add",
      item: {
        ...{ kind: archivedAs === undefined ? "note" : "response", lane, turn, title },
        ...(archivedAs === undefined ? {} : { details: [responseDetail(replyPath(archivedAs), sha256)] }),
      },
    },
  ],
  message_failed: ({ role: lane, messageId: turn, seconds }, { title }) => [
    // Without a time its turn was not begun: the one under way is another one.
    ...(seconds === undefined ? [] : [{ do: "close", key: `turn:${lane}` } as const]),
    { do: "close", key: `outside:${turn}`, item: { kind: "message", lane, turn, title, tone: "caution" } },
  ],
  review_decided: ({ role: lane, verdict }, { title }) => [{
    do: "add",
    item: { kind: "verdict", lane, title, tone: verdict === "APPROVED" ? "good" : "caution" },
  }],
  review_limit_reached: ({ role: lane, then }, { title }) => [{
    do: "add",
    item: { kind: "limit", lane, title, tone: then === "proceed" ? "caution" : "bad" },
  }],
  test_command_started: ({ command }) => [{
    do: "add",
    key: "tests",
    item: { kind: "tests", title: "project tests", text: command },
  }],
  test_command_finished: ({ passed, output, truncated }, { title }) => [{
    do: "close",
    key: "tests",
    item: {
      ...{ kind: "tests", title, tone: passed ? "good" : "bad" },
      ...(output.trim() === "" ? {} : {
        text: output,
        details: [{
          kind: "output",
          title: truncated ? "What the tests wrote, as far as it was kept" : "What the tests wrote",
          from: "record",
          text: output,
        }],
      }),
    },
  }],
  round_finished: ({ verdict }, { title }) => [
    { do: "close", key: "round" },
    { do: "add", item: { kind: "verdict", title, tone: verdict === "PASS" ? "good" : "bad" } },
  ],
  post_processed: ({ command, problem }) => [{
    do: "add",
    item: {
      ...{ kind: "note", title: `post-processing: ${command}`, tone: problem === undefined ? "plain" : "bad" },
      ...present({ text: problem }),
    },
  }],
};

function turnBegins(
  { role: lane, turnId: turn, round, cycle }: {
    readonly role: string;
    readonly turnId: string;
    readonly round: number;
    readonly cycle: number;
  },
  what: string,
): ItemChange {
  const place = cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
  return { do: "add", key: `turn:${lane}`, item: { kind: "work", lane, turn, title: `${what} (${place})` } };
}

function messageBegins(lane: string, turn: string, title: string): ItemChange {
  return { do: "add", key: `turn:${lane}`, item: { kind: "work", lane, turn, title } };
}

function responseDetail(path: string, sha256: string | undefined): NewDetail {
  const hash = sha256 === undefined ? {} : { sha256 };
  return { kind: "response", title: "The response", from: "file", path, ...hash };
}

/** What can be seen of an agent: what its pane showed, or what one without a pane said last. */
function screenDetail(path: string): NewDetail {
  return path.endsWith(".ansi")
    ? { kind: "screen", title: "Its screen", from: "file", path }
    : { kind: "output", title: "What it said last", from: "file", path };
}

/** The working directory may have been moved since: what counts is the name in the archive. */
function archived(path: string): string {
  return `responses/${path.replace(/^.*\//, "")}`;
}

/** The same of a reply to a message from outside: `replies/m-0123456789abcdef/001-programmer.md`. */
function replyPath(path: string): string {
  return path.split("/").slice(-3).join("/");
}

/** Files that were changed, a line each, and where their differences are. */
export function changesOf({ files, more, folder, hasPatch }: {
  readonly files: readonly string[];
  readonly more: number;
  readonly folder: string;
  readonly hasPatch: boolean;
}): { readonly text: string; readonly details?: readonly NewDetail[] } {
  const text = [...files, ...(more === 0 ? [] : [`and ${more} more`])].join("\n");
  const path = `${folder}/diff.patch`;
  return hasPatch ? { text, details: [{ kind: "diff", title: "What was changed", from: "file", path }] } : { text };
}

/** The record of a decision is the last one of the log as it then was. */
export function auditDetail(audit: { readonly records: number } | undefined): readonly NewDetail[] {
  return audit === undefined
    ? []
    : [{ kind: "audit", title: "The record of the audit log", from: "audit", record: audit.records }];
}
