import { basename } from "@std/path/posix";
import { UsageError } from "../../errors.ts";
import type { ExecOverrides, ExecPlan } from "./plan.ts";
import type { AutonomyLevel } from "./settings.ts";
import { errorText } from "../../text/error_text.ts";

/** A task as its file has it. */
export interface Task {
  /** The pipeline that its front matter names. */
  readonly pipeline: string | undefined;
  /** The level that its front matter sets. */
  readonly autonomyLevel: AutonomyLevel | undefined;
  /** All but the front matter. */
  readonly text: string;
}

/**
 * Reads a task: a text, optionally with front matter, of which `pipeline` and `autonomy_level` (or `autonomyLevel`)
 * count; other keys are ignored.
 *
 * @throws {UsageError} when there is no text, or one of these keys has a wrong value
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseTask("---\npipeline: fix\nautonomy_level: 3\n---\nRepair it.\n", { file: "a.md" }), {
 *   pipeline: "fix",
 *   autonomyLevel: 3,
 *   text: "Repair it.",
 * });
 * ```
 */
export function parseTask(source: string, { file }: { readonly file: string }): Task {
  const lines = source.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const end = lines[0] === "---" ? lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)\s*$/.test(line)) : -1;
  const text = lines.slice(end + 1).join("\n").trim();
  if (text === "") {
    throw new UsageError(`Cannot use the task ${file}: it has no text`, { hint: "Write in it what is to be done." });
  }
  let pipeline: string | undefined;
  let autonomyLevel: AutonomyLevel | undefined;
  for (const [index, line] of lines.slice(1, Math.max(1, end)).entries()) {
    const [, key, value = ""] = /^([A-Za-z_]+)\s*:(.*)$/.exec(line) ?? [];
    if (key === "pipeline") pipeline = scalar(value);
    if (key === "autonomy_level" || key === "autonomyLevel") {
      autonomyLevel = parseLevel(scalar(value), `${file}:${index + 2}`);
    }
  }
  return { pipeline: pipeline === "" ? undefined : pipeline, autonomyLevel, text };
}

/** A plain or quoted YAML scalar of one line, without its comment. */
function scalar(value: string): string {
  const text = value.trim();
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(text);
  return quoted === null ? text.replace(/(?:^|\s)#.*$/, "").trim() : quoted[1] ?? quoted[2] ?? "";
}

function parseLevel(value: string, place: string): AutonomyLevel | undefined {
  if (value === "") return undefined;
  if (/^[0-5]$/.test(value)) return Number(value) as AutonomyLevel;
  throw new UsageError(
    `Cannot use the task: ${place}: autonomy_level must be a whole number from 0 to 5, but is "${value}"`,
  );
}

/**
 * The pipeline of a task: that of the command line, else of the front matter, else the default one, else the first one.
 *
 * @throws {UsageError} when there is no pipeline of that name
 */
export function choosePipeline(
  plan: Pick<ExecPlan, "pipelines" | "defaultPipeline">,
  wishes: { readonly task: Pick<Task, "pipeline">; readonly overrides: ExecOverrides; readonly file: string },
): string {
  const { pipelines, defaultPipeline } = plan;
  const { task, overrides, file } = wishes;
  const names = Object.keys(pipelines);
  const name = overrides.pipeline ?? task.pipeline ?? defaultPipeline ?? names[0];
  if (name !== undefined && Object.hasOwn(pipelines, name)) return name;
  if (name === undefined) throw new UsageError(`Cannot do the task ${file}: the configuration has no pipelines`);
  const who = overrides.pipeline === name
    ? "--pipeline"
    : task.pipeline === name
    ? `the front matter of ${file}`
    : "default_pipeline";
  throw new UsageError(`Cannot do the task ${file}: ${who} names "${name}", and there is no such pipeline`, {
    hint: `The pipelines are ${names.join(", ")}.`,
  });
}

/**
 * The first of a folder's tasks that is not done: the `.md` files in it in alphabetical order, without those whose name
 * begins with `_` or a dot.
 *
 * @param done absolute paths
 * @throws {UsageError} when the folder cannot be read
 */
export async function nextTaskOf(folder: string, done: readonly string[]): Promise<string | undefined> {
  const names: string[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder)) if (isFile && isTaskName(name)) names.push(name);
  } catch (cause) {
    throw new UsageError(
      `Cannot read the folder of tasks ${folder}: ${errorText(cause)}`,
      { cause },
    );
  }
  return names.sort().map((name) => `${folder}/${name}`).find((path) => !done.includes(path));
}

/**
 * Whether a file of a folder is a task, by its name.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["01-a.md", "_draft.md", ".x.md", "notes.txt"].map(isTaskName), [true, false, false, false]);
 * ```
 */
export function isTaskName(name: string): boolean {
  return /^[^_.].*\.md$/i.test(basename(name));
}
