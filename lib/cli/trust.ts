import { diffSince, keepTexts } from "../config/trust/kept_texts.ts";
import { examineFolder } from "./folder_trust.ts";
import { folderOfPerson } from "../workspace/workspace.ts";
import { basename, dirname, resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../config/default_file.ts";
import type { LoadedSettings } from "../config/load.ts";
import {
  changedFiles,
  changesSince,
  examineConfig,
  isTrustedForRun,
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
import { changeTrust, readEntry, trustStorePath, usedStorePath } from "../config/trust/store.ts";
import { HumanInterventionRequiredError, UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { shellJoin } from "../shell/quote.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { askLine } from "./console/ask_line.ts";
import { type CliIo, switchFlag, type TerminalInput } from "./console/command.ts";

export const TRUST_VARIABLE = "PANEWRIGHT_TRUST";

export const TRUST_FLAG = switchFlag(
  `use the configuration as it is, without asking whether you trust it (for CI; or ${TRUST_VARIABLE}=1)`,
);

export interface TrustSurroundings {
  readonly io: CliIo;
  readonly trust: boolean;
  readonly mayAsk: boolean;
  /** Whether it is about a run that may have begun by `--trust`. @default {false} */
  readonly isContinued?: boolean;
}

/** What a person has not trusted yet, or not as it is now. */
interface Untrusted {
  readonly subject: TrustSubject;
  readonly changes: TrustChanges;
  readonly known: boolean;
  /** How its files differ from what was trusted, for people; empty where that is not known. */
  readonly diff: string;
  readonly remedy: string;
  /** Whether what would be trusted is what was read before it was shown. @default nothing was read before */
  readonly isAsRead?: () => Promise<boolean>;
}

type Loaded = Pick<LoadedSettings, "file"> & Pick<Parameters<typeof relativeFiles>[1], "files"> & {
  readonly config?: Pick<LoadedSettings["config"], "prompt_file">;
};

/** What is to be trusted before anything of a repository acts. */
export interface TrustNeeded {
  /** The config file with all that it names; without a file there is nothing to trust. */
  readonly config?: Loaded;
  /** A folder whose test command checks the work. */
  readonly folder?: { readonly folder: string; readonly check: string; readonly isOwn: boolean };
  /** What agents obey in the folder in which they work. */
  readonly obeyed?: { readonly workdir: string; readonly agents: readonly Provider[] };
}

/**
 * Sees to it that a person has trusted all of this as it is: shows what they have not, and asks once.
 *
 * @throws {HumanInterventionRequiredError} where nobody is there to ask, or the answer is no
 */
export async function requireTrust(
  needed: TrustNeeded,
  { io, isContinued = false, mayAsk, trust }: TrustSurroundings,
): Promise<void> {
  const isTrusted = trust || isTrustedByVariable(io);
  if (isTrusted && io.beginsLater !== true) return;
  const store = trustStorePath(io.env);
  const all = await untrustedOf(needed, { io, store });
  // What begins later may do what stands there now, and nothing that has changed by then.
  if (isTrusted) return await recordAll(requireStorePath(io), all);
  const [first, ...others] = all;
  if (first === undefined) return;
  const isUsed = async () => (await untrustedOf(needed, { io, store: usedStorePath(io.env) })).length === 0;
  if (isContinued && await isUsed()) return;
  if (store !== undefined && mayAsk && isAtTerminal(io)) {
    for (const { changes, diff, known, subject } of all) {
      io.stderr(`${describeSubject(subject.file, changes, { known })}${diff}`);
    }
    if (await askForTrust(io, all.flatMap(({ changes }) => changes.items))) {
      await recordAll(store, all);
      const asRead = await Promise.all(all.map(({ isAsRead }) => isAsRead?.() ?? true));
      if (!asRead.includes(false)) return;
    }
  }
  throw untrusted([first, ...others]);
}

async function recordAll(store: string, all: readonly Untrusted[]): Promise<void> {
  for (const { subject } of all) await recordTrust(store, subject);
}

/** Keeps what a run begins with by `--trust`, for the commands by which it continues. */
export async function keepUsed(needed: TrustNeeded, { io, trust }: TrustSurroundings): Promise<void> {
  const used = usedStorePath(io.env);
  if (used === undefined || !trust && !isTrustedByVariable(io)) return;
  try {
    for (const { subject } of await untrustedOf(needed, { io, store: used })) await recordTrust(used, subject);
  } catch (error) {
    // Where nothing can be kept, the next command asks.
    if (!(error instanceof UsageError)) throw error;
  }
}

interface Looking {
  readonly io: CliIo;
  /** Where it is kept what is trusted. @default nothing is */
  readonly store?: string | undefined;
}

/** What of it is not as a store has it. */
async function untrustedOf({ config, folder, obeyed }: TrustNeeded, looking: Looking): Promise<readonly Untrusted[]> {
  const looked = [
    config === undefined ? undefined : await untrustedConfig(config, looking),
    folder === undefined ? undefined : await untrustedFolder(folder, looking),
    obeyed === undefined ? undefined : await untrustedObeyed(obeyed, looking),
  ];
  return looked.filter((one) => one !== undefined);
}

async function untrustedConfig(
  { config, file, files: read }: Loaded,
  { io, store }: Looking,
): Promise<Untrusted | undefined> {
  if (file === undefined) return undefined;
  const path = resolve(io.cwd, file);
  const key = await trustedAs(path);
  const files = relativeFiles(path, { files: read, jobFile: config?.prompt_file });
  const trusted = readEntry(store, key);
  if (trusted !== undefined && changedFiles(trusted, files).length === 0) return undefined;
  const subject = await examineConfig(path);
  const changes = await changesSince(trusted, subject);
  return {
    ...{ subject, known: trusted !== undefined, changes },
    diff: diffSince(store, trusted, { file: subject.file, changed: changes.files }),
    remedy: `Look at what it does and trust it with: ${trustCommand(subject.file, io)}`,
    isAsRead: async () => changedFiles(await trustedConfig(subject, new Date()), files).length === 0,
  };
}

async function untrustedFolder(
  { check, folder, isOwn }: NonNullable<TrustNeeded["folder"]>,
  { store }: Looking,
): Promise<Untrusted | undefined> {
  const subject = examineFolder(folder, check);
  const trusted = readEntry(store, subject.file);
  const changes = await changesSince(trusted, subject);
  if (changes.items.length === 0) return undefined;
  const known = trusted !== undefined;
  if (store !== undefined && known && isOwn) return void await recordTrust(store, subject);
  return { subject, changes, known, diff: "", remedy: "Start it in a terminal: there you are asked." };
}

/** What agents would obey that no person has seen. What was shown is trusted by its hash. */
async function untrustedObeyed(
  { agents, workdir }: NonNullable<TrustNeeded["obeyed"]>,
  { io, store }: Looking,
): Promise<Untrusted | undefined> {
  const subject = await examineObeyed({ workdir, agents }, io);
  const trusted = readEntry(store, subject.file);
  const changes = await changesSince(trusted, subject);
  if (changes.items.length === 0 && changes.files.length === 0) return undefined;
  const command = shellJoin(["panewright", "trust", ...(workdir === io.cwd ? [] : [workdir])]);
  return {
    ...{ subject, changes, known: trusted !== undefined },
    diff: diffSince(store, trusted, { file: subject.file, changed: changes.files }),
    remedy: `Look at it and trust it with: ${command}`,
  };
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
  if (lstatOrUndefined(configFile) === undefined) return;
  if (await isTrustedForRun(configFile, around.io.env)) return;
  const { files: now } = await examineConfig(configFile);
  const files = new Map(Object.entries(now).map(([name, sha256]) => [resolve(configFile, "..", name), { sha256 }]));
  await requireTrust({ config: { file: configFile, files } }, around);
}

export async function recordTrust(store: string, subject: TrustSubject): Promise<void> {
  const entry = await trustedConfig(subject, new Date());
  await changeTrust(store, (configs) => {
    const before = isObeyedFolder(subject.file) ? new Map(Object.entries(configs)).get(subject.file) : undefined;
    // What other agents obey there is trusted as before.
    const files = { ...before?.files, ...entry.files };
    return { ...configs, [subject.file]: { ...entry, files, items: { ...before?.items, ...entry.items } } };
  });
  // What is trusted is on record by now: only what is shown of a later change may be missing.
  await keepTexts(store, subject).catch(() => {});
}

function isObeyedFolder(file: string): boolean {
  return file.endsWith("/");
}

export async function recordWritten(
  io: CliIo,
  { path }: { readonly path: string },
): Promise<string | undefined> {
  const store = trustStorePath(io.env);
  if (store === undefined) return "neither HOME nor XDG_STATE_HOME names a folder";
  try {
    await recordTrust(store, await examineConfig(path));
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

function untrusted(all: readonly [Untrusted, ...Untrusted[]]): HumanInterventionRequiredError {
  const rows = all.flatMap(({ changes, diff, known, subject: { file } }) => {
    const what = isObeyedFolder(file) ? "what agents obey there" : "it";
    const reason = known ? `${what} has changed since you trusted it` : `you have not trusted ${what}`;
    return [
      `Cannot use ${sanitizeLine(file)}: ${reason}`,
      ...(known
        ? `${describeSubject(file, changes, { known })}${diff}`.trimEnd().split("\n").slice(1)
        : changes.items.map(describeItem)),
    ];
  });
  const remedies = [...new Set(all.map(({ remedy }) => remedy))].join("\n");
  return new HumanInterventionRequiredError(rows.join("\n"), {
    code: "needs_trust",
    hint: `${remedies}\nIf nobody can be asked, as in CI: --trust or ${TRUST_VARIABLE}=1.`,
  });
}

function trustCommand(file: string, { cwd }: CliIo): string {
  const named = basename(file) === DEFAULT_CONFIG_FILE ? dirname(file) : file;
  return shellJoin(["panewright", "trust", ...(named === cwd ? [] : [named])]);
}

export function isTrustedByVariable({ env }: CliIo): boolean {
  const value = (env(TRUST_VARIABLE) ?? "").trim().toLowerCase();
  if (["1", "true", "yes", "on"].includes(value)) return true;
  if (["", "0", "false", "no", "off"].includes(value)) return false;
  throw new UsageError(`Cannot use the environment variable ${TRUST_VARIABLE}: must be 1 or 0, but is "${value}"`);
}
