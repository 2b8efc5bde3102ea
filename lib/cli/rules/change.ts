import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { download, shownAddress } from "../../base/ports/download.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { resetRules, rollbackRules, updateRules } from "../../lab/rule_packs/install.ts";
import { MAX_PACK_BYTES, rulesFolder } from "../../lab/rule_packs/store.ts";
import { errorText } from "../../base/text/error_text.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import type { CliIo } from "../console/command.ts";

const DOWNLOAD_TIMEOUT_MS = 60_000;

export interface ChangeOptions {
  readonly io: CliIo;
  readonly json: boolean;
}

export async function update(
  given: string,
  { io, json, allowDowngrade }: ChangeOptions & { readonly allowDowngrade: boolean },
): Promise<number> {
  const context = installContext(io);
  const { bytes, from } = await fetchPack(given, io);
  const done = await updateRules({ bytes, from, allowDowngrade }, context);
  const { provider, installed, before, unchanged } = done;
  if (json) io.stdout(outputLine("updated", { provider, before, unchanged, ...installed }));
  else if (unchanged) io.stdout(`${provider}: version ${installed.version} is in use already\n`);
  else {
    io.stdout(`${provider}: version ${installed.version} is in use, signed by ${installed.key}; before, ${before}\n`);
    io.stderr("Runs that are under way keep the rules that they were started with.\n");
  }
  return 0;
}

export async function rollback(
  provider: string | undefined,
  { io, json, toBuiltIn }: ChangeOptions & { readonly toBuiltIn: boolean },
): Promise<number> {
  const context = installContext(io);
  if (toBuiltIn && provider === undefined) {
    await resetRules(context);
    io.stdout(
      json ? outputLine("reset", { version: VERSION }) : "The built-in rules are in use for every provider\n",
    );
    return 0;
  }
  const done = await rollbackRules({ provider, toBuiltIn }, context);
  for (const { installed, problem } of done.skipped) {
    io.stderr(`Version ${installed.version} was left as well: ${sanitizeLine(problem)}\n`);
  }
  const version = done.now?.version ?? VERSION;
  const source = done.now === undefined ? "built_in" as const : "pack" as const;
  const about = { provider: done.provider, before: done.left.version, version, source };
  io.stdout(
    json
      ? outputLine("rolled_back", about)
      : `${about.provider}: version ${version}${done.now ? "" : " (built in)"} is in use; before, ${about.before}\n`,
  );
  return 0;
}

function installContext(io: CliIo) {
  return { folder: requireRulesFolder(io), providers: PROVIDERS, now: new Date() };
}

export function requireRulesFolder(io: CliIo): string {
  const folder = rulesFolder((name) => io.env(name));
  if (folder !== undefined) return folder;
  throw new UsageError("Cannot keep rules: neither HOME nor XDG_STATE_HOME names a folder", {
    hint: "Set HOME to your home folder.",
  });
}

export function readNamedFile(given: string, { io, maxBytes }: { readonly io: CliIo; readonly maxBytes: number }) {
  try {
    return readRegularFile(resolve(io.cwd, given), { maxBytes });
  } catch (cause) {
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file" : errorText(cause);
    throw new UsageError(`Cannot read ${given}: ${reason}`, { cause });
  }
}

async function fetchPack(given: string, io: CliIo) {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    const limits = { maxBytes: MAX_PACK_BYTES, timeoutMs: DOWNLOAD_TIMEOUT_MS, signal: io.signal };
    return { bytes: await download(given, limits), from: shownAddress(given) };
  }
  return { bytes: readNamedFile(given, { io, maxBytes: MAX_PACK_BYTES }), from: resolve(io.cwd, given) };
}
