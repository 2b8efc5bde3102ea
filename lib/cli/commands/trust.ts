import { dirname, resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../../config/default_file.ts";
import { loadSettings } from "../../config/load.ts";
import { agentsIn } from "../../config/trust/obeyed.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { configSource } from "../environment.ts";
import {
  changesSince,
  examineConfig,
  type TrustChanges,
  trustedAs,
  type TrustSubject,
} from "../../config/trust/examine.ts";
import { diffSince } from "../../config/trust/kept_texts.ts";
import { changeTrust, readTrust, type TrustedConfig } from "../../config/trust/store.ts";
import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type CliIo, defineCommand, type GlobalFlags, switchFlag } from "../console/command.ts";
import { askForTrust, describeSubject, examineObeyed, isAtTerminal, recordTrust, requireStorePath } from "../trust.ts";

export const command = defineCommand({
  arguments: [{
    name: "DIR",
    description: "the folder, or the config file itself; the working directory if left out",
  }],
  flags: {
    yes: switchFlag("trust it without being asked; what it does is shown all the same"),
    list: switchFlag("list the configurations that you trust"),
    remove: switchFlag("trust it no longer"),
  },
  async run({ flags, positionals, global }, io) {
    const [dir] = positionals;
    const store = requireStorePath(io);
    const chosen = [flags.yes, flags.list, flags.remove].filter((flag) => flag === true);
    if (chosen.length > 1) {
      throw new UsageError("Cannot do several things at once: give one of --yes, --list, --remove");
    }
    if (flags.list === true) return list(store, { io, global });
    const given = resolve(io.cwd, dir ?? ".");
    const path = await configPath(given);
    if (flags.remove === true) return await remove(store, { given, path, io, global });
    return await trust(store, { given, path, io, global, yes: flags.yes === true });
  },
});

interface Around {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

async function trust(
  store: string,
  { given, path, io, global, yes }: Around & { readonly given: string; readonly path: string; readonly yes: boolean },
): Promise<number> {
  const place = await obeyedIn({ given, path, io });
  // A folder without a config may still have something that agents obey.
  const isConfigured = place.isConfigured || place.subject.items.length === 0;
  const subjects = [
    ...(isConfigured ? [await examineConfig(path)] : []),
    ...(place.subject.items.length === 0 ? [] : [place.subject]),
  ];
  let isNew = false;
  for (const subject of subjects) {
    const since = await changesSince(readTrust(store)[subject.file], subject);
    const whole = await changesSince(undefined, subject);
    show(subject, whole, { io, global });
    const before = readTrust(store)[subject.file];
    const diff = diffSince(store, before, { file: subject.file, changed: since.files });
    if (diff !== "" && !global.json) io.stdout(`What has changed since you trusted it:\n${diff}`);
    if (before !== undefined && since.files.length === 0) {
      if (global.json) io.stdout(trustedLine(subject.file, before));
      continue;
    }
    isNew = true;
    if (!yes && isAtTerminal(io) && !await askForTrust(io, whole.items)) {
      io.stderr("It is not trusted.\n");
      return 3;
    }
    if (!yes && !isAtTerminal(io)) continue;
    await recordTrust(store, subject);
    const now = readTrust(store)[subject.file];
    if (global.json && now !== undefined) io.stdout(trustedLine(subject.file, now));
  }
  if (isNew && !yes && !isAtTerminal(io)) {
    throw new HumanInterventionRequiredError(`Cannot ask whether you trust ${path}: there is no terminal`, {
      hint: "Trust what is shown above with: panewright trust --yes",
    });
  }
  if (!global.quiet) io.stderr(isNew ? "It is trusted.\n" : "You trust it as it is.\n");
  return 0;
}

function show({ file, items, files }: TrustSubject, changes: TrustChanges, { io: { stdout }, global }: Around): void {
  if (!global.json) return stdout(describeSubject(file, changes, { known: false }));
  for (const { key, does, value, alone } of items) stdout(outputLine("trust_item", { key, does, value, alone }));
  for (const [name, sha256] of Object.entries(files)) stdout(outputLine("trust_file", { path: name, sha256 }));
}

/** What the agents obey that a config uses; where there is no config that can be used, what any agent obeys. */
async function obeyedIn({ given, path, io }: { readonly given: string; readonly path: string; readonly io: CliIo }) {
  const isConfigured = given === path || await Deno.lstat(path).then(() => true, () => false);
  const loaded = isConfigured
    ? await loadSettings(await configSource({ ...io, cwd: dirname(path) }, { path })).catch(ifUsage)
    : undefined;
  const workdir = loaded?.workdir ?? await Deno.realPath(dirname(path)).catch(() => dirname(path));
  const agents = loaded === undefined ? PROVIDERS.filter(({ obeys }) => typeof obeys === "object") : agentsIn(loaded);
  return { isConfigured, subject: await examineObeyed({ workdir, agents }, io) };
}

/** What is wrong with the config is told where it is examined, or when it is used. */
function ifUsage(error: unknown): undefined {
  if (!(error instanceof UsageError)) throw error;
}

function list(store: string, { io, global }: Around): number {
  for (const [path, trusted] of Object.entries(readTrust(store))) {
    io.stdout(global.json ? trustedLine(path, trusted) : `${sanitizeLine(path)}  ${trusted.trustedAt}\n`);
  }
  return 0;
}

function trustedLine(path: string, { trustedAt, files }: TrustedConfig): string {
  return outputLine("trusted", { path, trustedAt, files: Object.keys(files) });
}

/** A folder is trusted no longer either, where it was by itself (`panewright exec "TASK"`). */
async function remove(
  store: string,
  { given, path, io, global }: Around & { readonly given: string; readonly path: string },
): Promise<number> {
  const file = await trustedAs(path).catch(() => path);
  const folder = await Deno.realPath(given).catch(() => given);
  const named = new Set([file, folder, `${folder}/`]);
  const trusted = Object.keys(readTrust(store)).filter((name) => named.has(name));
  if (trusted.length === 0) {
    throw new UsageError(`Cannot remove ${file}: you do not trust it`, {
      hint: '"panewright trust --list" shows what you trust.',
    });
  }
  await changeTrust(store, (configs) => {
    return Object.fromEntries(Object.entries(configs).filter(([name]) => !named.has(name)));
  });
  for (const name of trusted) {
    if (global.json) io.stdout(outputLine("trust_removed", { path: name }));
    io.stderr(`${sanitizeLine(name)} is no longer trusted.\n`);
  }
  return 0;
}

async function configPath(path: string): Promise<string> {
  const isFile = await Deno.lstat(path).then(({ isDirectory, isSymlink }) => !isDirectory && !isSymlink, () => false);
  return isFile || path.endsWith(".jsonc") || path.endsWith(".json") ? path : `${path}/${DEFAULT_CONFIG_FILE}`;
}
