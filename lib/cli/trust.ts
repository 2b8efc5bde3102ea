import { examineFolder } from "./folder_trust.ts";
import { folderOfPerson } from "../workspace/workspace.ts";
import { basename, dirname, resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../config/default_file.ts";
import type { LoadedSettings } from "../config/load.ts";
import {
  changedFiles,
  changesSince,
  examineConfig,
  filesNow,
  relativeFiles,
  type TrustChanges,
  trustedAs,
  trustedConfig,
  type TrustSubject,
} from "../config/trust/examine.ts";
import { obeyedSubject } from "../config/trust/obeyed.ts";
import { surveyObeyed } from "../agents/obeyed_files.ts";
import type { Provider } from "../agents/provider.ts";
import type { TrustItem } from "../config/trust/items.ts";
import { changeTrust, readTrust, type TrustedConfig, trustStorePath } from "../config/trust/store.ts";
import { HumanInterventionRequiredError, UsageError } from "../base/errors.ts";
import { shellJoin } from "../shell/quote.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { askLine } from "./console/ask_line.ts";
import { type CliIo, switchFlag, type TerminalInput } from "./console/command.ts";

const TRUST_VARIABLE = "PANEWRIGHT_TRUST";

export const TRUST_FLAG = switchFlag(
  `use the configuration as it is, without asking whether you trust it (for CI; or ${TRUST_VARIABLE}=1)`,
);

export interface TrustSurroundings {
  readonly io: CliIo;
  readonly trust: boolean;
  readonly mayAsk: boolean;
  /** Whether the job still is what panewright wrote: its text is then not the one that is trusted. @default {false} */
  readonly isUnwritten?: boolean;
}

export async function requireTrust(
  { file, files: read }: Pick<LoadedSettings, "file"> & { readonly files: Parameters<typeof relativeFiles>[1] },
  { io, trust, mayAsk, isUnwritten = false }: TrustSurroundings,
): Promise<void> {
  if (file === undefined || trust || isTrustedByVariable(io)) return;
  const path = resolve(io.cwd, file);
  const key = await trustedAs(path);
  const store = trustStorePath(io.env);
  const files = relativeFiles(path, read);
  const trusted = store === undefined ? undefined : ownEntry(readTrust(store), key);
  if (trusted !== undefined && changedFiles(trusted, files).length === 0) {
    if (!isUnwritten) await fillIn({ store, key, trusted, files });
    return;
  }
  const subject = await examineConfig(path);
  const changes = await changesSince(trusted, subject);
  if (store !== undefined && mayAsk && isAtTerminal(io)) {
    io.stderr(describeSubject(subject.file, changes, { known: trusted !== undefined }));
    if (await askForTrust(io, changes.items)) {
      await recordTrust(store, subject);
      // What was shown must be what was read before: it may have been changed meanwhile.
      if (changedFiles(await trustedConfig(subject, new Date()), files).length === 0) return;
    }
  }
  const remedy = `Look at what it does and trust it with: ${trustCommand(subject.file, io)}`;
  throw untrusted(subject.file, changes, { known: trusted !== undefined, remedy });
}

export async function requireFolderTrust(
  { folder, check }: { readonly folder: string; readonly check: string },
  { io, trust, mayAsk, isOwn }: TrustSurroundings & { readonly isOwn: boolean },
): Promise<void> {
  if (trust || isTrustedByVariable(io)) return;
  const subject = examineFolder(folder, check);
  const store = trustStorePath(io.env);
  const trusted = store === undefined ? undefined : ownEntry(readTrust(store), subject.file);
  const known = trusted !== undefined;
  const changes = await changesSince(trusted, subject);
  if (changes.items.length === 0) return;
  if (store !== undefined && known && isOwn) return await recordTrust(store, subject);
  if (store !== undefined && mayAsk && isAtTerminal(io)) {
    io.stderr(describeSubject(subject.file, changes, { known }));
    if (await askForTrust(io, changes.items)) return await recordTrust(store, subject);
  }
  throw untrusted(subject.file, changes, { known, remedy: "Start it in a terminal: there you are asked." });
}

/** Refuses to start agents where they would obey what no person has seen. What was shown is trusted by its hash. */
export async function requireObeyedTrust(
  { workdir, agents }: { readonly workdir: string; readonly agents: readonly Provider[] },
  { io, trust, mayAsk }: TrustSurroundings,
): Promise<void> {
  if (trust || isTrustedByVariable(io)) return;
  const subject = await examineObeyed({ workdir, agents }, io);
  const store = trustStorePath(io.env);
  const trusted = store === undefined ? undefined : ownEntry(readTrust(store), subject.file);
  const known = trusted !== undefined;
  const changes = await changesSince(trusted, subject);
  if (changes.items.length === 0 && changes.files.length === 0) return;
  if (store !== undefined && mayAsk && isAtTerminal(io)) {
    io.stderr(describeSubject(subject.file, changes, { known }));
    if (await askForTrust(io, changes.items)) return await recordTrust(store, subject);
  }
  const command = shellJoin(["panewright", "trust", ...(workdir === io.cwd ? [] : [workdir])]);
  const remedy = `Look at it and trust it with: ${command}`;
  throw untrusted(subject.file, changes, { known, remedy });
}

export async function examineObeyed(
  { workdir, agents }: { readonly workdir: string; readonly agents: readonly Provider[] },
  { env }: CliIo,
): Promise<TrustSubject> {
  return await obeyedSubject(folderOfPerson(workdir), await surveyObeyed(agents, { workdir, home: env("HOME") }));
}

export async function requireTrustOfRun(configFile: string | null, around: TrustSurroundings): Promise<void> {
  if (configFile === null || around.trust || isTrustedByVariable(around.io)) return;
  // A config that is gone acts no more.
  if (!await isThere(configFile)) return;
  const store = trustStorePath(around.io.env);
  const trusted = store === undefined ? undefined : ownEntry(readTrust(store), await trustedAs(configFile));
  const now = trusted === undefined ? (await examineConfig(configFile)).files : await filesNow(configFile, trusted);
  const files = new Map(Object.entries(now).map(([name, sha256]) => [resolve(configFile, "..", name), { sha256 }]));
  await requireTrust({ file: configFile, files }, around);
}

export async function recordTrust(store: string, subject: TrustSubject): Promise<void> {
  const entry = await trustedConfig(subject, new Date());
  await changeTrust(store, (configs) => {
    const before = isObeyedFolder(subject.file) ? ownEntry(configs, subject.file) : undefined;
    // What other agents obey there is trusted as before.
    const files = { ...before?.files, ...entry.files };
    return { ...configs, [subject.file]: { ...entry, files, items: { ...before?.items, ...entry.items } } };
  });
}

function isObeyedFolder(file: string): boolean {
  return file.endsWith("/");
}

export async function recordWritten(
  io: CliIo,
  { path, stillToWrite = [] }: { readonly path: string; readonly stillToWrite?: readonly string[] },
): Promise<string | undefined> {
  const store = trustStorePath(io.env);
  if (store === undefined) return "neither HOME nor XDG_STATE_HOME names a folder";
  try {
    const subject = await examineConfig(path);
    const entry = await trustedConfig(subject, new Date());
    const files = { ...entry.files, ...Object.fromEntries(stillToWrite.map((name) => [name, null])) };
    await changeTrust(store, (configs) => ({ ...configs, [subject.file]: { ...entry, files } }));
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A program that Deno was told to keep out of the state folder says nothing: it was meant so.
    return error.cause instanceof Deno.errors.NotCapable ? undefined : error.message;
  }
}

export function requireStorePath(io: CliIo): string {
  const path = trustStorePath(io.env);
  if (path !== undefined) return path;
  throw new UsageError("Cannot keep what you trust: neither HOME nor XDG_STATE_HOME names a folder", {
    hint: "Set HOME to your home folder.",
  });
}

export function isAtTerminal({ isTerminal }: CliIo): boolean {
  return isTerminal.stdin && isTerminal.stderr;
}

/** Asks about each item that needs it, then about the rest; no answer is a no. */
export async function askForTrust(io: CliIo, items: readonly TrustItem[]): Promise<boolean> {
  using input = io.openTerminalInput();
  for (const item of items.filter(({ alone }) => alone)) {
    if (!await isYes(`Do you allow this?\n${describeItem(item)}`, { io, input })) return false;
  }
  return await isYes("Do you trust it as it is?", { io, input });
}

export async function isYes(
  question: string,
  { io, input }: { readonly io: CliIo; readonly input: TerminalInput },
): Promise<boolean> {
  const line = await askLine(`\n${question} [y/N] `, { io, input }) ?? "";
  return /^y(?:es)?[ \t]*[\r\n]+$/i.test(line);
}

export function describeSubject(file: string, changes: TrustChanges, { known }: { readonly known: boolean }): string {
  const { items, gone, files } = changes;
  const acts = isObeyedFolder(file)
    ? "brings what agents obey once you trust it"
    : "acts on your behalf once you trust it";
  const head = known ? "has changed since you trusted it" : acts;
  const rows = [
    `${sanitizeLine(file)} ${head}.`,
    ...(items.length === 0 ? [known ? "What it does is the same." : "It only sets limits."] : ["It"]),
    ...items.map((item) => `${describeItem(item)}${known ? item.isNew ? " (new)" : " (changed)" : ""}`),
    ...(gone.length === 0 ? [] : [`No longer there: ${sanitizeLine(gone.join(", "))}`]),
    ...(files.length === 0 ? [] : [`${known ? "Changed or new files" : "Files"}: ${sanitizeLine(files.join(", "))}`]),
    ...(items.some(({ alone }) => alone) ? ["! marks what a repository should rarely need."] : []),
  ];
  return `${rows.join("\n")}\n`;
}

/** One item as a row. A command is shown whole, however long: what is cut off could be what matters. */
function describeItem({ key, does, value, alone }: TrustItem): string {
  const text = sanitizeLine(JSON.stringify(value));
  const isText = /^(?:prompt|rules\.|layouts\.)/.test(key) && text.length > LONGEST_TEXT;
  const shown = isText ? `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)` : text;
  return ` ${alone ? "!" : " "} ${does}: ${shown}  [${sanitizeLine(key)}]`;
}

const LONGEST_TEXT = 400;

interface Filling {
  readonly store: string | undefined;
  readonly key: string;
  readonly trusted: TrustedConfig;
  readonly files: Readonly<Record<string, string>>;
}

async function fillIn({ store, key, trusted, files }: Filling): Promise<void> {
  const written = Object.entries(files).filter(([name]) => trusted.files[name] === null);
  if (store === undefined || written.length === 0) return;
  await changeTrust(store, (configs) => {
    const entry = ownEntry(configs, key) ?? trusted;
    return { ...configs, [key]: { ...entry, files: { ...entry.files, ...Object.fromEntries(written) } } };
  });
}

function untrusted(
  file: string,
  changes: TrustChanges,
  { known, remedy }: { readonly known: boolean; readonly remedy: string },
): HumanInterventionRequiredError {
  const what = isObeyedFolder(file) ? "what agents obey there" : "it";
  const reason = known ? `${what} has changed since you trusted it` : `you have not trusted ${what}`;
  const rows = known
    ? describeSubject(file, changes, { known }).trimEnd().split("\n").slice(1)
    : changes.items.map(describeItem);
  return new HumanInterventionRequiredError(
    [`Cannot use ${sanitizeLine(file)}: ${reason}`, ...rows].join("\n"),
    { code: "needs_trust", hint: `${remedy}\nIf nobody can be asked, as in CI: --trust or ${TRUST_VARIABLE}=1.` },
  );
}

function trustCommand(file: string, { cwd }: CliIo): string {
  const named = basename(file) === DEFAULT_CONFIG_FILE ? dirname(file) : file;
  return shellJoin(["panewright", "trust", ...(named === cwd ? [] : [named])]);
}

function isTrustedByVariable({ env }: CliIo): boolean {
  const value = (env(TRUST_VARIABLE) ?? "").trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(value)) return true;
  if (["", "0", "false", "no", "off"].includes(value)) return false;
  throw new UsageError(`Cannot use the environment variable ${TRUST_VARIABLE}: must be 1 or 0, but is "${value}"`);
}

function ownEntry<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

async function isThere(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
