import type { DialogAnswer } from "../providers/terminal/dialog_keys.ts";

/** What a person says to a dialog. */
export interface PersonsAnswer {
  readonly answer: DialogAnswer;
  /** What a person adds to a no, for the agent. */
  readonly reason?: string;
}

const ANSWER = /^\s*(?<word>yes|y|no|n)\b[\s.,:;-]*(?<reason>[^]*)$/i;

/**
 * Reads a person's answer to a dialog: `yes`, or `no` with or without a reason. Anything else is none.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parsePersonsAnswer("Yes"), { answer: "accept" });
 * assertEquals(parsePersonsAnswer("no, use the test database"), { answer: "decline", reason: "use the test database" });
 * assertEquals(parsePersonsAnswer("yes, but carefully"), undefined);
 * ```
 */
export function parsePersonsAnswer(text: string): PersonsAnswer | undefined {
  const { word = "", reason = "" } = ANSWER.exec(text)?.groups ?? {};
  if (word === "") return undefined;
  const added = reason.trim();
  if (/^n/i.test(word)) return { answer: "decline", ...(added === "" ? {} : { reason: added }) };
  return added === "" ? { answer: "accept" } : undefined;
}
