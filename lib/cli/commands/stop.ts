import { systemClock } from "../../ports/clock.ts";
import { canResume } from "../../jobs/overview/condition.ts";
import { type StopReport, stopRun } from "../../jobs/overview/stop_run.ts";
import { defineCommand } from "../console/command.ts";
import { findNamedRun, RUN_ARGUMENT, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";
import { conditionText } from "../show/run_words.ts";
import { jsonLine } from "../../text/sanitize.ts";

/** `panewright stop RUN` */
export const command = defineCommand({
  description:
    "Stops a run: the panewright that executes it ends as with Ctrl-C, and its agents with it. Where that was killed and has left " +
    "agents behind, these are ended. Nothing is lost: `panewright resume` goes on at the very turn.\n\nA run that is over is left " +
    "as it is, with exit code 0. Exit code 1: its process did not end within 10 seconds.",
  arguments: [{ ...RUN_ARGUMENT, required: true }],
  flags: [
    {
      name: "force",
      type: "switch",
      description: "kill the process (SIGKILL) instead of telling it to end, and end its agents",
    },
    WORKDIR_FLAG,
  ],
  examples: [
    { command: "stop 20261120-072605-3fa9", description: "stop it now, go on tomorrow" },
    { command: "stop 20261120-072605-3fa9 --force", description: "where it does not end by itself" },
  ],
  async run({ flags, positionals, global }, io) {
    const [run = ""] = positionals;
    const folder = await findNamedRun(io, run, flags.wd);
    const resumeCommand = runCommandLine(["resume", folder.id], flags.wd);
    const report = await stopRun(folder, {
      force: flags.force === true,
      resumeCommand,
      clock: systemClock,
      signal: io.signal,
    });
    const { pid, endedAgents, overview, agentsAlive } = report;
    const { condition, executed, summary } = overview;
    const resumes = canResume(condition, { job: summary?.job, executed });
    if (global.json) {
      io.stdout(jsonLine({
        type: "run_stopped",
        run: folder.id,
        pid: pid ?? null,
        endedAgents,
        agentsAlive,
        state: condition,
        ...(resumes ? { resumeCommand } : {}),
      }));
    } else if (!global.quiet) {
      const more = [
        ...(agentsAlive ? [`Its agents live on; end them with: ${runCommandLine(["stop", folder.id], flags.wd)}`] : []),
        ...(resumes ? [`Go on with: ${resumeCommand}`] : []),
      ];
      io.stdout(`${[whatWasDone(folder.id, report), ...more].join("\n")}\n`);
    }
    return 0;
  },
});

function whatWasDone(id: string, { pid, endedAgents, overview }: StopReport): string {
  const how = conditionText(overview);
  if (pid !== undefined) {
    const was = overview.condition === "stopped" ? "was stopped" : `is ${how}`;
    return `Run ${id} ${was}: process ${pid} has ended${endedAgents ? ", and its agents were ended" : ""}.`;
  }
  if (endedAgents) return `The agents of run ${id} were ended; the panewright that executed it was gone.`;
  return `No process executes run ${id}, and nothing of it is left running (${how}).`;
}
