import { plainText, sanitizeText } from "../text/sanitize.ts";
import { scrub } from "./scrub.ts";
import { privateWordsOf, secretPatterns } from "./secret_patterns.ts";

export interface Redactor {
  /**
   * Text with placeholders in place of secrets; it may have styles. Its lines are its own: what stands in the next one is
   * no part of a secret, unless that is known by its value.
   */
  text(text: string): string;
  /** All rows of a screen at once: a secret may continue in the next row. */
  rows(rows: readonly string[]): readonly string[];
  /** Text that leaves the machine: without secrets, escape sequences and characters that hide or reorder text. */
  outgoing(text: string): string;
  /** What leaves the machine as JSON: without secrets in any of its texts; names stay. */
  value<T>(value: T): T;
  /** A record that is kept: without secrets in the fields that quote commands, screens and programs. */
  record<T extends object>(record: T): T;
}

export interface LearningRedactor extends Redactor {
  /** From now on these are secret as well, whatever their form. */
  learn(secrets: readonly string[]): void;
}

/** Not secret here: paths, and who worked where. */
const NOT_SECRET = new Set(["home", "username", "hostname", "email-local", "email-domain"]);

/**
 * The fields of records that quote what agents, commands and programs say. All others are ours, or are needed as they
 * are to resume: a task's text, an answer, a path, a hash.
 */
const QUOTING = new Set([
  "subject",
  "reason",
  "message",
  "output",
  "detail",
  "questions",
  "replies",
  "note",
  "problem",
  "error",
  "attemptLog",
  "interruptedLog",
]);

/**
 * Makes the one redactor of a run.
 *
 * @param secrets values that are secret whatever their form, such as those of the environment's keys; those of fewer
 * than 8 characters are passed over. Common shapes of secrets are known.
 */
export function createRedactor(secrets: readonly string[]): LearningRedactor {
  const known = new Set(secrets);
  const patternsOf = () => secretPatterns({ secrets: [...known] }).filter(({ id }) => !NOT_SECRET.has(id));
  let patterns = patternsOf();
  const text = (text: string) => {
    const bare = scrub(text, { patterns: patterns.filter(({ id }) => id === "environment") });
    return scrub(bare, { patterns, wraps: false });
  };
  return {
    learn(more) {
      if (more.every((one) => known.has(one))) return;
      for (const one of more) known.add(one);
      patterns = patternsOf();
    },
    text,
    rows: (rows) => rows.length === 0 ? [] : scrub(rows.join("\n"), { patterns }).split("\n"),
    outgoing: (foreign) => sanitizeText(text(plainText(text(foreign)).replaceAll(/\p{Cf}/gu, ""))),
    value: (value) => mapTexts(value, text) as typeof value,
    record(record) {
      const quoting = Object.entries(record).filter(([name]) => QUOTING.has(name));
      return { ...record, ...Object.fromEntries(quoting.map(([name, value]) => [name, mapTexts(value, text)])) };
    },
  };
}

/** A redactor that knows the secrets of an environment, and these. */
export function redactorOf(
  env: Readonly<Record<string, string>> = Deno.env.toObject(),
  secrets: readonly string[] = [],
): LearningRedactor {
  return createRedactor([...secrets, ...privateWordsOf(env, "").secrets ?? []]);
}

/** A value as JSON has it, with each of its texts changed, and no name. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapTexts(one, change)]));
}
