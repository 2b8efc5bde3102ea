import { sanitizeLine } from "../base/text/sanitize.ts";
import { UsageError } from "../base/errors.ts";
import { findProblems, type ValueProblem } from "./issues.ts";
import { type JsoncProblem, parseJsonc } from "./jsonc.ts";
import type { InputFiles } from "./input_files.ts";
import type { ConfigForm, FileForm } from "./schema.ts";
import type { TableEntry } from "./settings_table.ts";
import { dotted, isKeyed, type KeyPath, type Position, type Source, valueAt } from "./source.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { errorText } from "../base/text/error_text.ts";
import { type UnknownVariable, unknownVariables } from "./variables.ts";
import { present } from "../base/schema.ts";

export interface Layer {
  readonly data: Record<string, unknown>;
  readonly problems: readonly Problem[];
  readonly broken?: boolean;
  sourceOf(path: KeyPath): Source;
  /** A problem of the value at a path; `%` in the message stands for the value's name. */
  problemAt(path: KeyPath, message: string): Problem;
}

export interface Problem {
  /** The place that precedes the message; empty where there is none. */
  readonly where: string;
  readonly message: string;
  readonly position?: Position;
  readonly key?: string;
  /** Whether that value is not what the schema wants, whatever other values are. @default {false} */
  readonly isOfForm?: boolean;
  /** Of a key that is not known: the dotted path of the one that was meant. */
  readonly meant?: string;
  readonly allowed?: readonly string[];
  /** Keys that are missing, where that is what is wrong: any of them would do. */
  readonly missing?: readonly string[];
  /** The row of the file at that position, without secrets; missing where it is too long to be shown. */
  readonly row?: string;
}

interface FileLayerOptions {
  readonly shownAs: string;
  readonly form: FileForm | ((data: Readonly<Record<string, unknown>>) => FileForm);
  readonly files: InputFiles;
  readonly group?: string;
}

export async function readFileLayer(path: string, options: FileLayerOptions): Promise<Layer> {
  try {
    return fileLayer(await options.files.read(path), options);
  } catch (cause) {
    const reason = inputProblem(cause);
    throw new UsageError(`Cannot read the config file ${options.shownAs}: ${reason}`, {
      cause,
      hint: cause instanceof Deno.errors.NotFound
        ? 'Run "panewright init" to write a config to start from, or name another file.'
        : "A config file must be a regular file that you can read, with UTF-8 text of at most 1 MiB.",
    });
  }
}

export function inputProblem(error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return "there is no such file";
  return errorText(error);
}

/** Characters of a row that is shown below a mistake; a longer one is not made for people. */
const MAX_SHOWN_ROW = 2000;

function fileLayer(text: string, { shownAs, form, group }: FileLayerOptions): Layer {
  const document = parseJsonc(text);
  const rows = text.split(/\r?\n/);
  // What is shown of the file may get into a public log.
  const redactor = createRedactor([]);
  const toProblem = ({ line, column, message: quoting }: JsoncProblem): Problem => {
    const message = sanitizeLine(redactor.text(quoting));
    const row = rows[line - 1] ?? "";
    const shown = row.length > MAX_SHOWN_ROW ? {} : { row: redactor.text(row) };
    return { where: `${shownAs}:${line}:${column}`, message, position: { line, column }, ...shown };
  };
  const problemAt = (path: KeyPath, message: string): Problem => ({
    ...toProblem({ ...document.locate(path), message: named(message, dotted(path)) }),
    key: dotted(path),
  });
  const data = isKeyed(document.value) ? document.value : {};
  return {
    data,
    problems: fileProblems(),
    broken: document.syntaxError !== undefined || !document.opensObject,
    sourceOf: (path) => ({ kind: "file", file: shownAs, line: document.locate(path).line }),
    problemAt,
  };

  function fileProblems(): Problem[] {
    if (!document.opensObject) return [problemAt([], "a config file must hold one object: { … }")];
    if (document.syntaxError !== undefined) return [toProblem(document.syntaxError)];
    const wanted = typeof form === "function" ? form(data) : form;
    const found = findProblems(group === undefined ? data : { [group]: data }, wanted);
    const above = group === undefined ? 0 : 1;
    return [
      ...document.duplicateKeys.map(toProblem),
      ...found.map((each) => schemaProblem({ ...each, path: each.path.slice(above) }, problemAt)),
    ];
  }
}

function schemaProblem(
  { path, message, meant, allowed, isMissing }: ValueProblem,
  problemAt: Layer["problemAt"],
): Problem {
  return {
    ...problemAt(path, message),
    isOfForm: true,
    ...(meant === undefined ? {} : { meant: dotted(meant) }),
    ...present({ allowed }),
    ...(isMissing === true ? { missing: [dotted(path)] } : {}),
  };
}

export function environmentLayer(env: (name: string) => string | undefined, form: ConfigForm): Layer {
  const given: Given[] = [];
  const problems: Problem[] = [];
  for (const { key, value, variables } of form.settings) {
    const name = variables.find((variable) => (env(variable) ?? "") !== "");
    if (name === undefined) continue;
    const text = env(name) ?? "";
    const meant = fromText(text, value);
    if (meant !== undefined) given.push({ key, name, value: meant });
    else {
      const words = value.kind === "switch" && value.onlyBy1 ? "" : " (or true/false, yes/no, on/off)";
      const expected = value.kind === "switch" ? `1 or 0${words}` : "a number, such as 2 or 0.5";
      problems.push({ where: variablePlace(name), message: `must be ${expected}, but is ${JSON.stringify(text)}` });
    }
  }
  return namedLayer(given, { problems, placeOf: variablePlace, kind: "environment", form });
}

/**
 * What is wrong with variables that are meant for panewright and that it does not know: one that is near a variable is
 * a mistake, as a key of the file would be; any other one may belong to a script, and is only told. One that is empty
 * counts as not set.
 */
export function checkVariableNames(
  names: readonly string[],
  { env, form: { settings } }: { env(name: string): string | undefined; readonly form: ConfigForm },
): { readonly mistakes: readonly Problem[]; readonly warnings: readonly Problem[] } {
  const unknown = unknownVariables(names, settings.flatMap(({ variables }) => variables))
    .filter(({ name }) => env(name) !== "");
  const problemOf = ({ name, nearest }: UnknownVariable): Problem => ({
    where: variablePlace(name),
    message: `unknown variable${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
  });
  return {
    mistakes: unknown.filter(({ nearest }) => nearest !== undefined).map(problemOf),
    warnings: unknown.filter(({ nearest }) => nearest === undefined).map(problemOf),
  };
}

function variablePlace(name: string): string {
  return `environment variable ${name}`;
}

function fromText(text: string, value: TableEntry["value"]): unknown {
  const { kind } = value;
  const word = text.trim().toLowerCase();
  if (kind === "switch") {
    if (word === "1" || (!value.onlyBy1 && ["true", "yes", "on"].includes(word))) return true;
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
    key: dotted(path),
  });
  const found = given.length === 0 ? [] : findProblems(data, form);
  return {
    data,
    problems: [...problems, ...found.map((each) => schemaProblem(each, problemAt))],
    sourceOf: (path) => ({ kind, name: nameOf(path) }),
    problemAt,
  };
}

/** Puts layers into one, the first one on top; objects are merged key by key, everything else is replaced. */
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
