import { basename, resolve } from "@std/path/posix";
import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import { generateKeys, parsePublicKey } from "../../lab/rule_packs/keys.ts";
import { lockRules } from "../../lab/rule_packs/store.ts";
import { readTrustedKeys, type TrustedKey, writeTrustedKeys } from "../../lab/rule_packs/trusted_keys.ts";
import { errorText } from "../../base/text/error_text.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { askLine } from "../console/ask_line.ts";
import type { CliIo } from "../console/command.ts";
import { isAtTerminal } from "../trust.ts";
import { type ChangeOptions, readNamedFile, requireRulesFolder } from "./change.ts";

export const MAX_KEY_BYTES = 16 * 1024;

export async function makeKey(given: string, { io, json }: ChangeOptions): Promise<number> {
  const files = await generateKeys();
  const path = resolve(io.cwd, given);
  try {
    // In this order: a secret key without its public half would be of no use.
    await Deno.writeTextFile(`${path}.pub`, files.public, { createNew: true, mode: 0o644 });
    await writeSecret(path, files.secret);
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AlreadyExists ? "there is such a file already" : errorText(cause);
    throw new UsageError(`Cannot write the keys ${given} and ${given}.pub: ${reason}`, { cause });
  }
  const about = { id: files.id, secret: path, public: `${path}.pub` };
  io.stdout(
    json ? outputLine("key", about) : `Key ${files.id}\n${sanitizeLine(path)} signs packs: keep it secret\n` +
      `${sanitizeLine(about.public)} is for those who use them: panewright rules trust ${sanitizeLine(given)}.pub\n`,
  );
  return 0;
}

async function writeSecret(path: string, pem: string): Promise<void> {
  try {
    await Deno.writeTextFile(path, pem, { createNew: true, mode: 0o600 });
  } catch (error) {
    await Deno.remove(`${path}.pub`);
    throw error;
  }
}

/** `panewright rules trust KEYFILE`: uses the packs that a key has signed. */
export async function trustKey(
  given: string,
  { io, json, yes }: ChangeOptions & { readonly yes: boolean },
): Promise<number> {
  const folder = requireRulesFolder(io);
  const pem = new TextDecoder().decode(readNamedFile(given, { io, maxBytes: MAX_KEY_BYTES }));
  const key: TrustedKey = {
    ...await parsePublicKey(pem, given),
    name: basename(given),
    trustedAt: new Date().toISOString(),
  };
  if ((await readTrustedKeys(folder)).has(key.id)) {
    io.stdout(json ? outputLine("trusted_key", key) : `You trust the key ${key.id}\n`);
    return 0;
  }
  if (!yes) await ask(key, { given, io });
  using _lock = await lockRules(folder);
  await writeTrustedKeys(folder, [...(await readTrustedKeys(folder)).values(), key]);
  io.stdout(json ? outputLine("trusted_key", key) : `You trust the key ${key.id}\n`);
  return 0;
}

export async function listKeys({ io, json }: ChangeOptions): Promise<number> {
  for (const key of (await readTrustedKeys(requireRulesFolder(io))).values()) {
    const { id, name, trustedAt = "built in" } = key;
    io.stdout(json ? outputLine("trusted_key", key) : `${id}  ${sanitizeLine(name)}  ${trustedAt}\n`);
  }
  return 0;
}

export async function removeKey(id: string, { io, json }: ChangeOptions): Promise<number> {
  const folder = requireRulesFolder(io);
  using _lock = await lockRules(folder);
  const keys = await readTrustedKeys(folder);
  const key = keys.get(id);
  if (key?.trustedAt === undefined) {
    const reason = key === undefined ? "you do not trust it" : "it is built in";
    throw new UsageError(`Cannot remove the key ${id}: ${reason}`, {
      hint: '"panewright rules trust --list" shows the keys.',
    });
  }
  await writeTrustedKeys(folder, [...keys.values()].filter((each) => each.id !== id));
  if (json) io.stdout(outputLine("key_removed", { id }));
  io.stderr(`The key ${id} is no longer trusted, and what it has signed no longer used.\n`);
  return 0;
}

async function ask(key: TrustedKey, { given, io }: { readonly given: string; readonly io: CliIo }): Promise<void> {
  const what =
    `Rules that are signed with the key ${key.id} say what your agents' screens mean, and so when keys are pressed.`;
  if (!isAtTerminal(io)) {
    throw new HumanInterventionRequiredError(`Cannot ask whether you trust ${given}: there is no terminal\n${what}`, {
      hint: `Trust it with: panewright rules trust --yes ${given}`,
    });
  }
  using input = io.openTerminalInput();
  const line = await askLine(`${what}\nCompare it with what its owner says. Do you trust it? [y/N] `, { io, input }) ??
    "";
  if (/^y(?:es)?[ \t]*[\r\n]+$/i.test(line)) return;
  throw new HumanInterventionRequiredError(`Cannot use the key ${key.id}: you do not trust it`);
}
