import type { AgentEvent } from "../agent.ts";
import { arrayOf, type JsonObject, numberOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { SessionReader } from "../process/cli.ts";
import type { Request } from "../../policy/request.ts";
import { FILE_TOOL_NAMES, matterOf } from "../hook_payload.ts";
import { countReplies, readClaudeTokens } from "./reply_tokens.ts";
import { present } from "../../base/schema.ts";

/** Reads what `claude -p --output-format stream-json --verbose` prints (2.0.53 to 2.1.328). */
export function createClaudeReader(): SessionReader {
  return new ClaudeReader();
}

class ClaudeReader implements SessionReader {
  /** Commands by the id of their call: results name only that. */
  readonly #commands = new Map<string, string>();
  readonly #models = new Set<string>();
  readonly #count = countReplies();

  readReport(line: string): readonly AgentEvent[] {
    const event = parseJsonObject(line);
    return event === undefined ? [] : this.#readEvent(event);
  }

  #readEvent(event: JsonObject): readonly AgentEvent[] {
    const message = objectOf(event["message"]);
    switch (event["type"]) {
      case "system": {
        if (event["subtype"] !== "init") return [];
        const [sessionId, mode] = [textOf(event["session_id"]), textOf(event["permissionMode"])];
        return [
          ...(sessionId === undefined ? [] : [{ type: "session", sessionId } as const]),
          ...(mode === undefined ? [] : [{ type: "permitted", mode: `permission mode ${mode}` } as const]),
        ];
      }
      case "assistant":
        return [
          ...this.#readTokens(message),
          ...blocksOf(message).flatMap((block) => this.#readBlock(block, message["model"] === "<synthetic>")),
        ];
      case "user": {
        const runsOn = objectOf(event["tool_use_result"])["backgroundTaskId"] !== undefined;
        return blocksOf(message).flatMap((block) => this.#readResult(block, runsOn));
      }
      case "rate_limit_event":
        return readLimit(objectOf(event["rate_limit_info"]));
      case "result":
        return [...this.#readCost(event), ...readDenials(event), ...readEnd(event)];
      default:
        return [];
    }
  }

  /** A line of a transcript (`projects/SLUG/SESSION.jsonl`, 2.1.328): the same messages, and more around them. */
  readLog(line: string): readonly AgentEvent[] {
    const record = parseJsonObject(line);
    if (record === undefined) return [];
    const events = [...readTurn(record), ...this.#readEvent(record), ...readEndOf(record)].map((event) =>
      event.type === "called" ? { ...event, ...requestOf(event.id, record) } : event
    );
    // A helper's words are not the agent's own; what it wants to do waits all the same.
    return record["isSidechain"] !== true
      ? events
      : events.filter(({ type }) => type === "called" || type === "ended" || type === "spent");
  }

  #readBlock(block: JsonObject, isNotice: boolean): readonly AgentEvent[] {
    switch (block["type"]) {
      case "text": {
        const text = textOf(block["text"]) ?? "";
        return text === "" ? [] : [{ type: isNotice ? "trouble" : "said", text }];
      }
      case "thinking": {
        const text = textOf(block["thinking"]) ?? "";
        return text === "" ? [] : [{ type: "reasoned", text }];
      }
      case "tool_use": {
        const id = textOf(block["id"]) ?? "";
        const name = textOf(block["name"]) ?? "";
        const input = objectOf(block["input"]);
        const command = name === "Bash" ? textOf(input["command"]) : undefined;
        const summary = command ?? `${name} ${JSON.stringify(input)}`;
        this.#commands.set(id, summary);
        const commands = command === undefined ? [] : [{ command, isCertain: true }];
        const writes = FILE_TOOL_NAMES.includes(name) ? { writesFiles: true } as const : {};
        return [{ type: "ran", id, command: summary }, { type: "called", source: "call", id, commands, ...writes }];
      }
      default:
        return [];
    }
  }

  /** @param runsOn whether it is a command's that runs on in the background: its end is not told (2.1.330) */
  #readResult(block: JsonObject, runsOn: boolean): readonly AgentEvent[] {
    if (block["type"] !== "tool_result") return [];
    const id = textOf(block["tool_use_id"]) ?? "";
    const content = block["content"];
    const output = textOf(content) ??
      arrayOf(content).map((part) => textOf(objectOf(part)["text"]) ?? "").filter((text) => text !== "").join("\n");
    // There is no exit code, but that of a failed command stands in the first line (2.1.328).
    const code = /^Exit code (\d+)/.exec(output)?.[1];
    const exitCode = code === undefined ? undefined : Number(code);
    const isError = block["is_error"] === true;
    return [
      {
        type: "saw",
        id,
        command: this.#commands.get(id) ?? "",
        output,
        ...present({ exitCode }),
      },
      {
        type: "ended",
        source: "call",
        id,
        exitCode: runsOn ? undefined : exitCode ?? (isError ? -1 : 0),
        output,
        isResult: true,
      },
    ];
  }

  #readTokens(message: JsonObject): readonly AgentEvent[] {
    const spent = this.#count(message);
    for (const { model } of spent) this.#models.add(model);
    return spent.map((reply) => ({ type: "spent", ...reply }));
  }

  /**
   * The sum of this attempt is there for all models together only; by model it counts on from before a resume
   * (2.1.328).
   */
  #readCost(event: JsonObject): readonly AgentEvent[] {
    const [model, ...others] = this.#models;
    const usage = objectOf(event["usage"]);
    if (model === undefined || others.length > 0 || Object.keys(usage).length === 0) return [];
    return [{ type: "cost", usage: { [model]: readClaudeTokens(usage) }, isRough: false }];
  }
}

function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = message["content"];
  return typeof content === "string" ? [{ type: "text", text: content }] : arrayOf(content).map(objectOf);
}

/**
 * The state of the account's limit, which comes whenever it changes: `allowed`, `allowed_warning` or `rejected`. With
 * `isUsingOverage` a limit that is used up is paid beyond, and requests go on (2.1.330).
 */
function readLimit(info: JsonObject): readonly AgentEvent[] {
  const status = textOf(info["status"]);
  if (status === undefined) return [];
  if (status !== "rejected" || info["isUsingOverage"] === true) return [{ type: "limit_lifted" }];
  const resets = numberOf(info["resetsAt"]);
  return [{ type: "limit", ...(resets === undefined ? {} : { resetsAt: new Date(resets * 1000) }) }];
}

/** Headless, nobody is asked: a call that needs a permission is denied, and the turn goes on (2.1.328). */
function readDenials(event: JsonObject): readonly AgentEvent[] {
  const calls = arrayOf(event["permission_denials"]).map(objectOf).map((denial) => {
    const [name, input] = [textOf(denial["tool_name"]) ?? "a tool", objectOf(denial["tool_input"])];
    const subject = textOf(input["command"]) ?? textOf(input["file_path"]) ?? JSON.stringify(input);
    return `${name} ${subject.slice(0, MAX_SUBJECT_CHARS)}`;
  });
  return calls.length === 0 ? [] : [{ type: "denied", calls }];
}

const MAX_SUBJECT_CHARS = 200;

function readEnd(event: JsonObject): readonly AgentEvent[] {
  const text = textOf(event["result"]) ?? "";
  if (event["subtype"] === "success" && event["is_error"] !== true) {
    return [{ type: "turn_end", outcome: "completed", finalText: text }];
  }
  const errors = arrayOf(event["errors"]).map(String).join("; ");
  const error = text || errors || textOf(event["subtype"]) || "the turn failed";
  return [{ type: "turn_end", outcome: "failed", error }];
}

/** What a record says of its turn before what stands in it, and which message that is of. */
function readTurn(record: JsonObject): readonly AgentEvent[] {
  const { content, id } = objectOf(record["message"]);
  switch (record["type"]) {
    case "assistant":
      return [{ type: "message", id: String(id) }];
    case "user": {
      // A text of the person's own; results of tools and the notes of an interruption come as lists.
      if (typeof content === "string") return [{ type: "turn_began", at: timeOf(record) }];
      const answers = Object.entries(objectOf(objectOf(record["toolUseResult"])["answers"]))
        .filter((entry): entry is [string, string] => typeof entry[1] === "string");
      const ids = answers.length === 0 ? [] : blocksOf(objectOf(record["message"]))
        .flatMap(({ type, tool_use_id: of }) => type === "tool_result" && typeof of === "string" ? [of] : []);
      return ids.map((of) => ({ type: "replied", id: of, answers: Object.fromEntries(answers) }));
    }
    default:
      return [];
  }
}

/** A turn's end has a record of its own only where nothing went wrong. */
function readEndOf(record: JsonObject): readonly AgentEvent[] {
  const texts = arrayOf(objectOf(record["message"])["content"]).map(objectOf)
    .flatMap(({ type, text }) => type === "text" && typeof text === "string" ? [text] : []);
  const end = { type: "turn_end", at: timeOf(record) } as const;
  switch (record["type"]) {
    case "system":
      if (record["subtype"] === "compact_boundary") return [{ type: "compacted" }];
      return record["subtype"] === "turn_duration" ? [{ ...end, outcome: "completed" }] : [];
    case "assistant": {
      if (record["isApiErrorMessage"] !== true) return [];
      const code = textOf(record["error"]);
      return [{ ...end, outcome: "failed", error: texts.join("\n\n").trim(), ...present({ code }) }];
    }
    case "user":
      return texts.some((text) => text.startsWith("[Request interrupted by user"))
        ? [{ ...end, outcome: "interrupted" }]
        : [];
    default:
      return [];
  }
}

function requestOf(id: string, record: JsonObject): { readonly request?: Request } {
  const block = blocksOf(objectOf(record["message"])).find((each) => each["id"] === id);
  const tool = textOf(block?.["name"]);
  if (tool === undefined) return {};
  const cwd = textOf(record["cwd"]);
  return { request: { id, source: "session_log", tool, ...present({ cwd }), ...matterOf(tool, block?.["input"]) } };
}

function timeOf(record: JsonObject): number {
  return Date.parse(String(record["timestamp"]));
}

export function createTranscriptReader(): (line: string) => readonly AgentEvent[] {
  const reader = createClaudeReader();
  // Most lines are of another kind, and need no parsing.
  return (line) => line.includes('"usage"') ? reader.readLog(line) : [];
}
