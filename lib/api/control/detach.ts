import { ERROR_CODES, HumanInterventionRequiredError, PanewrightError, UsageError } from "../../base/errors.ts";
import { startDetachedProcess } from "../../base/ports/detached_process.ts";
import { selfCommand } from "../../base/ports/self.ts";
import type { StartedBy } from "../../journal/run_facts.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { present } from "../../base/schema.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import type { OutputFields } from "../output/outputs.ts";

export interface DetachOptions {
  /** How panewright is called. @default {selfCommand(["--allow-all"])} */
  readonly panewright?: readonly [string, ...string[]];
  /** Variables besides those of this process. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  readonly onStderr?: (text: string) => void;
  /** Is given what waits until the process has ended, whether or not it executes the run. */
  readonly onStarted?: (ended: () => Promise<void>) => void;
  /** Ends the process unless the run has begun; one that begins at this moment is stopped, and can be resumed. */
  readonly signal?: AbortSignal;
}

export type DetachedRun = OutputFields["run_detached"];

interface DetachedCall {
  readonly command: "run" | "exec" | "task" | "adopt" | "reply" | "resume";
  readonly flags: readonly string[];
  readonly positionals: readonly string[];
  readonly cwd: string;
  readonly stdin?: string;
  readonly by: StartedBy;
  readonly key?: string;
}

/** Flags that do not change what is to be done: a call with another of them is the same request. */
const ABOUT_THE_CALL: ReadonlySet<string> = new Set(["--trust", "--no-input", "--verbose"]);

const MAX_KEY_LENGTH = 256;

/**
 * Calls a command that executes a run in a process of its own, and waits until the run's first record is on the disk.
 *
 * The process that is started takes the key, and not this one: whichever of them is killed, and whenever, there is one
 * run at most, and the same call tells which.
 *
 * @throws {PanewrightError} as the command refuses it: its message, hint, code and exit code
 */
export async function startDetached(call: DetachedCall, options: DetachOptions = {}): Promise<DetachedRun> {
  const { panewright = selfCommand(["--allow-all"]), env, onStderr, onStarted, signal } = options;
  const { command, flags, positionals, cwd, stdin, by, key } = call;
  if (key !== undefined && (key === "" || key.length > MAX_KEY_LENGTH)) {
    throw new UsageError(`Cannot use the key of the request: it must have 1 to ${MAX_KEY_LENGTH} characters`, {
      code: "bad_input",
    });
  }
  const sorted = flags.toSorted();
  const meant = [command, sorted.filter((flag) => !ABOUT_THE_CALL.has(flag)), positionals, cwd, stdin ?? null];
  const request = key === undefined ? [] : [`--key=${key}`, `--request=${await sha256Hex(JSON.stringify(meant))}`];
  const input = stdin === undefined ? [] : [`--stdin-bytes=${new TextEncoder().encode(stdin).length}`];
  const words = [`--by=${by}`, ...request, ...input, "--", command, ...sorted, "--", ...positionals];
  const { line, exitCode } = await startDetachedProcess({
    argv: [...panewright, "detached", ...words],
    cwd,
    ...present({ env, stdin }),
    livesOn(line) {
      const said = parseWord(line);
      return said === undefined || "run" in said;
    },
    ...present({ onStderr, onStarted, signal }),
  });
  const said = line === undefined ? undefined : parseWord(line);
  if (said !== undefined && "run" in said) return said.run;
  const how = line === undefined ? `its process has ended (exit code ${exitCode})` : "its process says nothing of it";
  const again = key === undefined ? "" : "; the same key can be used again";
  throw said?.error ?? new PanewrightError(`Cannot ${command === "resume" ? "resume" : "start"} the run: ${how}`, {
    hint: `"panewright runs" shows whether it was started${again}.`,
  });
}

/** What the process says first: see `cli/commands/detached.ts`. */
function parseWord(line: string): { readonly run: DetachedRun } | { readonly error: PanewrightError } | undefined {
  const said = parseJsonObject(line);
  if (said?.["type"] === "error") return { error: errorOf(said) };
  if (said?.["type"] !== "run_detached") return undefined;
  return { run: { run: String(said["run"]), folder: String(said["folder"]), isNew: said["isNew"] === true } };
}

function errorOf({ message, hint, exitCode, code }: Readonly<Record<string, unknown>>): PanewrightError {
  const known = ERROR_CODES.find((one) => one === code);
  const kind = exitCode === 2 ? UsageError : exitCode === 3 ? HumanInterventionRequiredError : PanewrightError;
  return new kind(String(message), {
    ...(typeof hint === "string" ? { hint } : {}),
    ...present({ code: known }),
  });
}
