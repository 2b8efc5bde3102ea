import type { AutonomyLevel, ExecOverrides } from "../../journal/exec/fields.ts";
import { type Excerpt, UsageError } from "../../base/errors.ts";
import type { ExecPlan } from "./plan.ts";
import { present } from "../../base/schema.ts";
import { didYouMean, nearest } from "../../base/text/suggest.ts";

export interface Task {
  readonly pipeline: string | undefined;
  readonly autonomyLevel: AutonomyLevel | undefined;
  readonly text: string;
  /** The names of tasks of its folder that come before it. @default {[]} */
  readonly needs?: readonly string[];
  /** Patterns of the files that it writes: tasks that write the same are not done at a time. @default {[]} */
  readonly writes?: readonly string[];
}

export interface TaskProblem {
  /** Where it stands; missing where it is in no single row. */
  readonly excerpt?: Excerpt;
  readonly message: string;
}

interface ReadTask extends Task {
  readonly problems: readonly TaskProblem[];
  readonly pipelinePlace?: Excerpt;
}

export function parseTask(source: string, { file }: { readonly file: string }): Task {
  const { problems, pipelinePlace: _, ...task } = readTask(source);
  if (problems.length === 0) return task;
  throw taskError("Cannot use the task ", problems.map((problem) => ({ file, ...problem })));
}

export function taskError(
  head: string,
  problems: readonly (TaskProblem & { readonly file: string })[],
): UsageError {
  const texts = problems.map(({ file, excerpt, message }) => `${file}${excerpt ? `:${excerpt.line}` : ""}: ${message}`);
  const lastRow = head.slice(head.lastIndexOf("\n") + 1);
  return new UsageError(`${head}${texts.join("\n  ")}`, {
    mistakes: problems.map(({ excerpt }, index) => ({
      text: `${index === 0 ? lastRow : "  "}${texts[index]}`,
      ...(excerpt && { excerpt }),
    })),
  });
}

/** Reads a task like {@linkcode parseTask}, with everything that is wrong with it. */
export function readTask(source: string): ReadTask {
  const lines = source.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  const hasFrontMatter = /^---[ \t]*$/.test(lines[0] ?? "");
  const end = hasFrontMatter ? lines.findIndex((line, index) => index > 0 && /^(?:---|\.\.\.)[ \t]*$/.test(line)) : -1;
  const text = lines.slice(end + 1).join("\n").trim();
  const problems: TaskProblem[] = text === "" ? [{ message: "it has no text: write in it what to do" }] : [];
  // A text may begin with a ruler.
  if (hasFrontMatter && end === -1 && ENTRY.test(lines[1] ?? "")) {
    const excerpt = { line: 1, row: lines[0] ?? "", column: 1 };
    problems.push({ excerpt, message: "front matter begins here, and no line --- ends it" });
  }
  const values = new Map<string, string>();
  let pipelinePlace: Excerpt | undefined;
  for (const [index, row] of lines.slice(1, Math.max(1, end)).entries()) {
    if (/^\s*(?:#.*)?$/.test(row)) continue;
    const [, given, value = ""] = ENTRY.exec(row) ?? [];
    const at = (column: number): Excerpt => ({ line: index + 2, row, column });
    const ofValue = at(row.length - value.trimStart().length + 1);
    const key = given === "autonomyLevel" ? "autonomy_level" : given;
    const ofKey = at(row.search(/\S/) + 1);
    if (key === undefined) {
      const message = "this is not front matter: each line between the two --- must be KEY: VALUE";
      problems.push({ excerpt: ofKey, message });
      continue;
    }
    const ofName = !FRONT_MATTER_KEYS.includes(key)
      ? unknownKey(key)
      : values.has(key)
      ? `${key} is there twice`
      : undefined;
    const message = ofName ?? valueProblem(key, scalar(value));
    if (message !== undefined) problems.push({ excerpt: ofName === undefined ? ofValue : ofKey, message });
    else values.set(key, LISTS.includes(key) ? value.replace(/(?:^|\s)#.*$/, "").trim() : scalar(value));
    if (key === "pipeline" && message === undefined) pipelinePlace = ofValue;
  }
  const pipeline = values.get("pipeline") || undefined;
  const level = values.get("autonomy_level") || undefined;
  return {
    pipeline,
    autonomyLevel: level === undefined ? undefined : Number(level) as AutonomyLevel,
    text,
    problems,
    ...present({ needs: namesIn(values.get("needs")), writes: namesIn(values.get("writes")) }),
    ...(pipeline === undefined || pipelinePlace === undefined ? {} : { pipelinePlace }),
  };
}

/** `KEY: VALUE` */
const ENTRY = /^([^\s:#][^:]*?)\s*:(?:\s(.*))?$/;

const LISTS: readonly string[] = ["needs", "writes"];

const FRONT_MATTER_KEYS: readonly string[] = ["pipeline", "autonomy_level", ...LISTS];

/** `a, b`, also in brackets and quotes; `undefined` where there are none. */
function namesIn(value = ""): readonly string[] | undefined {
  const names = value.replace(/^\[(.*)\]$/, "$1").split(",").map((name) => scalar(name)).filter((name) => name !== "");
  return names.length === 0 ? undefined : names;
}

function unknownKey(key: string): string {
  const meant = nearest(key, FRONT_MATTER_KEYS);
  const hint = meant === undefined ? "" : ` did you mean "${meant}"?`;
  return `unknown key ${JSON.stringify(key)};${hint} Allowed here: ${FRONT_MATTER_KEYS.join(", ")}`;
}

function valueProblem(key: string, value: string): string | undefined {
  if (key !== "autonomy_level" || /^[0-5]?$/.test(value)) return undefined;
  return `autonomy_level must be a whole number from 0 to 5, but is ${JSON.stringify(value)}`;
}

function scalar(value: string): string {
  const text = value.trim();
  const quoted = /^"([^"]*)"|^'([^']*)'/.exec(text);
  return quoted === null ? text.replace(/(?:^|\s)#.*$/, "").trim() : quoted[1] ?? quoted[2] ?? "";
}

interface PipelineWishes {
  readonly task: Pick<Task, "pipeline">;
  readonly overrides: Pick<ExecOverrides, "pipeline">;
}

export function choosePipeline(
  plan: Pick<ExecPlan, "pipelines" | "defaultPipeline">,
  { file, ...wishes }: PipelineWishes & { readonly file: string },
): string {
  const { name, problem } = wantedPipeline(plan, wishes);
  if (problem === undefined) return name;
  throw new UsageError(`Cannot do the task ${file}: ${problem}`, { hint: pipelinesHint(plan) });
}

/** What is wrong with the pipeline that a task is to have; `undefined` where there is one. */
export function pipelineProblem(
  plan: Pick<ExecPlan, "pipelines" | "defaultPipeline">,
  wishes: PipelineWishes,
): string | undefined {
  const { problem } = wantedPipeline(plan, wishes);
  return problem === undefined ? undefined : `${problem}. ${pipelinesHint(plan)}`;
}

function wantedPipeline(
  { pipelines, defaultPipeline }: Pick<ExecPlan, "pipelines" | "defaultPipeline">,
  { task, overrides }: PipelineWishes,
): { readonly name: string; readonly problem?: string } {
  const name = overrides.pipeline ?? task.pipeline ?? defaultPipeline ?? Object.keys(pipelines)[0];
  if (name === undefined) return { name: "", problem: "the configuration has no pipelines" };
  if (Object.hasOwn(pipelines, name)) return { name };
  const who = overrides.pipeline === name
    ? "--pipeline"
    : task.pipeline === name
    ? "its front matter"
    : "default_pipeline";
  const meant = didYouMean(name, Object.keys(pipelines));
  return { name, problem: `${who} names "${name}", and there is no such pipeline${meant}` };
}

function pipelinesHint({ pipelines }: Pick<ExecPlan, "pipelines">): string {
  const names = Object.keys(pipelines);
  return names.length === 0
    ? "Write one: panewright init --exec writes one to start from."
    : `The pipelines are ${names.join(", ")}.`;
}
