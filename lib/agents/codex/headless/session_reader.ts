import type { AgentEvent } from "../../agent.ts";
import { arrayOf, type JsonObject, numberOf, objectOf, parseJsonObject, textOf } from "../../../base/text/json.ts";
import type { SessionReader } from "../../process/cli.ts";
import { type TokenUsage, usageSince } from "../../../base/usage.ts";
import { readTokens, saw, turnCompleted, turnFailed } from "./observed.ts";
import { readReport } from "./report.ts";
import { commandText, readToolCall } from "./tool_calls.ts";
import { failureOf } from "../session_log.ts";
import { readCodexLimit } from "../usage_limit.ts";

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
  /** What was called and has not ended, by the call's id. */
  readonly #calls = new Map<string, OpenCall>();
  /** Responses whose tokens were counted. */
  readonly #responses = new Set<string>();
  /** The sum that was told last, of all replies so far. */
  #sum: TokenUsage | undefined;

  /** @param options.mayReadOnly whether that it writes nothing is what its arguments ask for */
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
    switch (record["type"]) {
      case "turn_context":
        this.#model = textOf(payload["model"]) ?? this.#model;
        return this.#readMode(payload);
      case "token_usage_record":
        return this.#readUsage(payload);
      case "response_item":
        return this.#readReplyItem(payload);
      case "event_msg":
        return this.#readEvent(payload);
      default:
        // Up to about 0.40 items stood at the top level.
        return this.#readReplyItem(record);
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

  #readReplyItem(item: JsonObject): readonly AgentEvent[] {
    switch (item["type"]) {
      case "message": {
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
    const { id, summary, commands } = call;
    // A program of code mode may run several commands, and decide whether it does.
    const certain = commands.filter(({ isCertain }) => isCertain).map(({ command }) => commandText(command));
    const texts = certain.length === 0 ? [summary] : certain;
    const runs = texts.map((command, index) => ({ id: index === 0 ? id : `${id}/${index}`, command }));
    this.#calls.set(id, { runs, isProgram: item["type"] === "custom_tool_call" });
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
    return [
      // Those whose end has a record of its own are told of already.
      ...(call?.runs ?? []).map((run, index) => saw({ ...run, output: index === 0 ? output : "", exitCode })),
      { type: "ended", source: "call", id, exitCode: stillRuns ? undefined : exitCode ?? -1, output },
    ];
  }

  #readEvent(payload: JsonObject): readonly AgentEvent[] {
    switch (payload["type"]) {
      case "item_completed":
        return this.#readExecution(objectOf(payload["item"]));
      case "exec_command_begin": {
        const command = arrayOf(payload["command"]).map(String);
        const id = textOf(payload["call_id"]) ?? "";
        return [{ type: "called", source: "execution", id, commands: [{ command, isCertain: true }] }];
      }
      case "token_count":
        return [...limitOf(objectOf(payload["rate_limits"])), ...this.#readSum(objectOf(payload["info"]))];
      case "task_complete": {
        const { text, code } = failureOf(objectOf(payload["error"]));
        return [text === "" ? turnCompleted(textOf(payload["last_agent_message"])) : turnFailed(text, code)];
      }
      case "turn_aborted":
        return [turnFailed(`the turn was stopped (${textOf(payload["reason"]) ?? "aborted"})`)];
      case "error": {
        const { text, code } = failureOf(payload);
        return [turnFailed(text === "" ? "an error" : text, code)];
      }
      default:
        return [];
    }
  }

  #readExecution(item: JsonObject): readonly AgentEvent[] {
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

  /** The call that a command was run for: it has the same id, but for the commands of programs. */
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
  /** Its commands that have not ended. */
  readonly runs: OpenRun[];
  readonly isProgram: boolean;
}

function limitOf(limits: JsonObject): readonly AgentEvent[] {
  const limit = readCodexLimit(limits);
  return limit === undefined ? [] : [{ type: "limit", ...limit }];
}

/** The exit code in the text that the model gets: as a line, or in JSON (shell tools of 0.53.0). */
function readExitCode(output: string): number | undefined {
  const code = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(output)?.[1] ??
    /"exit_code":(-?\d+)/.exec(output)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** The texts of a message's or an output's parts. */
function joinTexts(parts: unknown): string {
  return arrayOf(parts).map((part) => textOf(objectOf(part)["text"]) ?? "").filter((text) => text !== "").join("\n");
}
