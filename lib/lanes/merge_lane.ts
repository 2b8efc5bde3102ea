import { errorText } from "../base/text/error_text.ts";
import { describeCheck } from "../jobs/pipeline/checks.ts";
import { makeCheck } from "../jobs/pipeline/step_checks.ts";
import { openStepsSandbox } from "../jobs/pipeline/steps_sandbox.ts";
import { plainName } from "../journal/exec/place.ts";
import type { LaneState, MergeProblem } from "../journal/exec/state.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { dropWorkspace, keepResult } from "../workspace/result.ts";
import { commitTree, hasLanded, land, landedIn, markedIn, mergeOf } from "../workspace/target.ts";
import { listWorkspaces } from "../workspace/workspace.ts";
import type { Lanes } from "./context.ts";
import { aboutLane, checksOf } from "./lane_run.ts";

/** What keeps a lane's work from being landed, with the commit that an agent may begin at to mend it. */
export interface Unmerged {
  readonly reason: string;
  readonly problem: MergeProblem;
  readonly at: string;
}

/**
 * Merges the work of a lane with what was landed before, makes the checks of both on exactly that, and lands it: the commit
 * that was tested is the commit that is landed.
 *
 * @param how why this one of several, for people; empty where there is one only
 * @returns why it is not landed; nothing where it is
 */
export async function mergeLane(
  lane: LaneState,
  { how, lanes }: { readonly how: string; readonly lanes: Lanes },
): Promise<Unmerged | undefined> {
  const { run: { record }, signal, target } = lanes;
  const { candidate: earlier, commit = target.base } = lane;
  const { store } = target;
  const about = aboutLane(lane);
  const landed = (detail: string) =>
    record({ type: "merge_finished", ...about, outcome: "landed", detail, output: "" });
  if (earlier !== undefined && await hasLanded(earlier, { target, signal })) {
    await keepResult(target, { signal });
    return void landed("it was, before the process ended");
  }
  const onto = await landedIn(target, { signal });
  const { conflicts, tree } = await mergeOf([onto, commit], { store, signal });
  const marked = await markedIn(commit, { files: lane.problem?.conflicts ?? [], store, signal });
  const message = `${plainName(lane.file)}\n`;
  const candidate = await commitTree(tree, { onto, message, store, signal });
  if (conflicts.length > 0 || marked.length > 0) {
    const files = [...new Set([...conflicts, ...marked])];
    const reason = `both have changed ${files.join(", ")}`;
    record({ type: "merge_finished", ...about, outcome: "conflict", detail: reason, output: "" });
    return { reason, problem: { conflicts: files, output: "" }, at: candidate };
  }
  if (candidate === onto) {
    return void record({ type: "merge_finished", ...about, outcome: "nothing", detail: "", output: "" });
  }
  record({ type: "merge_started", ...about, commit: candidate, onto });
  const { checks, failed } = await checkTogether(lane, { candidate, lanes });
  if (failed !== undefined) {
    const { detail, output } = failed;
    record({ type: "merge_finished", ...about, outcome: "failed", detail, output });
    return { reason: detail, problem: { conflicts: [], output: `${detail}\n${output}`.trim() }, at: candidate };
  }
  await land(candidate, { onto, target, signal });
  await keepResult(target, { signal });
  const checked = checks.length === 0 ? "its pipeline has no check that could be made" : `${checks.join("; ")}: passed`;
  return void landed(how === "" ? checked : `${checked}; ${how}`);
}

interface Together {
  readonly checks: readonly string[];
  readonly failed?: { readonly detail: string; readonly output: string };
}

/** Makes the checks of all that is landed, and of what is to be, in a fresh workspace that no agent has seen. */
async function checkTogether(
  { file }: LaneState,
  { candidate, lanes }: { readonly candidate: string; readonly lanes: Lanes },
): Promise<Together> {
  const { run, signal, target: { name, origin } } = lanes;
  for (const left of listWorkspaces()) {
    if (left.partOf?.target === name && left.partOf.as === "check") await dropWorkspace(left);
  }
  const checks = checksIn(lanes, file);
  if (checks.length === 0) return { checks: [] };
  const workspace = await openWorkspace(origin, {
    ...{ at: candidate, task: `${plainName(file)} merged`, now: run.wallClock(), signal },
    partOf: { target: name, as: "check" },
  });
  try {
    const { workdir } = workspace;
    const plan = await lanes.planIn(workdir);
    await using inside = await openStepsSandbox({ plan: { ...plan, pipelines: {} } }, { ...run, signal });
    const of = { run: { ...run, signal: inside.signal }, workdir, around: inside.plan.sandboxOfCommands };
    for (const check of checks) {
      const { detail, output, passed } = await makeCheck(check, of);
      if (!passed) return { checks: [], failed: { detail: `${describeCheck(check)}: ${detail}`, output } };
    }
    return { checks: checks.map(describeCheck) };
  } finally {
    await dropWorkspace(workspace).catch((error) =>
      run.record({
        type: "warning",
        message: `the workspace ${workspace.name} could not be removed: ${errorText(error)}`,
      })
    );
  }
}

/** The checks of all that is landed, and of a task's, each once. */
function checksIn({ plan: { pipelines }, run, tasks }: Lanes, file: string): readonly OwnCheck[] {
  const { passed } = run.state();
  const all = tasks.filter((task) => task.file === file || passed.includes(task.file))
    .flatMap(({ pipeline }) => checksOf(pipelines[pipeline] ?? []));
  return [...new Map(all.map((check) => [JSON.stringify(check), check])).values()];
}

type OwnCheck = ReturnType<typeof checksOf>[number];
