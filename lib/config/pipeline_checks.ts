import { resolve } from "@std/path/posix";
import type { FlowStep } from "../jobs/flow.ts";
import { globProblem } from "../jobs/pipeline/write_globs.ts";
import { type CheckContext, namedWorkdir, problemOf, readNamedFile, report, reportMissing } from "./checks.ts";
import { checkFlow, checkReferences, flowOf } from "./flow_checks.ts";
import type { Problem } from "./layers.ts";
import { isKeyed, type KeyPath, valueAt } from "./source.ts";
import { asksBeforeAll } from "../agents/acp/acp_provider.ts";
import { compareVersions } from "../base/text/order.ts";
import { didYouMean } from "../base/text/suggest.ts";

export interface PipelineCheckOptions {
  readonly pipelineNeeded: boolean;
  /** What is wrong with the program of a step; `undefined` where it can be run. */
  findProgramProblem(step: StepProgram): string | undefined;
  /** Whether such a program is a mistake by itself; otherwise it is told only with others. @default {true} */
  readonly programsNeeded?: boolean;
  findProgramVersion(step: StepProgram): string | undefined;
  onWarning(warning: Problem): void;
}

export interface StepProgram {
  readonly program: string;
  readonly workdir: string;
  readonly searchPath: string | undefined;
  readonly npmPackage: string | undefined;
}

/**
 * Checks what no single key of the pipelines shows: names, files, programs and globs. Skips values already known to be
 * wrong.
 */
export async function checkPipelines(context: CheckContext, options: PipelineCheckOptions): Promise<void> {
  const { merged } = context;
  const pipelines = isKeyed(merged["pipelines"]) ? merged["pipelines"] : {};
  const names = Object.keys(pipelines);
  if (names.length === 0 && options.pipelineNeeded) {
    reportMissing(context, ["pipelines"], {
      message: "% is missing: a task needs a pipeline with steps",
      missing: [["pipelines"]],
    });
  }
  const wanted = merged["default_pipeline"];
  if (typeof wanted === "string" && names.length > 0 && !names.includes(wanted)) {
    report(
      context,
      ["default_pipeline"],
      `% is "${wanted}", but there is no such pipeline${didYouMean(wanted, names)}`,
    );
  }
  checkExec(context);
  const programs: (() => void)[] = [];
  for (const name of names) {
    const steps = pipelines[name];
    if (!Array.isArray(steps)) continue;
    checkNames(context, ["pipelines", name], steps);
    const flow = flowOf(steps);
    checkFlow(context, ["pipelines", name], { steps, flow });
    for (const [index, step] of steps.entries()) {
      if (!isKeyed(step)) continue;
      const path = ["pipelines", name, index];
      programs.push(await checkStep(context, { path, step, flow, number: index + 1, options }));
    }
  }
  if (options.programsNeeded === false && context.problems.length === 0) return;
  for (const reportProgram of programs) reportProgram();
}

function checkExec(context: CheckContext): void {
  const exec = isKeyed(context.merged["exec"]) ? context.merged["exec"] : {};
  if (exec["default_answer"] !== undefined && exec["answer_timeout_seconds"] === undefined) {
    reportMissing(context, ["exec", "default_answer"], {
      message: "% has no effect without exec.answer_timeout_seconds",
      missing: [["exec", "answer_timeout_seconds"]],
    });
  }
  const commands = Array.isArray(exec["ask_commands"]) ? exec["ask_commands"] : [];
  for (const [index, command] of commands.entries()) {
    const program: unknown = valueAt(command, [0]);
    if (typeof program === "string" && !/^[A-Za-z0-9][A-Za-z0-9_.-]*$/.test(program)) {
      report(context, ["exec", "ask_commands", index, 0], "% must be the plain name of a command, without a path");
    }
  }
}

function checkNames(context: CheckContext, path: KeyPath, steps: readonly unknown[]): void {
  const seen = new Set<string>();
  for (const [index, step] of steps.entries()) {
    const name = valueAt(step, ["name"]);
    if (typeof name !== "string") continue;
    if (seen.has(name)) {
      report(context, [...path, index, "name"], `% is "${name}", which is the name of an earlier step`);
    }
    seen.add(name);
  }
}

interface StepToCheck {
  readonly path: KeyPath;
  readonly step: Readonly<Record<string, unknown>>;
  readonly flow: readonly FlowStep[];
  readonly number: number;
  readonly options: PipelineCheckOptions;
}

async function checkStep(
  context: CheckContext,
  { path, step, flow, number, options }: StepToCheck,
): Promise<() => void> {
  await checkPromptFile(context, [...path, "prompt"], { prompt: step["prompt"], flow, number });
  const allowWrite = valueAt(step, ["file_access", "allow_write"]);
  for (const [index, glob] of (Array.isArray(allowWrite) ? allowWrite : []).entries()) {
    const problem = typeof glob === "string" && glob !== "" ? globProblem(glob) : undefined;
    if (problem !== undefined) report(context, [...path, "file_access", "allow_write", index], `% ${problem}`);
  }
  const provider = step["provider"] ?? context.merged["provider"] ?? context.providers[0]?.id;
  const providerPath = step["provider"] === undefined ? path : [...path, "provider"];
  const known = context.providers.find(({ id }) => id === provider);
  if (known === undefined) return () => {};
  const { id, cli, headless, acp, capabilities } = known;
  if (headless === undefined && acp === undefined) {
    const able = context.providers.flatMap((each) => each.headless || each.acp ? [each.id] : []);
    report(context, providerPath, `% needs ${able.join(" or ")}: the provider ${id} cannot run a step`);
    return () => {};
  }
  const program = valueAt(step, ["command", 0]) ?? valueAt(context.merged, ["providers", id, "command", 0]) ??
    cli?.program;
  if (acp !== undefined && program === undefined) {
    report(
      context,
      providerPath,
      `% needs a command: ${id} has no program of its own, so name one in providers.${id}.command`,
    );
  }
  const searchPath = valueAt(step, ["env", "PATH"]) ?? valueAt(context.merged, ["providers", id, "env", "PATH"]);
  const started = typeof program !== "string" ? undefined : {
    workdir: namedWorkdir(context) ?? context.cwd,
    program,
    searchPath: typeof searchPath === "string" ? searchPath : undefined,
    npmPackage: cli?.npmPackage,
  };
  const version = started && options.findProgramVersion(started);
  const since = capabilities.refusesWritesSince;
  const args = valueAt(step, ["args"]) ?? valueAt(context.merged, ["providers", id, "args"]);
  const loss = capabilities.findHookLoss?.(Array.isArray(args) ? args.map(String) : []);
  const asks = headless === undefined && acp !== undefined;
  if (step["file_access"] !== undefined) {
    const told = asks
      ? `% is enforced for ${id} where it asks before it writes: what else it writes is found after the step`
      : enforcement({ id, version, since, loss });
    options.onWarning(problemOf(context, [...path, "file_access"], told));
  }
  const isBefore = since === undefined || (version !== undefined && compareVersions(version, since) < 0);
  const isUnjudged = asks ? !asksBeforeAll(acp) : isBefore;
  if (isUnjudged && judgesUnasked(context.merged["permissions"], id)) {
    const told = asks
      ? `${id}: it does not ask before all that it does`
      : since === undefined
      ? id
      : `${id} ${version}, only from ${since} on`;
    report(context, path, `% cannot keep the entries of permissions.deny and permissions.ask with ${told}`);
  }
  const problem = started && options.findProgramProblem(started);
  if (problem === undefined) return () => {};
  return () => report(context, step["command"] === undefined ? path : [...path, "command"], `% ${problem}`);
}

/**
 * Whether entries of `deny` or `ask` are about calls of an agent, of a step where no role is meant, that need no
 * permission: it must be asked.
 */
export function judgesUnasked(permissions: unknown, id: string, { ofRoles = false } = {}): boolean {
  const entries = ["deny", "ask"].flatMap((list) => {
    const given = valueAt(permissions, [list]);
    return Array.isArray(given) ? given : [];
  });
  return entries.some((entry) => {
    const { roles, providers } = isKeyed(entry) ? entry : {};
    return (ofRoles || roles === undefined) && (!Array.isArray(providers) || providers.includes(id));
  });
}

function enforcement(
  { id, version, since, loss }: {
    readonly id: string;
    readonly version: string | undefined;
    readonly since: string | undefined;
    readonly loss: string | undefined;
  },
): string {
  const nothing = "nothing is prevented, and what was written is found after the step";
  if (since === undefined) return `% is not enforced for ${id}: ${nothing}`;
  if (version !== undefined && compareVersions(version, since) < 0) {
    return `% is not enforced for ${id} ${version}, only from ${since} on: ${nothing}`;
  }
  if (loss !== undefined) return `% is not enforced for ${id}: its argument ${loss} replaces our hooks; ${nothing}`;
  const from = version ?? `from ${since} on`;
  return `% is enforced for ${id} ${from}, for its file tools and for files that its shell commands name plainly: ` +
    "what else they write is found after the step";
}

async function checkPromptFile(
  context: CheckContext,
  path: KeyPath,
  { prompt, flow, number }: Pick<StepToCheck, "flow" | "number"> & { readonly prompt: unknown },
): Promise<void> {
  if (typeof prompt !== "string" || prompt === "" || prompt === "self") return;
  const { fileLayer, baseOf, cwd } = context;
  const file = resolve(fileLayer === undefined ? cwd : baseOf(fileLayer), prompt);
  const text = await readNamedFile(context, path, file);
  if (text?.trim() === "") report(context, path, `% names ${file}, but it is empty`);
  if (text !== undefined) checkReferences(context, path, { text, file, flow, number });
}
