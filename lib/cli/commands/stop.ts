import { isExecuted } from "../../base/ports/lock_file.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { stopRun } from "../../api/control/stop_run.ts";
import { UsageError } from "../../base/errors.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { type CliIo, defineCommand, switchFlag } from "../console/command.ts";
import { runCommandLine } from "../../run/command_line.ts";
import {
  findMeantRun,
  findNamedRun,
  inRealWorkdir,
  RUN_ARGUMENT,
  runsAtHand,
  WORKDIR_FLAG,
} from "../find_named_run.ts";
import { conditionText } from "../../api/show/run_words.ts";
import { outputLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    force: switchFlag("kill the process (SIGKILL) instead of telling it to end, and end its agents"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const folder = await findRunToStop(io, positionals[0], flags.wd);
    const { force = false, wd } = flags;
    const { told, overview } = await stopRun(folder, { force, wd, clock: systemClock, signal: io.signal });
    if (global.json) io.stdout(outputLine("run_stopped", told));
    else if (!global.quiet) {
      const { agentsAlive, resumeCommand } = told;
      const more = [
        ...(agentsAlive
          ? [`Its agents are still alive; end them with: ${runCommandLine(["stop", folder.id], wd)}`]
          : []),
        ...(resumeCommand === undefined ? [] : [`Resume with: ${resumeCommand}`]),
      ];
      io.stdout(`${[whatWasDone(told, overview), ...more].join("\n")}\n`);
    }
    return 0;
  },
});

async function findRunToStop(io: CliIo, run: string | undefined, wd: string | undefined): Promise<RunFolder> {
  if (run !== undefined) return await findNamedRun(io, run, wd);
  const executed: RunFolder[] = [];
  for (const one of (await runsAtHand(io, wd)).runs.toReversed()) if (await isExecuted(one)) executed.push(one);
  const [only, ...others] = executed;
  if (others.length > 0) {
    throw new UsageError(`Cannot tell which run to stop: ${executed.length} are being executed`, {
      hint: `Name one of them: ${executed.map(({ id }) => id).join(", ")}.`,
    });
  }
  // Not looked for again: a run that begins meanwhile is not meant.
  return only === undefined ? await findMeantRun(io, undefined, wd) : await inRealWorkdir(only);
}

function whatWasDone({ run: id, pid, endedAgents, state }: OutputFields["run_stopped"], overview: RunOverview): string {
  const [how, job] = [conditionText(overview), overview.elsewhere];
  if (pid !== null) {
    const was = state === "stopped" ? "was stopped" : `is ${how}`;
    return `Run ${id} ${was}: process ${pid} has ended${endedAgents ? ", and its agents were ended" : ""}.`;
  }
  if (job !== undefined) {
    return `Run ${id} ${state === "stopped" ? "was stopped where it was" : `is ${how}`}: job ${job}.`;
  }
  if (endedAgents) return `The agents of run ${id} were ended; the panewright that executed it was gone.`;
  return `No process executes run ${id}, and nothing of it is left running (${how}).`;
}
