import { ASK_CHANNEL_VARIABLE } from "../../base/ports/marks.ts";
import { ASKING_LINE } from "./ask_ledger.ts";
import type { AskCommands } from "../../shell/asks/find_asks.ts";
import { makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { selfCommand } from "../../base/ports/self.ts";
import { shellJoin, shellQuote } from "../../shell/mod.ts";

/** What `panewright ask` needs, where it does not run as a compiled executable. */
const PERMISSIONS = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys=uid,hostname"];

export function launchedProgram(
  { panewright = selfCommand(PERMISSIONS) }: { readonly panewright?: readonly [string, ...string[]] },
): readonly [string, ...string[]] {
  return panewright;
}

/** Writes a launcher for each program that asks a person, `panewright` as well as other names for it */
export async function writeLaunchers(
  folder: string,
  ask: { readonly commands: AskCommands; readonly panewright?: readonly [string, ...string[]] },
): Promise<void> {
  const { commands } = ask;
  await makeOwnFolder(folder);
  await removeStrangers(folder, new Set(commands.map(([program]) => program)));
  for (const [program, scripts] of Map.groupBy(commands, ([program]) => program)) {
    const text = launcherScript(program, {
      subcommands: scripts.map(([, ...words]) => words),
      self: launchedProgram(ask),
      denoDir: Deno.build.standalone ? undefined : Deno.env.get("DENO_DIR"),
    });
    await putLauncher(`${folder}/${program}`, text);
  }
}

interface LauncherOptions {
  readonly subcommands: readonly (readonly string[])[];
  readonly self: readonly string[];
  /** Where Deno keeps what it has compiled; an agent's commands may not inherit that. */
  readonly denoDir: string | undefined;
}

function launcherScript(program: string, { subcommands, self, denoDir }: LauncherOptions): string {
  const start = shellJoin(self);
  const asks = subcommands.map((words) => {
    const tests = words.map((word, index) => `[ "$${index + 1}" = ${shellQuote(word)} ]`);
    const exec = `echo ${shellQuote(ASKING_LINE)} >&2; exec ${start} ask -- "$@"`;
    return words.length === 0 ? exec : `if ${tests.join(" && ")}; then shift ${words.length}; ${exec}; fi`;
  });
  const rest = program === "panewright"
    ? `exec ${start} "$@"`
    : `echo ${shellQuote(`${program}: only its command that asks a person is there`)} >&2; exit 2`;
  const variables = denoDir === undefined ? [] : [`export DENO_DIR=${shellQuote(denoDir)}`];
  const head = ["#!/bin/sh", "# Starts panewright for the commands of an agent.", CHANNEL_LOST, ...variables];
  return [...head, ...asks, rest, ""].join("\n");
}

/** An ask whose environment was cleared cannot record its question; it waits nevertheless, and is seen to run. */
const CHANNEL_LOST = `export ${ASK_CHANNEL_VARIABLE}="\${${ASK_CHANNEL_VARIABLE}:-/dev/null}"`;

/** What an agent may have put there must not stand before the programs of the system in the PATH of the next one. */
async function removeStrangers(folder: string, programs: ReadonlySet<string>): Promise<void> {
  for await (const { name, isFile } of Deno.readDir(folder)) {
    const isOurs = isFile && (programs.has(name) || STAGING.test(name));
    if (!isOurs) await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}

const STAGING = /\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Several steps may start at the same time: a launcher is there whole, or not at all. */
async function putLauncher(path: string, text: string): Promise<void> {
  if (isLauncher(path, text)) return;
  await replaceFile(path, text, { mode: 0o755 });
}

/**
 * A copy of the folder may have the text and not the mode: its owner must be able to run it, and nobody else to write.
 */
function isLauncher(path: string, text: string): boolean {
  try {
    const { mode } = Deno.lstatSync(path);
    const isProgram = ((mode ?? 0o755) & 0o122) === 0o100;
    return isProgram && readRegularText(path, { maxBytes: text.length * 4 }) === text;
  } catch {
    return false;
  }
}
