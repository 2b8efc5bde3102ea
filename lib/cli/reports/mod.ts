import { plainName } from "../../journal/exec/place.ts";
import { relative, resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import type { ExecEvent } from "../../journal/exec/facts.ts";
import { NO_SUMMARY, type RunSummary, summarize, type SummaryFold, wholeSummary } from "../../journal/exec/summary.ts";
import { isPlainFile } from "../../base/ports/files.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { placesIn } from "../../base/text/places_in.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { errorText } from "../../base/text/error_text.ts";
import { plainText, sanitizeLine } from "../../base/text/sanitize.ts";
import { type CliIo, textFlag } from "../console/command.ts";
import type { WorkflowCommand } from "../console/workflow_commands.ts";
import { refuseUnlessFile } from "../output_file.ts";
import { jobSummary } from "./job_summary.ts";
import { junitXml } from "./junit.ts";
import { summaryTable } from "./table.ts";

export const JUNIT_FLAG = textFlag("FILE", "write tasks and steps to this file as JUnit XML when the run ends");

interface Reports {
  before(event: ExecEvent): void;
  table(options: { readonly color: boolean }): readonly string[];
  after(event: ExecEvent): void;
  write(): Promise<void>;
}

interface ReportOptions {
  readonly io: CliIo;
  readonly junit?: string | undefined;
  readonly earlier?: readonly ExecEvent[];
}

export function openReports({ io, junit, earlier = [] }: ReportOptions): Reports {
  if (junit === "") throw new UsageError('Cannot write --junit "": it names no file');
  if (junit !== undefined) refuseUnlessFile({ flag: "--junit", named: junit, path: resolve(io.cwd, junit) });
  let fold = earlier.reduce(afterEvent, NO_SUMMARY);
  let end: Extract<ExecEvent, { type: "run_finished" }> | undefined;
  let isGroupOpen = false;
  let told = fold.summary.judged;
  const endGroup = () => {
    if (isGroupOpen) io.workflow?.({ name: "endgroup" });
    isGroupOpen = false;
  };
  let workdir = earlier.flatMap((event) => event.type === "run_started" ? [event.workdir] : [])[0] ?? io.cwd;
  return {
    before(event) {
      if (event.type === "run_started") workdir = event.workdir;
      fold = afterEvent(fold, event);
      if (event.type === "run_finished") {
        endGroup();
        end = event;
      }
      if (event.type === "step_started") {
        io.workflow?.({ name: "group", message: groupTitle(fold, event.name) });
        isGroupOpen = true;
      }
    },
    table: (options) => fold.summary.isFolder ? summaryTable(wholeSummary(fold), options) : [],
    after(event) {
      const { judged } = fold.summary;
      if (judged !== undefined && judged !== told) remarked(judged).forEach((command) => io.workflow?.(command));
      told = judged;
      if (event.type !== "step_finished") return;
      endGroup();
      if (event.outcome === "fail" && event.next === undefined) io.workflow?.(annotation(fold, event, { io, workdir }));
    },
    async write() {
      if (end === undefined) return;
      const { outcome, reason, resumeCommand } = end;
      const summaryFile = io.workflow === undefined ? undefined : io.env("GITHUB_STEP_SUMMARY");
      await tryWrite(io, junit, (path) => replaceFile(path, junitXml(wholeSummary(fold), reason), { mode: 0o644 }));
      await tryWrite(io, summaryFile, (path) => {
        const summary = wholeSummary(fold);
        const wd = workdir === io.cwd ? undefined : workdir;
        const answerCommand = (id: string) =>
          `${runCommandLine(["answer", summary.runId, "--question", id], wd)} "YOUR ANSWER"`;
        return Deno.writeTextFile(path, jobSummary(summary, { outcome, reason, resumeCommand, answerCommand }), {
          append: true,
        });
      });
    },
  };
}

function afterEvent(fold: SummaryFold, event: ExecEvent): SummaryFold {
  return event.type === "agent_activity" ? fold : summarize(fold, event);
}

function groupTitle({ summary }: SummaryFold, step: string): string {
  const task = summary.tasks.at(-1);
  return sanitizeLine(`${task === undefined ? "" : `${plainName(task.file)}: `}${step}`);
}

function annotation(
  { summary }: SummaryFold,
  { step, name, reason = "" }: Extract<ExecEvent, { type: "step_finished" }>,
  { io, workdir }: { readonly io: CliIo; readonly workdir: string },
): WorkflowCommand {
  const task = summary.tasks.at(-1);
  const check = task?.steps[step - 1]?.failedCheck;
  const end = check === undefined ? "" : `\n${plainText(check.output).trim().split("\n").slice(-20).join("\n")}`;
  return {
    name: "error",
    properties: {
      title: groupTitle({ ...NO_SUMMARY, summary }, name),
      ...placeOf(check?.output ?? "", { io, workdir }),
    },
    message: `${check === undefined ? "" : `${check.description}: `}${reason}${end}`,
  };
}

/** What was found of a PASS: it does not hold, or what to know of it. */
function remarked({ problem, remarks }: NonNullable<RunSummary["judged"]>): readonly WorkflowCommand[] {
  return [
    ...(problem === undefined ? [] : [{ name: "error", properties: { title: "No PASS" }, message: problem } as const]),
    ...remarks.map((message) => ({ name: "warning", properties: { title: "Remark" }, message } as const)),
  ];
}

function placeOf(output: string, { io, workdir }: { readonly io: CliIo; readonly workdir: string }) {
  const root = io.env("GITHUB_WORKSPACE") ?? workdir;
  for (const { path, line } of placesIn(output)) {
    const file = resolve(workdir, path);
    const named = relative(root, file);
    if (file.startsWith(`${workdir}/`) && !named.startsWith("..") && isPlainFile(file)) {
      return { file: named, line: `${line}` };
    }
  }
  return {};
}

/** A report that cannot be written is told; how the run ended counts all the same. */
async function tryWrite(io: CliIo, file: string | undefined, write: (path: string) => Promise<void>): Promise<void> {
  if (file === undefined || file === "") return;
  try {
    await write(resolve(io.cwd, file));
  } catch (error) {
    io.stderr(`panewright: Cannot write ${sanitizeLine(`${file}: ${errorText(error)}`)}\n`);
  }
}
