import { resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../../config/default_file.ts";
import { changesSince, examineConfig, trustedAs, type TrustSubject } from "../../config/trust/examine.ts";
import { changeTrust, readTrust, type TrustedConfig } from "../../config/trust/store.ts";
import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type CliIo, defineCommand, type GlobalFlags, switchFlag } from "../console/command.ts";
import { askForTrust, describeSubject, isAtTerminal, recordTrust, requireStorePath } from "../trust.ts";

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
    return await trust(store, path, { io, global, yes: flags.yes === true });
  },
});

interface Around {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

async function trust(store: string, path: string, { io, global, yes }: Around & { yes: boolean }): Promise<number> {
  const subject = await examineConfig(path);
  const before = readTrust(store)[subject.file];
  const changes = await changesSince(undefined, subject);
  const since = await changesSince(before, subject);
  show(subject, io, global);
  if (before !== undefined && since.files.length === 0) {
    if (global.json) io.stdout(trustedLine(subject.file, before));
    if (!global.quiet) io.stderr("You trust it as it is.\n");
    return 0;
  }
  if (!yes && !isAtTerminal(io)) {
    throw new HumanInterventionRequiredError(`Cannot ask whether you trust ${path}: there is no terminal`, {
      hint: "Trust what is shown above with: panewright trust --yes",
    });
  }
  if (!yes && !await askForTrust(io, changes.items)) {
    io.stderr("It is not trusted.\n");
    return 3;
  }
  await recordTrust(store, subject);
  const now = readTrust(store)[subject.file];
  if (global.json && now !== undefined) io.stdout(trustedLine(subject.file, now));
  if (!global.quiet) io.stderr("It is trusted.\n");
  return 0;

  function show({ file, items, files }: TrustSubject, { stdout }: CliIo, { json }: GlobalFlags): void {
    if (!json) return stdout(describeSubject(file, changes, { known: false }));
    for (const { key, does, value, alone } of items) stdout(outputLine("trust_item", { key, does, value, alone }));
    for (const [name, sha256] of Object.entries(files)) stdout(outputLine("trust_file", { path: name, sha256 }));
  }
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
  const named = new Set([file, await Deno.realPath(given).catch(() => given)]);
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
