import { type JsonObject, objectOf, parseJsonObject } from "../../base/text/json.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";
import { matterOf } from "../hook_payload.ts";
import { present } from "../../base/schema.ts";

/** What the last turn of a transcript comes to. */
interface LastTurn {
  /** The text of its newest message; missing where nothing was said. */
  readonly answer?: string;
  /** Whether its end is recorded. */
  readonly ended: boolean;
  /** Why it failed, where that is the last that it says, and when that was written, in milliseconds since the epoch. */
  readonly failure?: FailureWords & { readonly writtenAt: number };
  /** When its prompt was recorded, in milliseconds since the epoch; missing where that is not known. */
  readonly promptedAt?: number;
}

/**
 * What Claude Code said last in a transcript (`projects/SLUG/SESSION.jsonl`, 2.1.328), since the last prompt. Records
 * of helpers, and lines that are no JSON, do not count.
 */
export function readLastTurn(lines: readonly string[]): LastTurn {
  let id: unknown;
  let texts: string[] = [];
  let ended = false;
  let promptedAt = NaN;
  let failure: LastTurn["failure"];
  for (const line of lines) {
    const record = parseObject(line);
    if (record["isSidechain"] === true) continue;
    const message = objectOf(record["message"]);
    if (record["type"] === "user" && isPrompt(message["content"])) {
      [id, texts, ended, failure] = [undefined, [], false, undefined];
      promptedAt = Date.parse(String(record["timestamp"]));
    }
    if (isEnd(record, message)) ended = true;
    if (record["type"] !== "assistant") continue;
    const said = textsOf(message["content"]);
    failure = record["isApiErrorMessage"] === true ? failureOf(record, said) : undefined;
    if (said.length === 0) continue;
    if (message["id"] !== id) [id, texts] = [message["id"], []];
    texts.push(...said);
  }
  return {
    ...(texts.length === 0 ? {} : { answer: texts.join("\n\n").trim() }),
    ended,
    ...present({ failure }),
    ...(Number.isNaN(promptedAt) ? {} : { promptedAt }),
  };
}

/** The calls of the last turn that have no result yet: they run, or wait for their permission (2.1.328). Pure. */
export function pendingCalls(lines: readonly string[]): readonly Request[] {
  let pending: Request[] = [];
  for (const line of lines) {
    const record = parseObject(line);
    const message = objectOf(record["message"]);
    const isOwn = record["isSidechain"] !== true;
    if (isOwn && (isEnd(record, message) || (record["type"] === "user" && isPrompt(message["content"])))) pending = [];
    const cwd = record["cwd"];
    for (const { type, id, name, input, tool_use_id: of } of blocksOf(record)) {
      if (type === "tool_result") pending = pending.filter((call) => call.id !== of);
      if (type !== "tool_use" || typeof id !== "string" || typeof name !== "string") continue;
      const about = { id, source: "session_log", tool: name, ...(typeof cwd === "string" ? { cwd } : {}) } as const;
      pending = [...pending, { ...about, ...matterOf(name, input) }];
    }
  }
  return pending;
}

/**
 * What was answered to the questions of a call (`AskUserQuestion`, 2.1.328), by the question's text; `undefined` while
 * the call has no result, and where nobody answered. Pure.
 */
export function answersOf(lines: readonly string[], callId: string): Readonly<Record<string, string>> | undefined {
  for (const record of lines.map(parseObject)) {
    if (!blocksOf(record).some(({ type, tool_use_id: of }) => type === "tool_result" && of === callId)) continue;
    const answers = Object.entries(objectOf(objectOf(record["toolUseResult"])["answers"]));
    const texts = answers.flatMap(([question, said]) => typeof said === "string" ? [[question, said] as const] : []);
    return texts.length === 0 ? undefined : Object.fromEntries(texts);
  }
  return undefined;
}

/** Whether a line records a prompt of a person's own. */
export function isPromptRecord(line: string): boolean {
  const record = parseObject(line);
  return record["type"] === "user" && isPrompt(objectOf(record["message"])["content"]);
}

function failureOf(
  record: Readonly<Record<string, unknown>>,
  said: readonly string[],
): NonNullable<LastTurn["failure"]> {
  const { error: code, timestamp } = record;
  const about = { text: said.join("\n\n").trim(), writtenAt: Date.parse(String(timestamp)) };
  return typeof code === "string" ? { code, ...about } : about;
}

/** A turn's end has a record of its own only where nothing went wrong. */
function isEnd(record: Readonly<Record<string, unknown>>, message: Readonly<Record<string, unknown>>): boolean {
  switch (record["type"]) {
    case "system":
      return record["subtype"] === "turn_duration";
    case "assistant":
      return record["isApiErrorMessage"] === true;
    case "user":
      return textsOf(message["content"]).some((text) => text.startsWith("[Request interrupted by user"));
    default:
      return false;
  }
}

/** A text of the person's own; results of tools and the notes of an interruption come as lists. */
function isPrompt(content: unknown): boolean {
  return typeof content === "string";
}

/**
 * The parts of a message of the conversation. Copies of what was sent to the model (`api-request-blob`, 2.1.328) are
 * not part of it: they have the message without what the CLI knows of it, and may be written first.
 */
function blocksOf(record: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  const { content } = objectOf(record["message"]);
  const isOfConversation = record["type"] === "user" || record["type"] === "assistant";
  return isOfConversation && Array.isArray(content) ? content.map(objectOf) : [];
}

function textsOf(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.map(objectOf).flatMap(({ type, text }) => type === "text" && typeof text === "string" ? [text] : []);
}

function parseObject(line: string): JsonObject {
  return parseJsonObject(line) ?? {};
}
