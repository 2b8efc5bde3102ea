import { resolve } from "@std/path/posix";
import type { Problem } from "../../config/layers.ts";
import { ConfigError } from "../../config/load.ts";
import { UsageError } from "../../base/errors.ts";
import { checkTasks, shownPath, type TaskFileProblem } from "../../jobs/pipeline/check_tasks.ts";
import type { ExecPlan } from "../../jobs/pipeline/plan.ts";
import { filesOf } from "../../jobs/pipeline/task_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import { paint } from "../console/color.ts";
import { excerptLines } from "../console/excerpt.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { BUILT_IN } from "../built_in_pipeline.ts";
import { loadExecConfig } from "../exec_config.ts";
import type { Finding, Obstacle } from "../preflight/finding.ts";
import { lookAtConfig } from "../preflight/look_at_needs.ts";
import { lookAtMachine } from "../preflight/machine_look.ts";
import { plural } from "../../journal/words/words.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [{
    name: "FILE",
    description:
      "the config file (.json, .jsonc; panewright.jsonc of the working directory if left out), tasks and folders of tasks",
    rest: true,
  }],
  async run({ positionals, global }, io) {
    const [path, ...more] = positionals.filter(isConfigName);
    if (more.length > 0) throw new UsageError(`Cannot check ${[path, ...more].join(" and ")}: name one config file`);
    const tasks = positionals.filter((each) => !isConfigName(each));
    const { problems, warnings } = await findProblems(io, { path, tasks });
    const findings = [
      ...problems.map((problem) => ({ level: "error" as const, ...problem })),
      ...warnings.map((warning) => ({ level: "warning" as const, ...warning })),
    ];
    const color = global.color.stdout;
    for (const { level, where, message, position, row } of findings) {
      if (global.json) {
        io.stdout(outputLine("problem", { level, where, message, ...position }));
        continue;
      }
      const text = sanitizeText(`${where === "" ? "" : `${where}: `}${message}`);
      const excerpt = position === undefined || row === undefined
        ? []
        : excerptLines({ ...position, row }, { color, columns: io.columns() });
      const head = `${paint(`${level}:`, level === "error" ? "error" : "caution", color)} ${text}`;
      io.stdout(`${[head, ...excerpt].join("\n")}\n`);
    }
    if (global.json) io.stdout(outputLine("validated", { errors: problems.length, warnings: warnings.length }));
    else if (!global.quiet) {
      io.stdout(`${plural(problems.length, "error")}, ${plural(warnings.length, "warning")}\n`);
    }
    return problems.length === 0 ? 0 : 2;
  },
});

function isConfigName(path: string): boolean {
  return /\.jsonc?$/i.test(path);
}

interface Findings {
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

async function findProblems(
  io: CliIo,
  { path, tasks }: { readonly path: string | undefined; readonly tasks: readonly string[] },
): Promise<Findings> {
  const { plan, problems, warnings } = await readConfig(io, { path, ofSteps: tasks.length > 0 });
  const named = await Array.fromAsync(tasks, (task) => filesIn(task, io));
  // The pipelines that tasks name can be looked up only in a configuration that is right.
  const options = { overrides: {}, ...(plan && { plan: withAnyPipeline(plan) }) };
  const toProblem = ({ file, excerpt, message }: TaskFileProblem): Problem => ({
    where: `${shownPath(file, io.cwd)}${excerpt === undefined ? "" : `:${excerpt.line}`}`,
    message,
    ...(excerpt && { position: { line: excerpt.line, column: excerpt.column }, row: excerpt.row }),
  });
  const { toWrite = [], mistakes = [] } = Object.groupBy(
    checkTasks(named.flatMap(({ files }) => files), options),
    ({ isUnwritten }) => isUnwritten === true ? "toWrite" : "mistakes",
  );
  return {
    problems: [...problems, ...named.flatMap((each) => each.problems), ...mistakes.map(toProblem)],
    warnings: [...warnings, ...toWrite.map(toProblem)],
  };
}

/** Where there is none, tasks are done by the built-in one. */
function withAnyPipeline(plan: ExecPlan): ExecPlan {
  return Object.keys(plan.pipelines).length > 0 ? plan : { ...plan, pipelines: { [BUILT_IN]: [] } };
}

async function readConfig(
  io: CliIo,
  { path, ofSteps }: { readonly path: string | undefined; readonly ofSteps: boolean },
): Promise<Findings & { readonly plan?: ExecPlan }> {
  const warnings: Problem[] = [];
  try {
    const { plan, loaded } = await loadExecConfig(
      io,
      { ...(ofSteps ? { pipelineNeeded: false } : { withJob: true }), ...present({ path }) },
      (warning) => warnings.push(warning),
    );
    const found = await lookAtConfig({ plan, loaded, programs: "of_roles" }, lookAtMachine(io));
    // A configuration may be right on a machine that has not all of it.
    const isMistake = ({ status, isOfMachine }: Obstacle) => status === "fail" && isOfMachine !== true;
    const others = found.filter((each) => !isMistake(each)).map(problemOf);
    return { plan, problems: found.filter(isMistake).map(problemOf), warnings: [...warnings, ...others] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems, warnings };
  }
}

function problemOf({ check, detail, remedy }: Finding): Problem {
  return { where: check, message: remedy === undefined ? detail : `${detail}. ${remedy}` };
}

async function filesIn(
  given: string,
  io: CliIo,
): Promise<{ readonly files: readonly string[]; readonly problems: readonly Problem[] }> {
  const path = resolve(io.cwd, given);
  const wrong = (message: string) => ({ files: [], problems: [{ where: given, message }] });
  try {
    const { isDirectory } = await Deno.stat(path);
    const files = await filesOf({ kind: isDirectory ? "folder" : "task", path }, {});
    return files.length === 0 ? wrong("it has no tasks") : { files, problems: [] };
  } catch (error) {
    return wrong(error instanceof Deno.errors.NotFound ? "there is no such file or folder" : errorText(error));
  }
}
