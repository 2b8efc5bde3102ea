import type { RequestError } from "@agentclientprotocol/sdk";
import { isObject } from "../schema.ts";
import { plainRow } from "../text/ansi.ts";
import { sanitizeLine } from "../text/sanitize.ts";

/** How much is told of an error, or of a line. */
const MAX_CHARACTERS = 500;

/** What an agent says with an error, safe for a terminal. */
export function describeError(error: RequestError): string {
  return `it says "${sanitizeLine(wordsOf(error))}" (error ${error.code})`;
}

/** An agent's own words for an error: several have the details apart. */
export function wordsOf({ message, data }: RequestError): string {
  const details = isObject(data) ? data["details"] ?? data["message"] : data;
  const more = typeof details === "string" && details !== message ? `: ${details}` : "";
  return `${message}${more}`.slice(0, MAX_CHARACTERS);
}

/** The lines that an agent has printed, without colours, safe for a terminal; empty ones are left out. */
export function safeLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => plainRow(line).trimEnd());
  return lines.flatMap((line) => line.trim() === "" ? [] : sanitizeLine(line.slice(0, MAX_CHARACTERS).toWellFormed()));
}
