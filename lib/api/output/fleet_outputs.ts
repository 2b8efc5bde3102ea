import * as z from "zod";
import { count, flag, output, runId, text, time } from "./shapes.ts";

const jobName = text("The job: its author's name, a dot, and its id.");
const labels = z.record(z.string(), z.string());

export const FLEET_OUTPUTS = {
  fleet_job: output("A job of a fleet.", {
    job: jobName,
    title: text("What is to be done."),
    state: z.enum(["queued", "running", "waiting", "stopped", "ended", "parked"]),
    outcome: z.enum(["pass", "fail", "waiting", "needs_human", "error", "interrupted"]).describe("What came of it.")
      .optional(),
    reason: text("Why it stands so.").optional(),
    worker: text("Who has it, or had it last.").optional(),
    run: runId.optional(),
    epoch: count("How often a worker has taken it."),
    questions: z.array(z.object({ id: z.string(), text: z.string() })).describe("What waits for an answer."),
    labels,
    priority: z.string(),
    needs: z.array(z.string()).describe("The jobs that must have passed before it begins.").optional(),
    submittedAt: time("When it was submitted"),
    at: time("When this was written down"),
  }),
  fleet_worker: output("A worker of a fleet.", {
    name: text("Its user's name, a dot, and its own."),
    state: text("`ready`, or `draining`."),
    labels,
    slots: count("How many jobs it takes at a time."),
    jobs: z.array(z.string()).describe("Those that it has."),
    version: z.string(),
    at: time("When it has told this"),
  }),
  fleet_event: output("What has happened to a job of a fleet.", {
    job: jobName,
    event: z.record(z.string(), z.unknown()).describe(
      "Its type, when it was, and its fields; a line of the run's journal in `line`.",
    ),
  }),
  fleet_told: output("Something was said to a job, or to a worker.", {
    to: text("Which one."),
    what: z.enum(["answer", "stop", "retry", "drain"]),
  }),
  fleet_submitted: output("A job was submitted to a fleet.", {
    job: jobName,
    isNew: flag("Whether an earlier call has not submitted it already."),
    hasWorker: flag("Whether a worker is there whose labels fit."),
  }),
  fleet_collected: output("What came of a job of a fleet is here.", {
    job: jobName,
    workspace: text("The workspace that has it, for `panewright apply`."),
    isChanged: flag("Whether a file was changed."),
    run: runId.optional(),
  }),
  fleet_cleaned: output("Jobs of a fleet were removed.", {
    jobs: z.array(jobName).describe("Which ones."),
    objects: count("How many objects that no other job has."),
    bytes: count("How large those were."),
  }),
  fleet_joined: output("Another machine is a worker now.", {
    host: text("As ssh takes it."),
    worker: text("Its name among the workers."),
    isService: flag("Whether it is started again by itself."),
  }),
  fleet_caps: output("How many tokens the jobs of a fleet may use in a day.", {
    caps: z.array(z.object({
      label: text("The jobs that want this label; all where it is missing.").optional(),
      tokensPerDay: count("In and out, in a day of UTC."),
      spentToday: count("What they have used."),
    })),
  }),
  fleet_made: output("A fleet was made.", {
    config: text("The configuration of its nats-server."),
    others: z.array(z.string()).describe("Those of the other servers of its cluster.").optional(),
    credentials: z.record(z.string(), z.string()).describe("The file of each user, by name."),
  }),
};
