import type { ExecOverrides, ExecTarget } from "../journal/exec/fields.ts";
import { basename, dirname, resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { MAX_TEXT_BYTES } from "../jobs/pipeline/read_text.ts";
import { readTask } from "../jobs/pipeline/task.ts";
import { filesOf, isTaskName } from "../jobs/pipeline/task_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { decodeUtf8 } from "../base/text/utf8.ts";
import type { CliIo } from "./console/command.ts";

/**
 * What the argument of `panewright exec` means: a file, a folder of tasks, the task itself as several words, or `-` for
 * standard input.
 *
 * @throws {UsageError} when there is no such task
 */
export async function findExecTarget(
  given: string,
  { io, overrides }: { readonly io: CliIo; readonly overrides: ExecOverrides },
): Promise<ExecTarget> {
  const target = given === "-"
    ? textTarget(await readStdin(io), io)
    : await findPath(given, io) ?? textTarget(given, io);
  if (target.kind !== "folder") {
    if (overrides.only === undefined) return target;
    throw new UsageError("Cannot use --only with one task: it chooses among the tasks of a folder");
  }
  if ((await filesOf(target, overrides)).length > 0) return target;
  throw new UsageError(`Cannot do the tasks of ${given}: it has no tasks`, {
    hint: "A task is a file whose name ends with .md and does not begin with _ or a dot.",
  });
}

/** The file or folder of that name; `undefined` where there is none, and the name is a text. */
async function findPath(given: string, { cwd }: CliIo): Promise<ExecTarget | undefined> {
  const path = resolve(cwd, given);
  try {
    if (given === "") throw new Deno.errors.NotFound();
    const { isDirectory } = await Deno.stat(path);
    if (isDirectory) return { kind: "folder", path: await Deno.realPath(path) };
    return { kind: "task", path: resolve(await Deno.realPath(dirname(path)), basename(path)) };
  } catch (cause) {
    if (await isTaskText(given, cwd)) return undefined;
    const reason = cause instanceof Deno.errors.NotFound ? "there is no such file or folder" : errorText(cause);
    throw new UsageError(`Cannot do the task ${given === "" ? '""' : given}: ${reason}`, {
      cause,
      hint: "Write a task as several words in quotes, or on standard input: echo 'Fix it' | panewright exec -",
    });
  }
}

/** Names of files have spaces, too; but who ends a sentence with a file that is there speaks of it. */
async function isTaskText(given: string, cwd: string): Promise<boolean> {
  const words = given.trim().split(/\s+/);
  if (words.length < 2) return false;
  if (given.includes("\n") || !isTaskName(given)) return true;
  if (words.length === 2) return false;
  return await Deno.stat(resolve(cwd, words.at(-1) ?? "")).then(({ isFile }) => isFile, () => false);
}

interface TextTarget extends Pick<CliIo, "cwd"> {
  /** What names it. @default the task itself */
  readonly about?: string;
}

/** The path only names the task: by its first words. */
export function textTarget(text: string, { about = readTask(text).text, cwd }: TextTarget): ExecTarget {
  const words = about.slice(0, MAX_NAME_LENGTH).match(/[\p{L}\p{N}]+/gu) ?? ["task"];
  return { kind: "task", path: `${cwd}/${words.join("-")}`, text };
}

const MAX_NAME_LENGTH = 60;

async function readStdin(io: CliIo): Promise<string> {
  if (io.isTerminal.stdin) io.stderr("Write the task; Ctrl-D at the beginning of a line ends it.\n");
  return decodeText(await io.readStdin());
}

function decodeText(bytes: Uint8Array): string {
  if (bytes.length > MAX_TEXT_BYTES) {
    throw new UsageError(`Cannot use the task of standard input: it has more than ${MAX_TEXT_BYTES} bytes`);
  }
  try {
    return decodeUtf8(bytes);
  } catch (cause) {
    throw new UsageError(`Cannot use the task of standard input: ${errorText(cause)}`, { cause });
  }
}
