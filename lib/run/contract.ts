import { basename, dirname, relative } from "@std/path/posix";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { openRegularFile, readRegularText } from "../base/ports/regular_file.ts";
import { isObject } from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { lineDiff } from "../base/text/line_diff.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { decodeUtf8 } from "../base/text/utf8.ts";
import { isPlaceholder } from "../sandbox/placeholders.ts";
import type { RunFolder } from "./run_folder.ts";

/** A file as it was when the run began. */
export interface ContractFile {
  /**
   * `config`: what the plan was made of. `script`: what a check or the test command names. `project`: what such a command
   * reads and agents may change, such as `package.json`: a change is only told.
   */
  readonly kind: "config" | "script" | "project";
  /** Null where there was none. */
  readonly text: string | null;
}

/** What a run is bound to, by paths relative to the working directory. */
export type Contract = Readonly<Record<string, ContractFile>>;

export interface ContractChange {
  readonly path: string;
  readonly before: string | null;
  readonly now: string | null;
}

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_CONTRACT_BYTES = 64 * 1024 * 1024;

/** A file that a contract may hold, links followed; undefined where it is none, is too large, or is not a text. */
export function readContractText(path: string): string | undefined {
  try {
    using file = openRegularFile(path, { access: "read", followLinks: true });
    const { size } = file.stat();
    if (size > MAX_FILE_BYTES) return undefined;
    const bytes = new Uint8Array(size);
    return decodeUtf8(bytes.subarray(0, file.readAt(0, bytes)));
  } catch {
    return undefined;
  }
}

/** By what a contract has a file: its path from the working directory, links among its folders resolved. */
export function contractKey(workdir: string, path: string): string {
  try {
    return relative(workdir, `${Deno.realPathSync(dirname(path))}/${basename(path)}`);
  } catch {
    return relative(workdir, path);
  }
}

/** What of a file a contract holds: of what packages and tasks are named in, only the commands. */
export function readBound(path: string, kind: ContractFile["kind"]): string | undefined {
  // What a sandbox that is open shows there is no work of anybody.
  if (isPlaceholder(path, lstatOrUndefined(path) ?? {})) return undefined;
  const text = readContractText(path);
  const key = { "package.json": "scripts", "deno.json": "tasks" }[basename(path)];
  if (kind !== "project" || text === undefined || key === undefined) return text;
  try {
    return JSON.stringify(JSON.parse(text)[key] ?? {}, undefined, 2);
  } catch {
    return text;
  }
}

/**
 * Keeps a contract where no agent can write, and a copy of it beside the journal's.
 *
 * @returns its hash, for the journal
 */
export async function keepContract(folder: RunFolder, contract: Contract): Promise<string> {
  const text = JSON.stringify({ version: 1, files: contract });
  if (folder.journalPath !== folder.copyPath) await replaceFile(besideOf(folder.journalPath), text, { durable: true });
  await replaceFile(besideOf(folder.copyPath), text);
  return await sha256Hex(text);
}

/**
 * The contract that a run is judged by; undefined where it has none.
 *
 * @param hash what the journal says of it
 * @returns `isProven`: no agent could write it
 */
export async function readContract(
  { journalPath, copyPath }: RunFolder,
  hash: string | undefined,
): Promise<{ readonly contract: Contract; readonly isProven: boolean } | undefined> {
  for (const path of new Set([journalPath, copyPath])) {
    try {
      const text = readRegularText(besideOf(path), { maxBytes: MAX_CONTRACT_BYTES });
      const isProven = path !== copyPath;
      const isNamed = await sha256Hex(text) === hash;
      if (isNamed || !isProven) return { contract: parseContract(text), isProven };
    } catch { /* it is not there, or damaged */ }
  }
  return undefined;
}

function besideOf(journalPath: string): string {
  return `${dirname(journalPath)}/contract.json`;
}

function parseContract(text: string): Contract {
  const { files } = JSON.parse(text);
  const isFile = (file: unknown) => isObject(file) && (file["text"] === null || typeof file["text"] === "string");
  if (!isObject(files) || !Object.values(files).every(isFile)) throw new SyntaxError("it is not a contract");
  return files as unknown as Contract;
}

/**
 * What of a contract is not so now. A script that only now is there is no part of it; a file of the configuration may
 * have another name.
 */
export function contractChanges(contract: Contract, now: Contract): readonly ContractChange[] {
  const isElsewhere = (path: string, here: Contract, there: Contract) =>
    here[path]?.kind === "config" && there[path] === undefined && here[path].text !== null &&
    Object.entries(there).some(([other, { kind, text }]) =>
      kind === "config" && here[other] === undefined && text === here[path]?.text
    );
  const paths = new Set([...Object.keys(contract), ...Object.keys(now).filter((path) => now[path]?.kind === "config")]);
  return [...paths].flatMap((path) => {
    const [before, after] = [contract[path], now[path]];
    const isBound = before?.kind !== "project" && (before !== undefined || after?.kind === "config");
    if (isElsewhere(path, contract, now) || isElsewhere(path, now, contract)) return [];
    // What the plan no longer names was changed by what the plan is made of.
    if (!isBound || before?.kind === "script" && after === undefined) return [];
    const [was, is] = [before?.text ?? null, after?.text ?? null];
    return was === is ? [] : [{ path, before: was, now: is }];
  });
}

/** The changes as a diff; what came from a file cannot act on a terminal. */
export function describeChanges(changes: readonly ContractChange[]): string {
  return changes.flatMap(({ path, before, now }) => [
    `--- ${before === null ? "(was not there)" : path}`,
    `+++ ${now === null ? "(is not there)" : path}`,
    ...shortDiff(before ?? "", now ?? ""),
  ]).map((row) => sanitizeLine(row)).join("\n");
}

/** What differs, with some lines around it; texts of others may be of any length. */
export function shortDiff(before: string, now: string): readonly string[] {
  const [old, after] = [before, now].map((text) => text === "" ? [] : text.split("\n")) as [string[], string[]];
  const shorter = Math.min(old.length, after.length);
  let start = 0;
  while (start < shorter && old[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === after.at(-1 - end)) end++;
  const [went, came] = [old.slice(start, old.length - end), after.slice(start, after.length - end)];
  const same = (rows: readonly string[]) => rows.map((row) => ` ${row}`);
  return [
    `@@ line ${start + 1} @@`,
    ...same(old.slice(Math.max(0, start - CONTEXT_ROWS), start)),
    ...(went.length * came.length <= MAX_COMPARED
      ? lineDiff(went.map((row) => `${row}\n`).join(""), came.map((row) => `${row}\n`).join(""))
      : [...went.map((row) => `-${row}`), ...came.map((row) => `+${row}`)]),
    ...same(old.slice(old.length - end).slice(0, CONTEXT_ROWS)),
  ];
}

const CONTEXT_ROWS = 3;
const MAX_COMPARED = 1_000_000;
