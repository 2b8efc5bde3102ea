import { systemClock } from "../../ports/clock.ts";
import { type StopReport, stopRun } from "../../jobs/stop_run.ts";
import { canResume } from "../../run/condition.ts";
import { defineCommand } from "../console/command.ts";
import { findNamedRun, RUN_ARGUMENT, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";
import { conditionText } from "../show/run_words.ts";
import { jsonLine } from "../../text/sanitize.ts";

/** `panewright stop RUN` */
export const command = defineCommand({
  description:
    "Stops a run: the panewright that executes it ends as with Ctrl-C, and its agents with it. Agents that a killed panewright " +
    "has left behind are ended. Nothing is lost: `panewright resume` continues with the same turn.\n\nA run that is over is left " +
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
    { command: "stop 20261120-072605-3fa9", description: "stop it now, resume it tomorrow" },
    { command: "stop 20261120-072605-3fa9 --force", description: "when it does not end by itself" },
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
    const { condition, executed, progress } = overview;
    const resumes = canResume(condition, { job: progress?.job, executed });
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
        ...(agentsAlive
          ? [`Its agents are still alive; end them with: ${runCommandLine(["stop", folder.id], flags.wd)}`]
          : []),
        ...(resumes ? [`Resume with: ${resumeCommand}`] : []),
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
