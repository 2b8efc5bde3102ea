import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";
import {
  type Fleet,
  type JobEntry,
  type JobName,
  jobText,
  listJobs,
  listWorkers,
  reachedCap,
  readJob,
} from "../../fleet/mod.ts";
import { outputLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { age } from "../../journal/words/words.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { callOf } from "./open_fleet.ts";
import { inColumns } from "../console/layout.ts";

interface Shown {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

/** What lists and `--json` tell of a job. */
export function jobFields(name: JobName, entry: JobEntry): OutputFields["fleet_job"] {
  const {
    at,
    epoch,
    job: { labels, needs, priority, submittedAt, title },
    outcome,
    questions = [],
    reason,
    run,
    state,
    worker,
  } = entry;
  return {
    job: jobText(name),
    ...{ title, state, epoch, questions, labels, priority, submittedAt, at },
    ...present({ needs, outcome, reason, run, worker }),
  };
}

export async function listFleetJobs(fleet: Fleet, { io, global }: Shown): Promise<number> {
  const jobs = await listJobs(fleet);
  if (global.json) {
    io.stdout(jobs.map(({ name, entry }) => outputLine("fleet_job", jobFields(name, entry))).join(""));
    return 0;
  }
  const rows = jobs.map(({ name, entry }) => [
    jobText(name),
    entry.outcome ?? entry.state,
    age((Date.now() - Date.parse(entry.job.submittedAt)) / 1000),
    entry.worker ?? "",
    sanitizeLine(entry.job.title),
  ]);
  if (rows.length > 0) io.stdout(textOf([["JOB", "STATE", "AGE", "WORKER", "TASK"], ...rows]));
  else if (!global.quiet) io.stdout("The fleet has no jobs.\n");
  return 0;
}

export async function showFleetJob(fleet: Fleet, asked: string, { io, global }: Shown): Promise<number> {
  const { name, entry } = await readJob(fleet, asked);
  const { epoch, job, outcome, questions = [], reason, run, state, worker } = entry;
  if (global.json) {
    io.stdout(outputLine("fleet_job", jobFields(name, entry)));
    return 0;
  }
  const text = jobText(name);
  const capped = state === "queued" ? await reachedCap(fleet, job, { now: new Date() }) : undefined;
  const why = capped ?? reason;
  const rows = [
    ["Task", sanitizeLine(job.title)],
    ["State", outcome ?? state],
    ...(why === undefined ? [] : [["Why", sanitizeLine(why)]]),
    ...(worker === undefined ? [] : [["Worker", `${worker}${epoch > 1 ? `, the ${epoch}th that took it` : ""}`]]),
    ...(run === undefined ? [] : [["Run", run]]),
    ...(job.needs === undefined ? [] : [["Needs", job.needs.join(" ")]]),
    ...questions.map(({ id, text }) => [`Asks ${id}`, sanitizeLine(text)]),
  ];
  const width = Math.max(...rows.map(([head = ""]) => head.length));
  const call = callOf(io);
  const ofQuestion = (id: string) => questions.length > 1 ? ["--question", id] : [];
  const next = state === "waiting"
    ? questions.map(({ id }) => call("fleet", "answer", text, "…", ...ofQuestion(id)))
    : state === "ended" && outcome === "pass"
    ? [call("fleet", "collect", text)]
    : state === "ended" || state === "parked" || state === "stopped"
    ? [call("fleet", "retry", text)]
    : [call("fleet", "logs", text, "--follow")];
  const lines = rows.map(([head = "", value = ""]) => `${head.padEnd(width)}  ${value}`);
  io.stdout(`${[...lines, "", ...next].join("\n")}\n`);
  return 0;
}

export async function listFleetWorkers(fleet: Fleet, { io, global }: Shown): Promise<number> {
  const workers = await listWorkers(fleet);
  if (global.json) {
    io.stdout(workers.map((worker) => outputLine("fleet_worker", worker)).join(""));
    return 0;
  }
  const rows = workers.map(({ at, jobs, labels, name, slots, state }) => [
    name,
    state,
    `${jobs.length}/${slots}`,
    age((Date.now() - Date.parse(at)) / 1000),
    Object.entries(labels).map(([label, value]) => `${label}=${value}`).join(" "),
    jobs.join(" "),
  ]);
  if (rows.length > 0) io.stdout(textOf([["WORKER", "STATE", "SLOTS", "SEEN", "LABELS", "JOBS"], ...rows]));
  else if (!global.quiet) io.stdout(`The fleet has no workers. Start one with: ${callOf(io)("worker")}\n`);
  return 0;
}

function textOf(rows: readonly (readonly string[])[]): string {
  return inColumns(rows).map((line) => `${line}\n`).join("");
}
