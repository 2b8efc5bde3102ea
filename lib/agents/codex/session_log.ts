import { resolve } from "@std/path/posix";
import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { Request } from "../../policy/request.ts";
import { matterOf } from "../hook_payload.ts";
import type { FailureWords } from "../failure.ts";
import { readCodexLimit } from "./usage_limit.ts";
import type { ReportedState } from "../pane/status_source.ts";
import { present } from "../../base/schema.ts";

/** What the first record of a session log says of the session. */
export interface CodexSession {
  readonly id: string;
  readonly cwd: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether a person's own session, or a helper of one (a subagent, a review). */
  readonly isMain: boolean;
}

/** The record that last said something of a turn. */
interface CodexTurnRecord {
  readonly id: string;
  /** Its type, such as `task_started`. */
  readonly record: string;
  /** When it was written, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly writtenAt: number;
}

/** What a session log comes to, as far as it was read. */
export interface CodexLogState {
  readonly session?: CodexSession;
  /** Unknown before the first turn that the log tells of. */
  readonly turn?: ReportedState & CodexTurnRecord;
  /** What the agent said last, where its last turn ended with an answer. */
  readonly lastAnswer?: string;
  /** Why its last turn failed, where it did. */
  readonly failure?: FailureWords;
  /** When the limits that are used up are reset, in milliseconds since the epoch; missing while none is. */
  readonly limitResetsAt?: number;
  /** The calls of this turn that have no result yet: they run, or wait for their permission. */
  readonly calls?: readonly Request[];
}

/** The state before the first line. */
export const EMPTY_CODEX_LOG: CodexLogState = {};

/** Most lines are not records that count, and need no parsing; a quoted one is told apart after parsing. */
const MAY_COUNT = /"(?:session_meta|event_msg|(?:function|custom_tool)_call(?:_output)?)"/;

/**
 * Adds one line of a session log (`rollout-*.jsonl`) to what is known of it. A line that is no JSON, or of another
 * kind, changes nothing. Pure.
 *
 * Turns begin with `task_started` and end with `task_complete` or `turn_aborted` (0.145.0 to 0.169.0). 0.53.0 writes
 * only the last of them, and tells nothing of a turn that begins with another prompt (`user_message`).
 */
export function foldCodexLine(state: CodexLogState, line: string): CodexLogState {
  if (!MAY_COUNT.test(line)) return state;
  const { type, payload, timestamp } = parseRecord(line);
  if (type === "session_meta") {
    const session = state.session ?? toSession(payload);
    return session === undefined ? state : { ...state, session };
  }
  if (type === "response_item") return foldCall(state, payload);
  return type === "event_msg" ? foldEvent(state, { payload, writtenAt: Date.parse(timestamp) }) : state;
}

function foldCall(state: CodexLogState, payload: Readonly<Record<string, unknown>>): CodexLogState {
  const id = textOf(payload["call_id"]) ?? "";
  const others = (state.calls ?? []).filter((call) => call.id !== id);
  switch (payload["type"]) {
    case "function_call":
    case "custom_tool_call":
      return { ...state, calls: [...others, toRequest(id, { payload, session: state.session })] };
    case "function_call_output":
    case "custom_tool_call_output":
      return { ...state, calls: others };
    default:
      return state;
  }
}

/** A call as a request. The script of code mode, and a shell that the model names, leave open what would run. */
function toRequest(
  id: string,
  { payload, session }: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly session: CodexSession | undefined;
  },
): Request {
  const tool = textOf(payload["name"]) ?? "";
  const about = { id, source: "session_log", tool } as const;
  const input = textOf(payload["input"]);
  if (payload["type"] === "custom_tool_call") {
    const cwd = session === undefined ? {} : { cwd: session.cwd };
    const matter = tool === "apply_patch"
      ? matterOf(tool, { command: input })
      : { kind: "other", subject: input ?? "" };
    return { ...about, ...cwd, ...matter };
  }
  const text = textOf(payload["arguments"]) ?? "";
  const { cmd, workdir, shell } = parseJsonObject(text) ?? {};
  if (tool !== "exec_command" || typeof cmd !== "string" || (shell !== undefined && shell !== null)) {
    return { ...about, kind: "other", subject: text };
  }
  const cwd = typeof workdir === "string" && session !== undefined ? resolve(session.cwd, workdir) : session?.cwd;
  return { ...about, kind: "command", subject: cmd, ...present({ cwd }) };
}

function foldEvent(
  state: CodexLogState,
  { payload, writtenAt }: Pick<ParsedRecord, "payload"> & Pick<CodexTurnRecord, "writtenAt">,
): CodexLogState {
  const record = String(payload["type"]);
  const id = textOf(payload["turn_id"]) ?? "";
  const about = { id, record, writtenAt };
  switch (record) {
    case "task_started": {
      const { failure: _failure, ...rest } = state;
      return { ...rest, calls: [], turn: { state: "working", ...about } };
    }
    case "error":
      // One of an earlier turn's was told with its end.
      return state.turn?.state === "at_rest" ? state : { ...state, failure: failureOf(payload) };
    case "token_count": {
      const { limitResetsAt: _before, ...rest } = state;
      const resetsAt = readCodexLimit(objectOf(payload["rate_limits"]))?.resetsAt;
      return resetsAt === undefined ? rest : { ...rest, limitResetsAt: resetsAt.getTime() };
    }
    case "task_complete": {
      if (!endsTurn(state, id)) return state;
      const failed = payload["error"] !== undefined && payload["error"] !== null;
      const lastAnswer = textOf(payload["last_agent_message"]);
      const { lastAnswer: _before, calls: _calls, failure: before, ...rest } = state;
      // An error that was recorded before the end is its reason where nothing was answered.
      const failure = failed ? failureOf(objectOf(payload["error"])) : lastAnswer === undefined ? before : undefined;
      return {
        ...rest,
        ...present({ failure }),
        turn: { state: "at_rest", outcome: failed ? "error" : "completed", ...about },
        ...present({ lastAnswer }),
      };
    }
    case "turn_aborted": {
      if (!endsTurn(state, id)) return state;
      const { lastAnswer: _before, calls: _calls, failure: _failure, ...rest } = state;
      return { ...rest, turn: { state: "at_rest", outcome: "interrupted", ...about } };
    }
    case "user_message": {
      if (state.turn?.state !== "at_rest") return state;
      const { turn: _before, ...rest } = state;
      return rest;
    }
    default:
      return state;
  }
}

/**
 * What an `error` of Codex says: `{"message":"…","codex_error_info":"unauthorized"}`, or with an object that has the
 * HTTP status, `{"response_too_many_failed_attempts":{"http_status_code":429}}` (0.169.0).
 */
export function failureOf(error: Readonly<Record<string, unknown>>): FailureWords {
  const info = error["codex_error_info"];
  const [[name, details] = []] = Object.entries(objectOf(info));
  const status = objectOf(details)["http_status_code"];
  const code = typeof info === "string" ? info : typeof status === "number" ? `${name}:${status}` : name;
  return { text: textOf(error["message"]) ?? "", ...present({ code }) };
}

/** The end of a turn that another has followed already ends nothing. */
function endsTurn({ turn }: CodexLogState, id: string): boolean {
  return turn?.state !== "working" || turn.id === id || turn.id === "" || id === "";
}

/** What a person said, if that is what a line of a session log records. */
export function promptOf(line: string): string | undefined {
  if (!line.includes('"user"')) return undefined;
  const item = itemOf(line);
  if (item["type"] !== "message" || item["role"] !== "user") return undefined;
  const content = Array.isArray(item["content"]) ? item["content"] : [];
  return content.map((part) => textOf(objectOf(part)["text"]) ?? "").join("\n");
}

/** Whether a line of a session log records what a model has answered: words or a call. */
export function isReply(line: string): boolean {
  const item = itemOf(line);
  return item["type"] === "message" ? item["role"] === "assistant" : /^reasoning$|_call$/.test(String(item["type"]));
}

/** The item of a conversation that a line records. Up to about 0.40 it was the line itself. */
function itemOf(line: string): Readonly<Record<string, unknown>> {
  const record = parseJsonObject(line) ?? {};
  return record["type"] === "response_item" ? objectOf(record["payload"]) : record;
}

function toSession(payload: Readonly<Record<string, unknown>>): CodexSession | undefined {
  const id = textOf(payload["id"]);
  const cwd = textOf(payload["cwd"]);
  const startedAt = Date.parse(textOf(payload["timestamp"]) ?? "");
  if (id === undefined || cwd === undefined || Number.isNaN(startedAt)) return undefined;
  // `source` is "cli", "exec", …; for a helper an object that names it (`{"subagent": …}`).
  const threadSource = payload["thread_source"];
  const isMain = typeof payload["source"] !== "object" && (typeof threadSource !== "string" || threadSource === "user");
  return { id, cwd, startedAt, isMain };
}

interface ParsedRecord {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly timestamp: string;
}

function parseRecord(line: string): ParsedRecord {
  const { type, payload, timestamp } = parseJsonObject(line) ?? {};
  return { type, payload: objectOf(payload), timestamp: textOf(timestamp) ?? "" };
}
