import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { present } from "../../base/schema.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { outputLine } from "../../api/output/line.ts";
import { collectResult, type Fleet, jobText, listWorkers, readJob, sayToJob, sayToWorker } from "../../fleet/mod.ts";
import { defineCommand } from "../console/command.ts";
import { followJobs } from "../fleet/follow.ts";
import { listFleetJobs, listFleetWorkers, showFleetJob } from "../fleet/jobs.ts";
import { showFleetLogs } from "../fleet/logs.ts";
import { callOf, requireSayer, withFleet } from "../fleet/open_fleet.ts";
import { applyStreams, cap, clean, init, join } from "../fleet/admin.ts";
import { FLAGS, type Given } from "../fleet/flags.ts";
import { upFleet } from "../fleet/up.ts";

const ACTIONS: Readonly<Record<string, (given: Given) => Promise<number>>> = {
  ls: ofFleet((fleet, given) => listFleetJobs(fleet, given)),
  status: ofFleet((fleet, given) => showFleetJob(fleet, first(given, "status"), given)),
  logs: ofFleet((fleet, given) =>
    showFleetLogs(fleet, first(given, "logs"), { ...given, follow: given.flags.follow === true })
  ),
  follow: ofFleet((fleet, given) => followJobs(fleet, given)),
  workers: ofFleet((fleet, given) => listFleetWorkers(fleet, given)),
  answer: ofFleet((fleet, given) => tell(fleet, "answer", given)),
  stop: ofFleet((fleet, given) => tell(fleet, "stop", given)),
  retry: ofFleet((fleet, given) => tell(fleet, "retry", given)),
  drain: ofFleet((fleet, given) => drain(fleet, given)),
  collect: ofFleet((fleet, given) => collect(fleet, given)),
  clean: ofFleet((fleet, given) => clean(fleet, given)),
  cap: ofFleet((fleet, given) => cap(fleet, given)),
  join: ofFleet((fleet, given) => join(fleet, given)),
  init,
  apply: applyStreams,
  up: ({ flags, global, io }) => upFleet({ port: flags.port, leaseSeconds: flags["lease-seconds"] }, { global, io }),
};

function ofFleet(act: (fleet: Fleet, given: Given) => Promise<number>) {
  return (given: Given) => withFleet(given.flags.fleet, { io: given.io, act: (fleet) => act(fleet, given) });
}

const NAMES = Object.keys(ACTIONS);

/** `panewright fleet`: jobs on many machines. */
export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: NAMES.join(", "), required: true, choices: NAMES },
    { name: "WHAT", description: "a job, a worker or a folder, and what is said to it", rest: true, text: true },
  ],
  flags: FLAGS,
  async run({ flags, positionals: [action = "", ...rest], global }, io) {
    const act = ACTIONS[action];
    if (act === undefined) {
      throw new UsageError(`Cannot do "${action}" with a fleet${didYouMean(action, NAMES)}`, {
        hint: `ACTION is one of ${NAMES.join(", ")}.`,
      });
    }
    return await act({ flags, rest, global, io });
  },
});

function first({ rest: [name] }: Given, action: string): string {
  if (name !== undefined) return name;
  throw new UsageError(`Cannot do "fleet ${action}": no job is named`, { hint: "panewright fleet ls lists the jobs." });
}

async function tell(fleet: Fleet, what: "answer" | "stop" | "retry", given: Given): Promise<number> {
  const { flags, global, io, rest: [, ...words] } = given;
  const { name, entry } = await readJob(fleet, first(given, what));
  const job = jobText(name);
  await requireNoAgent(`${what} job ${job}`);
  requireSayer(fleet, `${what} job ${job}`);
  const text = words.join(" ").trim();
  if (what === "answer") requireAnswerable(job, { text, entry, question: flags.question });
  await sayToJob(fleet, name, {
    what,
    ...(what === "answer" ? { text, ...present({ question: flags.question }) } : {}),
  });
  if (global.json) io.stdout(outputLine("fleet_told", { to: job, what }));
  else if (!global.quiet) {
    io.stdout(`${SAID[what]} ${job}. Follow it with: ${callOf(io)("fleet", "logs", job, "--follow")}\n`);
  }
  return 0;
}

const SAID = { answer: "The answer is left for", stop: "The stop is left for", retry: "A further try is queued for" };

function requireAnswerable(
  job: string,
  { text, entry: { questions = [], state }, question }: {
    readonly text: string;
    readonly entry: Awaited<ReturnType<typeof readJob>>["entry"];
    readonly question: string | undefined;
  },
): void {
  const problem = (why: string, hint: string) => new UsageError(`Cannot answer job ${job}: ${why}`, { hint });
  if (text === "") throw problem("the answer is empty", `As in: panewright fleet answer ${job} "yes"`);
  if (state !== "waiting") return;
  const ids = questions.map(({ id }) => id).join(", ");
  if (question !== undefined && !questions.some(({ id }) => id === question)) {
    throw problem(`no question ${question} is open`, `Open are: ${ids}.`);
  }
  if (question === undefined && questions.length > 1) {
    throw problem("several questions are open", `Name the one that is meant with --question: ${ids}.`);
  }
}

async function drain(fleet: Fleet, given: Given): Promise<number> {
  const { global, io, rest: [worker = ""] } = given;
  await requireNoAgent(`drain worker ${worker}`);
  const [found] = (await listWorkers(fleet)).filter(({ name }) => name === worker || name.endsWith(`.${worker}`));
  if (found === undefined || worker === "") {
    throw new UsageError(`Cannot drain worker "${worker}": there is none`, {
      hint: "panewright fleet workers lists them.",
    });
  }
  await sayToWorker(fleet, found.name.split(".").at(-1)!);
  if (global.json) io.stdout(outputLine("fleet_told", { to: worker, what: "drain" }));
  else if (!global.quiet) io.stdout(`Worker ${worker} takes no more jobs, and hands over those that it has.\n`);
  return 0;
}

async function collect(fleet: Fleet, given: Given): Promise<number> {
  const { flags, global, io } = given;
  const { name, entry } = await readJob(fleet, first(given, "collect"));
  const folder = await Deno.realPath(resolve(io.cwd, flags.wd ?? "."));
  const now = new Date();
  const found = await collectResult(fleet, { name, job: entry.job, folder, now, signal: io.signal });
  const job = jobText(name);
  const { isChanged, run, workspace: { name: workspace } } = found;
  if (global.json) {
    io.stdout(outputLine("fleet_collected", { job, workspace, isChanged, ...present({ run }) }));
    return 0;
  }
  const call = callOf(io);
  const next = [
    ...(run === undefined ? [] : [call("show", run)]),
    ...(isChanged ? [call("diff", workspace), call("apply", workspace)] : []),
    call("discard", workspace),
  ];
  const what = isChanged ? "is here, beside your checkout" : "is here; it has changed no file";
  io.stdout(`What came of job ${job} ${what}:\n${next.map((line) => `  ${line}\n`).join("")}`);
  return 0;
}
