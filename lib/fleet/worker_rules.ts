import { parse, type ParseError } from "jsonc-parser";
import { basename } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { errorText } from "../base/text/error_text.ts";
import {
  findWrongField,
  isObject,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
} from "../base/schema.ts";
import { examineConfig } from "../config/trust/examine.ts";
import { readTrust } from "../config/trust/store.ts";
import { fits, type Job } from "./job.ts";
import type { JobName } from "./names.ts";

const RULE = {
  /** Whose jobs. @default everybody's who may submit some */
  from: optional(listOf(text)),
  /** Addresses of repositories, with `*` for anything; `bundle` for what a submitter sends along. */
  repositories: listOf(text),
  /** Whether a config must be one that was trusted on this machine. @default {"trusted"} */
  configs: optional(oneOf("trusted", "any")),
  /** Labels that a job must want. @default {{}} */
  labels: optional(mapOf(text)),
  /** Variables of the worker that its agents get. @default {[]} */
  secrets: optional(listOf(text)),
};

const RULES = { accept: listOf(object(RULE)) };

/** What a worker takes, and what of its own those jobs may use. */
export type WorkerRules = { readonly accept: readonly ValueOf<ReturnType<typeof object<typeof RULE>>>[] };

const MAX_BYTES = 256 * 1024;

/**
 * Reads what a worker takes, from a file of its own.
 *
 * @throws {UsageError} when it cannot be read, or says something else
 */
export function readWorkerRules(path: string): WorkerRules {
  let text: string;
  try {
    text = readRegularText(path, { maxBytes: MAX_BYTES });
  } catch (cause) {
    throw problemOf(path, cause instanceof Deno.errors.NotFound ? "there is no such file" : errorText(cause));
  }
  return parseWorkerRules(text, { path });
}

function problemOf(path: string, what: string): UsageError {
  return new UsageError(`Cannot use ${path}: ${what}`, {
    hint: `It says what this worker takes: { "accept": [{ "from": ["anna"], "repositories": ["bundle"] }] }`,
  });
}

/** @throws {UsageError} where the text says something else than what a worker takes */
export function parseWorkerRules(text: string, { path }: { readonly path: string }): WorkerRules {
  const problem = (what: string) => problemOf(path, what);
  const errors: ParseError[] = [];
  const value: unknown = parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw problem(`it is not JSON at character ${error.offset + 1}`);
  if (!isObject(value)) throw problem("it is no object");
  const wrong = findWrongField(value, RULES);
  if (wrong !== undefined) throw problem(`its "${wrong}" is missing or wrong`);
  const rules = value as unknown as WorkerRules;
  for (const [at, rule] of rules.accept.entries()) {
    const odd = Object.keys(rule).find((key) => !Object.hasOwn(RULE, key));
    if (odd !== undefined) throw problem(`accept[${at}] has "${odd}", which means nothing`);
  }
  return rules;
}

/**
 * The rule by which a worker takes a job, before it has looked at the repository.
 *
 * @returns undefined where there is none
 */
export function ruleFor(
  { author, job }: Pick<JobName, "author"> & { readonly job: Job },
  { accept }: WorkerRules,
): WorkerRules["accept"][number] | undefined {
  const source = job.source.url ?? "bundle";
  return accept.find(({ from, repositories, labels = {} }) =>
    (from === undefined || from.includes(author)) && repositories.some((pattern) => matches(pattern, source)) &&
    fits(labels, job.labels)
  );
}

function matches(pattern: string, address: string): boolean {
  const parts = pattern.split("*").map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s").test(address);
}

/**
 * Whether a person has trusted this config on this machine, wherever that was: it and the files that it names are the
 * same.
 */
export async function isTrustedSomewhere(config: string, store: string | undefined): Promise<boolean> {
  if (store === undefined) return false;
  const { files } = await examineConfig(config);
  return Object.entries(readTrust(store)).some(([path, known]) =>
    basename(path) === basename(config) && isSame(files, known.files)
  );
}

function isSame(now: Readonly<Record<string, string>>, known: Readonly<Record<string, string | null>>): boolean {
  const names = Object.keys(now);
  return names.length === Object.keys(known).length && names.every((name) => now[name] === known[name]);
}
