import { resolve } from "@std/path/posix";
import type { AgentEvent, RecordedSession } from "../agent.ts";
import { arrayOf, type JsonObject, numberOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import { present } from "../../base/schema.ts";
import { type TokenUsage, usageSince } from "../../base/usage.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";
import { matterOf } from "../hook_payload.ts";
import type { SessionReader } from "../process/cli.ts";
import { readReport, readTokens, saw } from "./report.ts";
import { readAnswers } from "./questions.ts";
import { commandText, readToolCall } from "./tool_calls.ts";

/**
 * Reads what `codex exec --json` prints and what it writes to its session log (0.53.0 to 0.169.0).
 *
 * Both tell of the same things. The log is the fuller one, so what the agent said and did is taken from it; as long as
 * no line of it was read, from the report.
 */
export function createCodexReader(
  { model, args = [] }: { readonly model?: string; readonly args?: readonly string[] },
): SessionReader {
  return new CodexReader(model ?? "unknown", { mayReadOnly: args.some((arg) => arg.includes("read-only")) });
}

class CodexReader implements SessionReader {
  #model: string;
  #session: RecordedSession | undefined;
  readonly #calls = new Map<string, OpenCall>();
  readonly #responses = new Set<string>();
  #sum: TokenUsage | undefined;

  constructor(model: string, readonly options: { readonly mayReadOnly: boolean }) {
    this.#model = model;
  }

  readReport(line: string): readonly AgentEvent[] {
    return readReport(line, { model: this.#model });
  }

  readLog(line: string): readonly AgentEvent[] {
    const record = parseJsonObject(line);
    if (record === undefined) return [];
    const payload = objectOf(record["payload"]);
    const at = Date.parse(textOf(record["timestamp"]) ?? "");
    switch (record["type"]) {
      case "session_meta": {
        const session = toSession(payload);
        this.#session ??= session;
        return session === undefined ? [] : [{ type: "opened", session }];
      }
      case "turn_context":
        this.#model = textOf(payload["model"]) ?? this.#model;
        return [{ type: "confined", context: payload, at }, ...this.#readMode(payload)];
      case "token_usage_record":
        return this.#readUsage(payload);
      case "response_item": {
        const request = requestOf(payload, this.#session);
        return this.#readItem(payload, at).map((event) =>
          event.type === "called" && request !== undefined ? { ...event, request } : event
        );
      }
      case "event_msg":
        return this.#readEvent(payload, at);
      default:
        // Up to about 0.40 items stood at the top level.
        return this.#readItem(record, at);
    }
  }

  /** What the agent may do in this turn; in a folder that Codex does not trust, only read (0.53.0 to 0.169.0). */
  #readMode(context: JsonObject): readonly AgentEvent[] {
    const sandbox = textOf(objectOf(context["sandbox_policy"])["type"]);
    const approvals = textOf(context["approval_policy"]);
    if (sandbox === undefined && approvals === undefined) return [];
    const isDenied = sandbox === "read-only" && !this.options.mayReadOnly;
    return [
      { type: "permitted", mode: `sandbox ${sandbox ?? "unknown"}, approvals ${approvals ?? "unknown"}` },
      ...(isDenied ? [{ type: "denied", calls: ["any write: its sandbox is read-only"] } as const] : []),
    ];
  }

  #readItem(item: JsonObject, at: number): readonly AgentEvent[] {
    switch (item["type"]) {
      case "message": {
        if (item["role"] === "user") return [{ type: "prompted", by: "cli", text: joinTexts(item["content"]), at }];
        const text = joinTexts(item["content"]);
        return item["role"] === "assistant" && text !== "" ? [{ type: "said", text }] : [];
      }
      case "reasoning": {
        const text = joinTexts(item["summary"]) || joinTexts(item["content"]);
        return text === "" ? [] : [{ type: "reasoned", text }];
      }
      case "function_call_output":
      case "custom_tool_call_output":
      case "local_shell_call_output":
        return this.#readOutput(item);
    }
    const call = readToolCall(item);
    if (call === undefined) return [];
    const { id, summary, commands, more = [] } = call;
    // A program of code mode may run several commands, and decide whether it does.
    const certain = commands.filter(({ isCertain }) => isCertain).map(({ command }) => commandText(command));
    const texts = certain.length === 0 ? [summary] : [...certain, ...more];
    const runs = texts.map((command, index) => ({ id: index === 0 ? id : `${id}/${index}`, command }));
    this.#calls.set(id, {
      runs,
      isProgram: item["type"] === "custom_tool_call",
      ...present({ input: textOf(item["arguments"]) }),
    });
    return [
      ...runs.map((run) => ({ type: "ran", ...run }) as const),
      {
        type: "called",
        source: "call",
        id,
        commands,
        ...(item["name"] === "apply_patch" ? { writesFiles: true } : {}),
      },
    ];
  }

  #readOutput(item: JsonObject): readonly AgentEvent[] {
    const id = textOf(item["call_id"]) ?? "";
    const output = textOf(item["output"]) ?? joinTexts(item["output"]);
    const exitCode = readExitCode(output);
    const stillRuns = /^Process running with session ID /m.test(output);
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    const answers = readAnswers(call?.input ?? "", output);
    return [
      ...(answers === undefined ? [] : [{ type: "replied", id, answers } as const]),
      // Those whose end has a record of its own are told of already.
      ...(call?.runs ?? []).map((run, index) => saw({ ...run, output: index === 0 ? output : "", exitCode })),
      { type: "ended", source: "call", id, exitCode: stillRuns ? undefined : exitCode ?? -1, output, isResult: true },
    ];
  }

  /**
   * Turns begin with `task_started` and end with `task_complete` or `turn_aborted` (0.145.0 to 0.169.0). 0.53.0 writes
   * only the last of them, and tells nothing of a turn that begins with another prompt (`user_message`).
   */
  #readEvent(payload: JsonObject, at: number): readonly AgentEvent[] {
    const record = String(payload["type"]);
    const end = { type: "turn_end", turnId: textOf(payload["turn_id"]) ?? "", record, at } as const;
    switch (record) {
      case "task_started":
        return [{ type: "turn_began", turnId: end.turnId, at }];
      case "user_message":
        return [{ type: "prompted", by: "person", text: textOf(payload["message"]) ?? "", at }];
      case "item_completed":
        return this.#readCompleted(objectOf(payload["item"]));
      case "exec_command_begin": {
        const command = arrayOf(payload["command"]).map(String);
        const id = textOf(payload["call_id"]) ?? "";
        return [{ type: "called", source: "execution", id, commands: [{ command, isCertain: true }] }];
      }
      case "token_count":
        return [...limitOf(objectOf(payload["rate_limits"])), ...this.#readSum(objectOf(payload["info"]))];
      case "task_complete": {
        const finalText = textOf(payload["last_agent_message"]);
        if ((payload["error"] ?? undefined) === undefined) {
          return [{ ...end, outcome: "completed", ...present({ finalText }) }];
        }
        const { text, code } = failureOf(objectOf(payload["error"]));
        return [{ ...end, outcome: "failed", error: text, ...present({ code }) }];
      }
      case "turn_aborted": {
        const error = `the turn was stopped (${textOf(payload["reason"]) ?? "aborted"})`;
        return [{ ...end, outcome: "interrupted", error }];
      }
      case "error": {
        const { text, code } = failureOf(payload);
        return [{ ...end, outcome: "failed", error: text === "" ? "an error" : text, ...present({ code }) }];
      }
      default:
        return [];
    }
  }

  #readCompleted(item: JsonObject): readonly AgentEvent[] {
    if (item["type"] === "ContextCompaction") return [{ type: "compacted" }];
    if (item["type"] !== "CommandExecution") return [];
    const id = textOf(item["id"]) ?? "";
    const command = arrayOf(item["command"]).map(String);
    const output = textOf(item["aggregated_output"]) ?? "";
    const exitCode = numberOf(item["exit_code"]);
    const run = this.#closeRun(id, commandText(command));
    return [
      { type: "called", source: "execution", id, commands: [{ command, isCertain: true }] },
      saw({ ...run, output, exitCode }),
      { type: "ended", source: "execution", id, exitCode: exitCode ?? -1, output },
      { type: "ended", source: "call", id: run.callId, exitCode: exitCode ?? -1, output },
    ];
  }

  #closeRun(id: string, command: string): OpenRun & { readonly callId: string } {
    for (const [callId, call] of this.#calls) {
      const index = callId === id ? 0 : call.isProgram ? call.runs.findIndex((run) => run.command === command) : -1;
      const [run] = index === -1 ? [] : call.runs.splice(index, 1);
      if (run !== undefined) return { ...run, callId };
    }
    return { id, command, callId: id };
  }

  #readUsage(payload: JsonObject): readonly AgentEvent[] {
    const response = textOf(payload["response_id"]) ?? "";
    if (response === "" || this.#responses.has(response)) return [];
    this.#responses.add(response);
    return [{ type: "spent", model: this.#model, tokens: readTokens(objectOf(payload["usage"])) }];
  }

  /** Older versions have no record of each reply (0.53.0), only a sum, which is told again with each news of limits. */
  #readSum(info: JsonObject): readonly AgentEvent[] {
    const { total_token_usage: sum, last_token_usage: last } = info;
    if (sum === undefined) return [];
    const before = this.#sum;
    this.#sum = readTokens(objectOf(sum));
    if (this.#responses.size > 0) return [];
    const model = this.#model;
    const tokens = before && usageSince({ [model]: before }, { [model]: this.#sum })[model];
    if (before !== undefined && tokens === undefined) return [];
    // The first sum of a session that was resumed holds what it used before; a full context makes sums begin anew.
    const isAnew = tokens === undefined || tokens.inputTokens < 0 || tokens.outputTokens < 0;
    return [{ type: "spent", model, tokens: isAnew ? readTokens(objectOf(last)) : tokens }];
  }
}

interface OpenRun {
  readonly id: string;
  readonly command: string;
}

interface OpenCall {
  /** Its arguments; missing where it has none as JSON. */
  readonly input?: string;
  readonly runs: OpenRun[];
  readonly isProgram: boolean;
}

function limitOf(limits: JsonObject): AgentEvent[] {
  const windows = ["primary", "secondary"].map((name) => objectOf(limits[name]));
  const full = windows.filter((window) => (numberOf(window["used_percent"]) ?? 0) >= 100);
  if (full.length === 0 && textOf(limits["rate_limit_reached_type"]) === undefined) {
    return [{ type: "limit_lifted", isSilent: true }];
  }
  // Both windows must be open again.
  const resets = full.flatMap((window) => numberOf(window["resets_at"]) ?? []);
  return [{ type: "limit", ...(resets.length === 0 ? {} : { resetsAt: new Date(Math.max(...resets) * 1000) }) }];
}

/** The exit code in the text that the model gets: as a line, or in JSON (shell tools of 0.53.0). */
function readExitCode(output: string): number | undefined {
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(output)?.[1] ??
    /"exit_code":(-?\d+)/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}

function joinTexts(parts: unknown): string {
  return arrayOf(parts).map((part) => textOf(objectOf(part)["text"]) ?? "").filter((text) => text !== "").join("\n");
}

/** A call as a request. The script of code mode, and a shell that the model names, leave open what would run. */
function requestOf(payload: JsonObject, session: RecordedSession | undefined): Request | undefined {
  const id = textOf(payload["call_id"]) ?? "";
  const tool = textOf(payload["name"]) ?? "";
  const about = { id, source: "session_log", tool } as const;
  if (payload["type"] === "custom_tool_call") {
    const program = textOf(payload["input"]);
    const cwd = session === undefined ? {} : { cwd: session.cwd };
    const matter = tool === "apply_patch"
      ? matterOf(tool, { command: program })
      : { kind: "other", subject: program ?? "" };
    return { ...about, ...cwd, ...matter };
  }
  if (payload["type"] !== "function_call") return undefined;
  const text = textOf(payload["arguments"]) ?? "";
  const input = parseJsonObject(text) ?? {};
  const { cmd, workdir, shell } = input;
  if (tool === "request_user_input") return { ...about, ...matterOf(tool, input) };
  if (tool !== "exec_command" || typeof cmd !== "string" || (shell !== undefined && shell !== null)) {
    return { ...about, kind: "other", subject: text };
  }
  const cwd = typeof workdir === "string" && session !== undefined ? resolve(session.cwd, workdir) : session?.cwd;
  // As its hooks call it.
  return { ...about, tool: "Bash", kind: "command", subject: cmd, ...present({ cwd }) };
}

/**
 * What an `error` of Codex says: `{"message":"…","codex_error_info":"unauthorized"}`, or with an object that has the
 * HTTP status, `{"response_too_many_failed_attempts":{"http_status_code":429}}` (0.169.0).
 */
function failureOf(error: JsonObject): FailureWords {
  const info = error["codex_error_info"];
  const [[name, details] = []] = Object.entries(objectOf(info));
  const status = objectOf(details)["http_status_code"];
  const code = typeof info === "string" ? info : typeof status === "number" ? `${name}:${status}` : name;
  return { text: textOf(error["message"]) ?? "", ...present({ code }) };
}

function toSession(payload: JsonObject): RecordedSession | undefined {
  const id = textOf(payload["id"]);
  const cwd = textOf(payload["cwd"]);
  const startedAt = Date.parse(textOf(payload["timestamp"]) ?? "");
  if (id === undefined || cwd === undefined || Number.isNaN(startedAt)) return undefined;
  // `source` is "cli", "exec", …; for a helper an object that names it (`{"subagent": …}`).
  const threadSource = payload["thread_source"];
  const isMain = typeof payload["source"] !== "object" && (typeof threadSource !== "string" || threadSource === "user");
  return { id, cwd, startedAt, isMain };
}

/** Most lines say nothing of tokens, and need no parsing. */
const MAY_SPEND = /"(?:turn_context|token_usage_record|token_count)"/;

export function createCodexTokenReader(path: string): (line: string) => readonly AgentEvent[] {
  const reader = createCodexReader({});
  return (line) => {
    if (!MAY_SPEND.test(line)) return [];
    const thread = /"token_usage_record".*?"thread_id":"([^"]*)"/.exec(line)?.[1];
    return thread !== undefined && !path.endsWith(`-${thread}.jsonl`) ? [] : reader.readLog(line);
  };
}
