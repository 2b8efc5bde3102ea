import { relative } from "@std/path/posix";
import { digestsOf, surveyObeyed } from "../agents/obeyed_files.ts";
import { errorText } from "../base/text/error_text.ts";
import { plannedAgents } from "../jobs/pipeline/plan.ts";
import { checksOfAll, describeCheck } from "../jobs/pipeline/checks.ts";
import { makeCheck } from "../jobs/pipeline/step_checks.ts";
import { openStepsSandbox } from "../jobs/pipeline/steps_sandbox.ts";
import { isSameWork, type Lane, workName } from "../journal/exec/lane.ts";
import type { LaneState, MergeProblem } from "../journal/exec/state.ts";
import { setUpWorkspace } from "../jobs/set_up.ts";
import { openWorkspace } from "../workspace/open_workspace.ts";
import { changedPaths, dropWorkspace, keepResult } from "../workspace/result.ts";
import { commitTree, hasLanded, land, landedIn, markedIn, mergeOf } from "../workspace/target.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Lanes } from "./context.ts";
import { aboutLane } from "./about_lane.ts";
import { stepsOfWork } from "./lane_tasks.ts";
import { isLanded } from "./schedule.ts";

/** What keeps a lane's work from being landed, with the commit that an agent may begin at to mend it. */
export interface Unmerged {
  readonly reason: string;
  /** Missing where no agent may mend it. */
  readonly problem?: MergeProblem;
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
  if (earlier !== undefined && await hasLanded(earlier, { target, signal })) {
    await keepResult(target, { signal });
    return recordLanded(lane, { detail: "it was, before the process ended", lanes });
  }
  const onto = await landedIn(target, { signal });
  const { conflicts, tree } = await mergeOf([onto, commit], { store, signal });
  const marked = await markedIn(commit, { files: lane.problem?.conflicts ?? [], store, signal });
  const message = `${workName(lane)}\n`;
  const candidate = await commitTree(tree, { onto, message, store, signal });
  const unresolved = [...new Set([...conflicts, ...marked])];
  const isMerged = unresolved.length === 0;
  if (isMerged && candidate === onto) {
    return void record({ type: "merge_finished", ...about, outcome: "nothing", detail: "", output: "" });
  }
  if (isMerged) record({ type: "merge_started", ...about, commit: candidate, onto });
  const { checks, failed, obeyed } = await lookAtMerge([lane], { candidate, isMerged, lanes, onto });
  if (obeyed.length > 0) {
    const detail = obeyed.join(", ");
    record({ type: "merge_finished", ...about, outcome: "obeyed", detail, output: "" });
    const reason = `it changes what agents obey (${detail}): look at it, and take it in yourself`;
    return { reason: `${reason}: panewright apply ${lane.workspace}`, at: candidate };
  }
  if (!isMerged) {
    const reason = `both have changed ${unresolved.join(", ")}`;
    record({ type: "merge_finished", ...about, outcome: "conflict", detail: reason, output: "" });
    return { reason, problem: { conflicts: unresolved, output: "" }, at: candidate };
  }
  if (failed !== undefined) {
    const { detail, output } = failed;
    record({ type: "merge_finished", ...about, outcome: "failed", detail, output });
    return { reason: detail, problem: { conflicts: [], output: `${detail}\n${output}`.trim() }, at: candidate };
  }
  await land(candidate, { onto, target, signal });
  await keepResult(target, { signal });
  return recordLanded(lane, { detail: [checkedText(checks), how].filter(Boolean).join("; "), lanes });
}

function recordLanded(
  lane: LaneState,
  { detail, lanes: { run } }: { readonly detail: string; readonly lanes: Lanes },
): undefined {
  run.record({ type: "merge_finished", ...aboutLane(lane), outcome: "landed", detail, output: "" });
}

function checkedText(checks: readonly string[]): string {
  return checks.length === 0 ? "its pipeline has no check that could be made" : `${checks.join("; ")}: passed`;
}

/**
 * Merges the work of several lanes, one upon the other, and lands all of it if the checks pass on the last of these commits.
 *
 * @returns whether it is landed; else nothing is, and each is to be looked at by itself
 */
export async function mergeTogether(
  all: readonly { readonly lane: LaneState; readonly how: string }[],
  lanes: Lanes,
): Promise<boolean> {
  const { run: { record }, signal, target } = lanes;
  const { store } = target;
  // What an earlier process may have landed, or a merge has left to do, needs a look of its own.
  if (all.some(({ lane }) => lane.candidate !== undefined || lane.problem !== undefined)) return false;
  const onto = await landedIn(target, { signal });
  const merged: { readonly lane: LaneState; readonly how: string; readonly commit: string }[] = [];
  for (const { how, lane } of all) {
    const before = merged.at(-1)?.commit ?? onto;
    const { conflicts, tree } = await mergeOf([before, lane.commit ?? target.base], { store, signal });
    const commit = await commitTree(tree, { onto: before, message: `${workName(lane)}\n`, store, signal });
    if (conflicts.length > 0 || commit === before) return false;
    merged.push({ lane, how, commit });
  }
  const candidate = merged.at(-1)?.commit ?? onto;
  for (const { lane, commit } of merged) record({ type: "merge_started", ...aboutLane(lane), commit, onto });
  const { checks, failed, obeyed } = await lookAtMerge(all.map(({ lane }) => lane), {
    candidate,
    isMerged: true,
    lanes,
    onto,
  });
  const names = all.map(({ lane }) => workName(lane)).join(", ");
  if (failed !== undefined || obeyed.length > 0) {
    const why = failed?.detail ?? `what agents obey is changed (${obeyed.join(", ")})`;
    record({ type: "warning", message: `${names}: merged together, ${why}; they are looked at in two halves` });
    return false;
  }
  await land(candidate, { onto, target, signal });
  await keepResult(target, { signal });
  for (const { how, lane } of merged) {
    recordLanded(lane, {
      detail: [`${checkedText(checks)} on ${names} together`, how].filter(Boolean).join("; "),
      lanes,
    });
  }
  return true;
}

interface Together {
  readonly checks: readonly string[];
  /** What it changes of what agents obey. */
  readonly obeyed: readonly string[];
  readonly failed?: { readonly detail: string; readonly output: string };
}

/**
 * Looks at a merge in a fresh workspace that no agent has seen, and makes the checks of all that is landed, and of what is to
 * be, there.
 */
async function lookAtMerge(
  of: readonly LaneState[],
  { candidate, isMerged, lanes, onto }: {
    readonly candidate: string;
    /** Whether there is anything to check: else it has marks of conflicts. */
    readonly isMerged: boolean;
    readonly onto: string;
    readonly lanes: Lanes;
  },
): Promise<Together> {
  const { run, signal, target: { name, origin } } = lanes;
  const workspace = await openWorkspace(origin, {
    ...{
      at: candidate,
      task: `${of.map(workName).join(" ").replaceAll("/", " ")} merged`,
      now: run.wallClock(),
      signal,
    },
    ...{ partOf: { target: name, as: "check" }, share: lanes.plan.workspace?.share ?? [] },
  });
  try {
    const { workdir } = workspace;
    const obeyed = await obeyedIn(workspace, { lanes, onto });
    const checks = checksIn(lanes, of);
    if (!isMerged || obeyed.length > 0 || checks.length === 0) return { checks: [], obeyed };
    const plan = await lanes.planIn(workdir);
    await using inside = await openStepsSandbox({ plan: { ...plan, pipelines: {} } }, { ...run, signal });
    const { signal: held, plan: { sandboxOfCommands: around } } = inside;
    const place = { run: { ...run, signal: held }, workdir, around };
    const problem = await setUpWorkspace({ run: place.run, plan, around }).then(() => undefined, (error) => {
      held.throwIfAborted();
      return error;
    });
    if (problem !== undefined) {
      return { checks: [], obeyed, failed: { detail: errorText(problem), output: problem.hint ?? "" } };
    }
    for (const check of checks) {
      const { detail, output, passed } = await makeCheck(check, place);
      if (!passed) return { checks: [], obeyed, failed: { detail: `${describeCheck(check)}: ${detail}`, output } };
    }
    return { checks: checks.map(describeCheck), obeyed };
  } finally {
    await dropWorkspace(workspace).catch((error) =>
      run.record({
        type: "warning",
        message: `the workspace ${workspace.name} could not be removed: ${errorText(error)}`,
      })
    );
  }
}

/** What of a merge is what agents obey: who comes next would, and no person has seen it. */
async function obeyedIn(
  { base: candidate, store, tree, workdir }: Workspace,
  { lanes: { plan, signal, target }, onto }: { readonly lanes: Lanes; readonly onto: string },
): Promise<readonly string[]> {
  const agents = plannedAgents(plan).map(({ provider }) => provider);
  const home = Deno.env.get("HOME");
  const now = digestsOf(await surveyObeyed(agents, { workdir, home }));
  // What is gone is only where it was.
  const before = digestsOf(await surveyObeyed(agents, { workdir: target.origin, home }));
  const changed = await changedPaths([onto, candidate], { store, signal });
  return changed.map((path) => relative(workdir, `${tree}/${path}`)).filter((path) => path in now || path in before);
}

/** The checks of all that is landed, and of these tasks, each once. */
function checksIn({ plan, run, tasks }: Lanes, of: readonly Lane[]): readonly OwnCheck[] {
  const { lanes = [] } = run.state();
  const all = tasks.filter((task) => of.some((lane) => isSameWork(task, lane)) || isLanded(task, lanes));
  return checksOfAll(all.map((task) => stepsOfWork(task, plan)));
}

type OwnCheck = ReturnType<typeof checksOfAll>[number];
