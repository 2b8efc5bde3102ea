import { resolve } from "@std/path/posix";
import { systemClock } from "../../base/ports/clock.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { takeAnswers } from "../../api/control/take_answers.ts";
import { outputLine } from "../../api/output/line.ts";
import {
  type Fleet,
  followJob,
  type JobEntry,
  type JobEvent,
  type JobName,
  jobText,
  listOwnJobs,
  readJob,
} from "../../fleet/mod.ts";
import { exitCodeOfLeaving } from "../console/command.ts";
import type { Given } from "./flags.ts";
import { eventText } from "./logs.ts";
import { callOf, requireSayer } from "./open_fleet.ts";

interface Followed {
  readonly name: JobName;
  readonly entry: JobEntry;
}

/** How often it is looked for jobs that were submitted meanwhile. */
const LIST_EVERY_MS = 5000;

/**
 * Keeps the runs of jobs here as they go on: of those that are named until they have ended, else of all that were submitted
 * from this machine, until Ctrl-C.
 */
export async function followJobs(fleet: Fleet, given: Given): Promise<number> {
  const { global, io, rest } = given;
  await requireNoAgent("follow jobs of a fleet, and bring answers to them");
  requireSayer(fleet, "follow jobs, and bring answers to them");
  if (rest.length > 0) {
    const jobs = await Promise.all(rest.map((text) => readJob(fleet, text)));
    const told = new Map<string, number>();
    const outcomes = await Promise.all(jobs.map((job) => follow(fleet, job, { ...given, told })));
    if (io.signal.aborted) return exitCodeOfLeaving(io);
    return outcomes.every((outcome) => outcome === "pass") ? 0 : 1;
  }
  if (!global.json && !global.quiet) {
    const call = callOf(io);
    io.stdout(
      "Your jobs are here as they go on: look at them, answer them and stop them as if they were runs of this machine, " +
        `here or on the page of ${call("serve")}. Ctrl-C ends this; the jobs go on.\n`,
    );
  }
  const known = new Map<string, Promise<unknown>>();
  const told = new Map<string, number>();
  while (!io.signal.aborted) {
    for (const job of await listOwnJobs(fleet, { clock: systemClock, signal: io.signal })) {
      const text = jobText(job.name);
      if (known.has(text)) continue;
      // One that is tried again later is followed again.
      const following = follow(fleet, job, { ...given, told }).then((end) => end !== "failed" && known.delete(text));
      known.set(text, following);
    }
    await systemClock.sleep(LIST_EVERY_MS, io.signal).catch(() => {});
  }
  await Promise.all(known.values());
  return exitCodeOfLeaving(io);
}

/** @returns how the job has ended; undefined where it has not, `failed` where it could not be followed */
async function follow(
  fleet: Fleet,
  { name, entry: { job } }: Followed,
  { flags, global, io, told }: Given & {
    /** How many events of each job were told. */
    readonly told: Map<string, number>;
  },
): Promise<string | undefined> {
  const text = jobText(name);
  const tell = (line: string) => global.quiet ? undefined : io.stdout(`${text}: ${sanitizeLine(line)}\n`);
  let outcome: string | undefined;
  const onEvent = (event: JobEvent, at: number) => {
    if (event.type === "ended") ({ outcome } = event);
    if (event.type === "claimed") outcome = undefined;
    if (at < (told.get(text) ?? 0)) return;
    told.set(text, at + 1);
    if (global.json) return io.stdout(outputLine("fleet_event", { job: text, event: { ...event } }));
    if (event.type === "record") return;
    const line = eventText(event);
    if (line !== undefined) tell(line);
    if (event.type !== "released") return;
    for (const { id, text: asked } of event.questions ?? []) tell(`asks ${id}: ${asked}`);
  };
  try {
    await followJob(fleet, {
      ...{ name, job, clock: systemClock, signal: io.signal, onEvent, now: new Date() },
      folder: await Deno.realPath(resolve(io.cwd, flags.wd ?? ".")),
      onProblem: (message) => io.stderr(`${text}: ${sanitizeLine(message)}\n`),
      takeAnswers: (folder) => takeAnswers(folder, { onRefused: (message) => io.stderr(`${text}: ${message}\n`) }),
    });
  } catch (error) {
    if (!io.signal.aborted) io.stderr(`${text} is not followed any more: ${sanitizeLine(errorText(error))}\n`);
    return "failed";
  }
  return outcome;
}
