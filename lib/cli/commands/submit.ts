import { relative, resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { runGit } from "../../base/ports/git.ts";
import { isPlainFile } from "../../base/ports/files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { present } from "../../base/schema.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { outputLine } from "../../api/output/line.ts";
import {
  type Fleet,
  followEntry,
  jobText,
  packRepository,
  PRIORITIES,
  putObject,
  readJob,
  readLabels,
  submitJob,
} from "../../fleet/mod.ts";
import { MAX_TEXT_BYTES } from "../../jobs/pipeline/read_text.ts";
import {
  choiceFlag,
  type CliIo,
  defineCommand,
  exitCodeOfLeaving,
  type FlagValues,
  type GlobalFlags,
  switchFlag,
  textFlag,
} from "../console/command.ts";
import { jobFields } from "../fleet/jobs.ts";
import { callOf, FLEET_FLAG, requireSayer, withFleet } from "../fleet/open_fleet.ts";

const FLAGS = {
  fleet: FLEET_FLAG,
  run: switchFlag("take it through the review loop, as panewright run does, in place of a pipeline"),
  id: textFlag("ID", "its id: the same id is the same job (default: made of the task)"),
  label: textFlag("NAME=VALUE", "a label that its worker must have", { repeatable: true }),
  needs: textFlag("JOB", "a job that must have passed before it begins, with what has come of that", {
    repeatable: true,
  }),
  priority: choiceFlag(PRIORITIES, "before which others it comes (default: normal)"),
  url: textFlag("URL", "where a worker fetches the repository, which has this commit (default: it is sent along)"),
  pipeline: textFlag("NAME", "the pipeline, whatever the task's front matter names"),
  config: textFlag("FILE", "the config file (panewright.jsonc where none is named)"),
  wd: textFlag("DIR", "the folder in which the agents work"),
  wait: switchFlag("wait until it has ended, with the exit code of its run"),
};

/** `panewright submit`: puts jobs into the queue of a fleet. */
export const command = defineCommand({
  arguments: [{ name: "TASK", description: "a task as one text, or the file with it; each is a job", rest: true }],
  flags: FLAGS,
  async run({ flags, positionals: tasks, global }, io) {
    await requireNoAgent("submit a job");
    const labels = readLabels(flags.label ?? []);
    requireSense(tasks, flags);
    const folder = await Deno.realPath(resolve(io.cwd, flags.wd ?? "."));
    const act = (fleet: Fleet) => submitAll(fleet, { folder, labels, flags, tasks, global, io });
    return await withFleet(flags.fleet, { io, act });
  },
});

async function submitAll(
  fleet: Fleet,
  { flags, folder, global, io, labels, tasks }: {
    readonly flags: FlagValues<typeof FLAGS>;
    readonly folder: string;
    readonly global: GlobalFlags;
    readonly io: CliIo;
    readonly labels: ReturnType<typeof readLabels>;
    readonly tasks: readonly string[];
  },
): Promise<number> {
  requireSayer(fleet, "submit a job");
  const needs: string[] = [];
  for (const job of flags.needs ?? []) needs.push(jobText((await readJob(fleet, job)).name));
  const prefix = await prefixOf(folder, io.signal);
  const config = flags.config === undefined ? undefined : pathIn(folder, resolve(io.cwd, flags.config));
  if (flags.config !== undefined && config === undefined) throw outside(flags.config, folder);
  let code = 0;
  for (const task of tasks.length === 0 ? [undefined] : tasks) {
    const { title, ...what } = taskOf(task, { folder, flags, io });
    const packing = { folder, name: flags.id ?? title, url: flags.url, signal: io.signal };
    const { base, bundle, name } = await packed(fleet, packing);
    const submitted = await submitJob(fleet, {
      id: flags.id ?? name,
      job: {
        title,
        command: flags.run === true ? "run" : "exec",
        ...what,
        ...present({ pipeline: flags.pipeline, config }),
        source: present({ bundle, url: flags.url }),
        commit: base,
        folder: prefix,
        labels,
        priority: flags.priority ?? "normal",
        ...(needs.length === 0 ? {} : { needs }),
      },
    }, { now: new Date() });
    const { hasWorker, isNew } = submitted;
    const job = jobText(submitted.name);
    if (global.json) io.stdout(outputLine("fleet_submitted", { job, isNew, hasWorker }));
    else if (global.quiet) io.stdout(`${job}\n`);
    else io.stdout(`${job} ${isNew ? "is submitted" : "was submitted before"}: ${title}\n`);
    if (!hasWorker && !global.quiet) {
      const wanted = Object.entries(labels).map(([label, value]) => `${label}=${value}`).join(" ");
      io.stderr(`No worker ${wanted === "" ? "is there" : `has the labels ${wanted}`} yet: it waits for one.\n`);
    }
    if (flags.wait !== true) continue;
    code = Math.max(code, await waitFor(fleet, { job: submitted.name, json: global.json, io }));
  }
  return code;
}

function requireSense(tasks: readonly string[], { id, run }: FlagValues<typeof FLAGS>): void {
  if (tasks.length === 0 && run !== true) {
    throw new UsageError("Cannot submit a job: no task is named", {
      hint: `As in: panewright submit "Fix the rounding". The job of the config itself: panewright submit --run`,
    });
  }
  if (tasks.length > 1 && id !== undefined) {
    throw new UsageError(`Cannot submit ${tasks.length} jobs with one --id: each has its own`);
  }
}

/** A folder's path below the top of its repository. */
async function prefixOf(folder: string, signal: AbortSignal): Promise<string> {
  const { code, stdout } = await runGit(["rev-parse", "--show-toplevel"], { cwd: folder, signal });
  if (code !== 0) {
    throw new UsageError(`Cannot submit a job from ${folder}: it is in no repository`, {
      hint: "A worker begins with a commit: make it one with git init, or go to a checkout.",
    });
  }
  return relative(stdout.trimEnd(), folder);
}

/** What a task is to its worker, and what lists call it. */
function taskOf(
  task: string | undefined,
  { folder, flags, io }: {
    readonly folder: string;
    readonly flags: FlagValues<typeof FLAGS>;
    readonly io: Pick<CliIo, "cwd">;
  },
): { readonly task?: string; readonly taskFile?: string; readonly title: string } {
  if (task === undefined) return { title: "the job of its config" };
  const file = resolve(io.cwd, task);
  if (!isPlainFile(file)) {
    if (task.trim().split(/\s+/).length > 1) return { task, title: titleOf(task) };
    throw new UsageError(`Cannot submit the task "${task}": there is no such file`, {
      hint: "A task as a text has several words.",
    });
  }
  const text = readRegularText(file, { maxBytes: MAX_TEXT_BYTES });
  if (flags.run === true) return { task: text, title: titleOf(text) };
  const taskFile = pathIn(folder, file);
  if (taskFile !== undefined) return { taskFile, title: titleOf(text) };
  throw outside(task, folder);
}

function outside(file: string, folder: string): UsageError {
  return new UsageError(`Cannot submit ${file}: it is outside of ${folder}, and its worker would not have it`);
}

/** A file's path from a folder; undefined outside of it. */
function pathIn(folder: string, file: string): string | undefined {
  const path = relative(folder, file);
  return path === ".." || path.startsWith("../") ? undefined : path;
}

const MAX_TITLE = 120;

/** The first line of a task, after what stands before its text for the pipeline. */
function titleOf(whole: string): string {
  const text = whole.replace(/^---\n.*?\n---\n/s, "");
  const line = text.split("\n").map((row) => row.replace(/^[#\s]+/, "").trim()).find((row) => row !== "");
  return sanitizeLine(line ?? "").slice(0, MAX_TITLE);
}

/** What the worker begins with. */
async function packed(
  fleet: Fleet,
  { folder, name, url, signal }: {
    readonly folder: string;
    /** What the workspace is called in which the result is collected, unless another one is. */
    readonly name: string;
    readonly url: string | undefined;
    readonly signal: AbortSignal;
  },
): Promise<{ readonly base: string; readonly bundle: string | undefined; readonly name: string }> {
  if (url !== undefined) {
    const { stdout } = await runGit(["rev-parse", "HEAD"], { cwd: folder, signal });
    return { base: stdout.trimEnd(), bundle: undefined, name: `job-${crypto.randomUUID().slice(0, 8)}` };
  }
  const { bundle, workspace } = await packRepository(folder, { task: name, now: new Date(), signal });
  return { base: workspace.base, bundle: await putObject(fleet, bundle), name: workspace.name };
}

/** Waits until a job has ended, or waits for a person. */
async function waitFor(
  fleet: Fleet,
  { job, json, io }: { readonly job: Parameters<typeof jobText>[0]; readonly json: boolean; readonly io: CliIo },
): Promise<number> {
  for await (const entry of followEntry(fleet, job, { signal: io.signal })) {
    const { outcome, reason = "", state } = entry;
    if (state === "queued" || state === "running") continue;
    const text = jobText(job);
    if (json) io.stdout(outputLine("fleet_job", jobFields(job, entry)));
    else {
      const see = callOf(io)("fleet", "status", text);
      io.stdout(`${text} ${outcome ?? state}: ${sanitizeLine(reason)}\nSee it with: ${see}\n`);
    }
    return outcome === "pass" ? 0 : state === "ended" ? 1 : 3;
  }
  return exitCodeOfLeaving(io);
}
