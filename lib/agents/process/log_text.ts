import type { AgentFact } from "../agent.ts";
import { plainText } from "../../base/text/sanitize.ts";

/**
 * An entry of an attempt's `log.txt`. Every further row starts with blanks: a row of an agent cannot pass for one of
 * ours.
 */
export function logEntry(text: string, at: Date): string {
  return `${at.toISOString()} ${plainText(text).trim().replaceAll("\n", "\n  ")}\n`;
}

export function factInLog(fact: AgentFact): string | undefined {
  switch (fact.type) {
    case "session":
      return `session ${fact.sessionId}`;
    case "said":
      return `said: ${fact.text}`;
    case "reasoned":
      return `thought: ${fact.text}`;
    case "ran":
      return `$ ${fact.command}`;
    case "saw":
      return `exit ${fact.exitCode ?? "?"} of ${fact.command}\n${fact.output}`;
    case "permitted":
      return fact.mode;
    case "trouble":
      return `trouble: ${fact.text}`;
    case "usage":
      return undefined;
    default:
      return fact satisfies never;
  }
}

export interface LoggedFact {
  /** ISO 8601. */
  readonly at: string;
  readonly fact: Extract<AgentFact, { readonly type: "said" | "ran" | "saw" | "trouble" }>;
}

export function readLoggedFacts(rows: readonly string[]): readonly LoggedFact[] {
  const entries: { readonly at: string; text: string }[] = [];
  for (const row of rows) {
    const [, at, text = ""] = ENTRY.exec(row) ?? [];
    const last = entries.at(-1);
    if (at !== undefined) entries.push({ at, text });
    else if (last !== undefined) last.text += `\n${row.replace(/^ {2}/, "")}`;
  }
  return entries.flatMap(({ at, text }) => {
    const fact = factOf(text);
    return fact === undefined ? [] : [{ at, fact }];
  });
}

const ENTRY = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.*)$/;

function factOf(text: string): LoggedFact["fact"] | undefined {
  const [, kind, rest = ""] = /^(said: |\$ |exit |trouble: )(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case "said: ":
      return { type: "said", text: rest };
    case "$ ":
      return { type: "ran", id: "", command: rest };
    case "trouble: ":
      return { type: "trouble", text: rest };
    case "exit ": {
      const [, code, command = ""] = /^(-?\d+|\?) of (.*)/.exec(rest) ?? [];
      if (code === undefined) return undefined;
      return { type: "saw", id: "", command, output: "", ...(code === "?" ? {} : { exitCode: Number(code) }) };
    }
    default:
      return undefined;
  }
}
