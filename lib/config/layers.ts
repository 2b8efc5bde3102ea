import { UsageError } from "../errors.ts";
import { findProblems } from "./issues.ts";
import { type JsoncProblem, parseJsonc } from "./jsonc.ts";
import type { InputFiles } from "./input_files.ts";
import type { ConfigForm } from "./schema.ts";
import type { TableEntry } from "./settings_table.ts";
import { dotted, isKeyed, type KeyPath, type Position, type Source, valueAt } from "./source.ts";
import { errorText } from "../text/error_text.ts";

/** One source of configuration, with its mistakes. */
export interface Layer {
  /** Nested plain data, with the keys of the schema. */
  readonly data: Record<string, unknown>;
  readonly problems: readonly Problem[];
  /** Whether the data may be incomplete. */
  readonly broken?: boolean;
  /** Where the value at a path of `data` stands. */
  sourceOf(path: KeyPath): Source;
  /** A problem of the value at a path; `%` in the message stands for the value's name. */
  problemAt(path: KeyPath, message: string): Problem;
}

/** One mistake in the configuration. */
export interface Problem {
  /** The place that precedes the message; empty where there is none. */
  readonly where: string;
  readonly message: string;
  /** Present where it stands in the file. */
  readonly position?: Position;
}

/** Options of {@linkcode readFileLayer}. */
export interface FileLayerOptions {
  /** What messages call the file. */
  readonly shownAs: string;
  readonly form: ConfigForm;
  /** What reads it. */
  readonly files: InputFiles;
  /** The group of keys that the file holds, instead of a whole configuration. */
  readonly group?: string;
}

/**
 * Reads the config file.
 *
 * @param path absolute path
 * @throws {UsageError} when it cannot be read
 */
export async function readFileLayer(path: string, options: FileLayerOptions): Promise<Layer> {
  try {
    return fileLayer(await options.files.read(path), options);
  } catch (cause) {
    const reason = inputProblem(cause);
    throw new UsageError(`Cannot read the config file ${options.shownAs}: ${reason}`, {
      cause,
      hint: 'Run "panewright init" to write a config to start from, or name another file.',
    });
  }
}

/** Why a file that a configuration is made of cannot be used. */
export function inputProblem(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return error instanceof TypeError ? "it is not UTF-8 text" : errorText(error);
}

function fileLayer(text: string, { shownAs, form, group }: FileLayerOptions): Layer {
  const document = parseJsonc(text);
  const toProblem = ({ line, column, message }: JsoncProblem): Problem => {
    return { where: `${shownAs}:${line}:${column}`, message, position: { line, column } };
  };
  const problemAt = (path: KeyPath, message: string): Problem =>
    toProblem({ ...document.locate(path), message: named(message, dotted(path)) });
  const data = isKeyed(document.value) ? document.value : {};
  return {
    data,
    problems: fileProblems(),
    broken: document.syntaxError !== undefined,
    sourceOf: (path) => ({ kind: "file", file: shownAs, line: document.locate(path).line }),
    problemAt,
  };

  function fileProblems(): Problem[] {
    if (document.syntaxError !== undefined) return [toProblem(document.syntaxError)];
    if (!isKeyed(document.value)) return [problemAt([], "a config file must hold one object: { … }")];
    const found = findProblems(group === undefined ? data : { [group]: data }, form);
    const above = group === undefined ? 0 : 1;
    return [
      ...document.duplicateKeys.map(toProblem),
      ...found.map(({ path, message }) => problemAt(path.slice(above), message)),
    ];
  }
}

/** The layer of the environment. A variable that is empty counts as not set. */
export function environmentLayer(env: (name: string) => string | undefined, form: ConfigForm): Layer {
  const given: Given[] = [];
  const problems: Problem[] = [];
  const placeOf = (name: string) => `environment variable ${name}`;
  for (const { key, value: { kind }, env: name } of form.settings) {
    const text = name === undefined ? undefined : env(name);
    if (name === undefined || text === undefined || text === "") continue;
    const value = fromText(text, kind);
    if (value !== undefined) given.push({ key, name, value });
    else {
      const expected = kind === "switch" ? "1 or 0 (or true/false, yes/no, on/off)" : "a number, such as 2 or 0.5";
      problems.push({ where: placeOf(name), message: `must be ${expected}, but is ${JSON.stringify(text)}` });
    }
  }
  return namedLayer(given, { problems, placeOf, kind: "environment", form });
}

/** The text of a variable as a value of that kind, if it is one. A switch is 1 or 0, as in the seeds, or a word. */
function fromText(text: string, kind: TableEntry["value"]["kind"]): unknown {
  const word = text.trim().toLowerCase();
  if (kind === "switch") {
    if (["1", "true", "yes", "on"].includes(word)) return true;
    return ["0", "false", "no", "off"].includes(word) ? false : undefined;
  }
  if (kind !== "seconds" && kind !== "count" && kind !== "bytes" && kind !== "amount") return text;
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(word) ? Number(word) : undefined;
}

/** The layer of the command line: the values of the flags that set a setting, by the flags' names. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, form: ConfigForm): Layer {
  const given = form.settings.flatMap(({ key, flag, value }): Given[] => {
    const text = flag === undefined ? undefined : flags[flag.name];
    if (flag === undefined || text === undefined) return [];
    return [{ key, name: flag.name, value: value.kind === "switch" ? !value.default : text }];
  });
  return namedLayer(given, { problems: [], placeOf: (name) => `--${name}`, kind: "flag", form });
}

/** A setting that a source names in a way of its own. */
interface Given {
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

function namedLayer(given: readonly Given[], options: {
  readonly problems: readonly Problem[];
  readonly placeOf: (name: string) => string;
  readonly kind: "environment" | "flag";
  readonly form: ConfigForm;
}): Layer {
  const { problems, placeOf, kind, form } = options;
  const data: Record<string, unknown> = {};
  for (const { key, value } of given) setAt(data, key.split("."), value);
  const nameOf = (path: KeyPath) => given.find(({ key }) => key === dotted(path))?.name ?? dotted(path);
  const problemAt = (path: KeyPath, message: string): Problem => ({
    where: placeOf(nameOf(path)),
    message: named(message, "").trimStart(),
  });
  return {
    data,
    problems: [...problems, ...findProblems(data, form).map(({ path, message }) => problemAt(path, message))],
    sourceOf: (path) => ({ kind, name: nameOf(path) }),
    problemAt,
  };
}

/**
 * Puts layers into one, the first one on top; objects are merged key by key, everything else is replaced.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(mergeData([{ limits: { max_rounds: 1 } }, { limits: { max_rounds: 2, max_review_cycles: 3 } }]), {
 *   limits: { max_rounds: 1, max_review_cycles: 3 },
 * });
 * ```
 */
export function mergeData(layers: readonly Readonly<Record<string, unknown>>[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const key of new Set(layers.flatMap((layer) => Object.keys(layer)))) {
    const values = layers.map((layer) => valueAt(layer, [key])).filter((value) => value !== undefined);
    const [top] = values;
    if (top === undefined) continue;
    merged[key] = isKeyed(top) ? mergeData(values.filter(isKeyed)) : top;
  }
  return merged;
}

function setAt(data: Record<string, unknown>, path: KeyPath, value: unknown): void {
  const [first = "", ...rest] = path.map(String);
  if (rest.length === 0) data[first] = value;
  else setAt((data[first] ??= {}) as Record<string, unknown>, rest, value);
}

function named(message: string, name: string): string {
  return message.startsWith("% ") ? `${name}${message.slice(1)}` : message;
}
