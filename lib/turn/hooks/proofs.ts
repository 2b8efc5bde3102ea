import { dirname } from "@std/path/posix";
import type { Host } from "../../base/ports/host.ts";
import type { ProcessRunner } from "../../base/ports/process.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { makeOwnFolder } from "../../base/ports/state_folder.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { objectOf, parseJsonObject } from "../../base/text/json.ts";
import { VERSION } from "../../base/version.ts";
import type { HookTrial, TrialWay } from "../../agents/hook_trial.ts";
import type { Provider } from "../../agents/provider.ts";

/** What a trial has proved something about: this program, by its file, its version and what goes before our flags. */
export interface Proof {
  readonly version: string;
  readonly hash: string;
}

interface ProofOptions {
  readonly provider: Provider;
  readonly trial: HookTrial;
  readonly way: TrialWay;
  readonly argv: readonly [string, ...string[]];
  readonly host: Host;
  readonly env: Readonly<Record<string, string>>;
  readonly processRunner: ProcessRunner;
  readonly signal: AbortSignal;
}

const VERSION_MS = 30_000;
const MAX_PROOF_BYTES = 10_000;

/** What a trial of this CLI would prove something about, or why that cannot be told. */
export async function proofOf(options: ProofOptions): Promise<Proof | string> {
  const { provider: { id, cli }, trial, way, argv, host, env, processRunner, signal } = options;
  const args = cli?.versionArgs ?? ["--version"];
  let said;
  try {
    said = await processRunner.run({ argv: [...argv, ...args], env, timeoutMs: VERSION_MS, signal });
  } catch (error) {
    signal.throwIfAborted();
    return `its program ${argv[0]} cannot be started: ${error instanceof Error ? error.message : error}`;
  }
  const version = /\d+(?:\.\d+)+/.exec(said.stdout)?.[0];
  if (version === undefined) return `${argv[0]} ${args.join(" ")} tells no version`;
  const about = [
    ...[id, way, VERSION, version, ...argv],
    ...argv.map((word) => fileMark(fileOf(word, host))),
    ...trial.machineFiles.map(fileMark),
  ];
  return { version, hash: await sha256Hex(JSON.stringify(about)) };
}

export function isProven({ stateFolder }: Host, { hash }: Proof): boolean {
  if (stateFolder === undefined) return false;
  try {
    const text = readRegularText(`${stateFolder}/hook_trials/${hash}.json`, { maxBytes: MAX_PROOF_BYTES });
    return objectOf(parseJsonObject(text ?? ""))["hash"] === hash;
  } catch {
    return false;
  }
}

/** @throws when it cannot be written */
export function noteProven({ stateFolder }: Host, proof: Proof): void {
  if (stateFolder === undefined) return;
  makeOwnFolder(stateFolder);
  const path = `${stateFolder}/hook_trials/${proof.hash}.json`;
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const staging = `${path}.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(staging, `${JSON.stringify(proof)}\n`, { createNew: true, mode: 0o600 });
  Deno.renameSync(staging, path);
}

/** The file that a word of a command line names, links resolved; `undefined` where it names none. */
function fileOf(word: string, host: Host): string | undefined {
  if (word.includes("/")) return host.realFile(word);
  return host.path.map((folder) => host.realFile(`${folder}/${word}`)).find((file) => file !== undefined);
}

/** What changes where a file does. */
function fileMark(path: string | undefined): string {
  if (path === undefined) return "";
  try {
    const { mtime, size } = Deno.statSync(path);
    return `${path} ${mtime?.getTime()} ${size}`;
  } catch {
    return `${path} -`;
  }
}
