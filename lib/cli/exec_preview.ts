import type { ExecOverrides, ExecTarget } from "../journal/exec/fields.ts";
import { requireTasks } from "../jobs/pipeline/check_tasks.ts";
import { previewRun } from "../jobs/pipeline/preview.ts";
import { filesOf } from "../jobs/pipeline/task_folder.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { warnAt } from "./environment.ts";
import { type ExecConfigOptions, loadExecConfig } from "./exec_config.ts";
import { previewText } from "./show/preview_text.ts";
import { outputLine } from "../api/output/line.ts";
import { passedTasksFileIn } from "./execute_steps.ts";

interface PreviewSurroundings {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
}

/** Shows what a run would do. What is shown was not run, so it need not be trusted. */
export async function showPreview(
  config: ExecConfigOptions,
  { io, global, target, overrides }: PreviewSurroundings,
): Promise<number> {
  const { plan } = await loadExecConfig(io, config, warnAt(io));
  requireTasks(await filesOf(target, overrides), { ...target, plan, overrides, cwd: io.cwd });
  const path = io.env("PATH") ?? "";
  const tasks = await previewRun(target, { plan, overrides, path, ...passedTasksFileIn(io) });
  for (const [index, task] of tasks.entries()) {
    if (global.json) io.stdout(outputLine("task_preview", task));
    else {
      const rows = previewText(task, { number: index + 1, of: tasks.length, verbose: global.verbose });
      io.stdout(rows.map((row) => `${row}\n`).join(""));
    }
  }
  return 0;
}
