import { readExecRun } from "../workflow/pipeline/read_run.ts";
import { resumeExec } from "../workflow/pipeline/execute.ts";
import { defineCommand } from "./command.ts";
import { NO_INPUT_FLAG, withExecOptions } from "./exec.ts";
import { loadExecConfig } from "./exec_config.ts";
import { createExecProgress } from "./exec_progress.ts";
import { findNamedRun, WORKDIR_FLAG } from "./find_exec_run.ts";

/** `panewright resume RUN` */
export const command = defineCommand({
  description:
    "Goes on with a run of `panewright exec` from where its journal says that it stands: after an answer, a failure, Ctrl-C or " +
    "a crash. A question that is still open is asked again. A step that failed gets its tries anew.\n\nThe exit codes are those " +
    "of `panewright exec`.",
  arguments: [{ name: "RUN", description: "the run's id, or the path of its folder", required: true }],
  flags: [NO_INPUT_FLAG, WORKDIR_FLAG],
  examples: [{ command: "resume 20261120-072605-3fa9", description: "go on after the question was answered" }],
  async run({ flags, positionals, global }, io) {
    const folder = await findNamedRun(io, positionals[0] ?? "", flags.wd);
    const { state: { run } } = await readExecRun(folder);
    using progress = createExecProgress({ io, global });
    const config = await loadExecConfig(io, {
      flags: { wd: run.workdir },
      ...(run.configFile === null ? {} : { path: run.configFile }),
    }, ({ where, message }) => progress.onEvent({ type: "warning", message: `${where}: ${message}` }));
    const noInput = flags["no-input"] === true;
    return await withExecOptions(
      { io, global, config, noInput, onEvent: progress.onEvent },
      (options) => resumeExec(folder, options),
    );
  },
});
