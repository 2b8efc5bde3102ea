import { assertEquals } from "@std/assert";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { EVIDENCE_SETTINGS, type EvidencePlan } from "../../../lib/evidence/settings.ts";
import { openBaseTrial } from "../../../lib/jobs/evidence/base_trial.ts";
import { createJudge, withEvidence } from "../../../lib/jobs/evidence/gather.ts";
import { noteCheckout } from "../../../lib/jobs/evidence/noted.ts";
import type { DecidingCheck } from "../../../lib/jobs/evidence/trial.ts";
import type { RunFactOf } from "../../../lib/journal/run_facts.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { createRunFolder, runFolderAt } from "../../../lib/run/run_folder.ts";
import { openWorkspace } from "../../../lib/workspace/open_workspace.ts";
import { listWorkspaces } from "../../../lib/workspace/workspace.ts";
import { runProgram } from "../../support/program.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

export const PASS = { outcome: "pass", reason: "all steps passed" } as const;

const { signal } = new AbortController();

/** What an agent leaves in its workspace: a text for each file, or nothing in place of one. */
export type Left = Readonly<Record<string, string | undefined>>;

export interface Judging {
  readonly project: Readonly<Record<string, string>>;
  /** The command that passes where the agent has worked. */
  readonly check: string;
  readonly settings?: Partial<EvidencePlan>;
  /** What decides where no agent has worked. @default the check */
  readonly checks?: readonly DecidingCheck[];
  /** The files of the project that the run began with and its check names. */
  readonly scripts?: readonly string[];
  /** Whether the checks are tried on the code as it was before the agent is done; or that is given up at once. */
  readonly early?: "tried" | "given up";
  /** Whether the agent works in the checkout itself. @default {false} */
  readonly isCheckout?: boolean;
  /** What the person has besides, which git ignores. */
  readonly ignored?: Readonly<Record<string, string>>;
}

/** What evidence needs of a run, which records what it is told. */
export function recordingRun(folder: RunFolder, records: { readonly type: string }[]) {
  return {
    folder,
    ...{ bound: { contract: {}, tellChanges: () => {} }, onForcedExit: () => () => {}, clock: systemClock, signal },
    ...{ wallClock: () => new Date(), record: (fact: { readonly type: string }) => void records.push(fact) },
  };
}

const RUN = "20260101-000000-0000";

/** A workspace, and what a process that was killed has left it tried something in. */
async function workspaceOf(repo: string) {
  const workspace = await openWorkspace(repo, { task: "work", now: new Date(), signal, share: ["node_modules/"] });
  for (const as of ["check", "base"] as const) {
    await openWorkspace(repo, { task: `work ${as}`, now: new Date(), signal, partOf: { target: "work", as } });
  }
  return workspace;
}

/** Has an agent work on a project, in a workspace where nothing else is said, and looks at its PASS. */
export async function judged(
  left: Left,
  {
    check,
    checks = [{ command: check, timeLimitSeconds: 60 }],
    early,
    ignored = {},
    isCheckout = false,
    project,
    scripts = [],
    settings = {},
  }: Judging,
) {
  await using dir = await tempDir();
  using _state = useStateHome(`${dir.path}/state`);
  const repo = `${dir.path}/repo`;
  await dir.write(Object.fromEntries(Object.entries(project).map(([name, text]) => [`repo/${name}`, text])));
  const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "", GIT_CONFIG_NOSYSTEM: "1" };
  const begin = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  assertEquals((await runProgram(["sh", "-c", begin], { cwd: repo, env, timeoutMs: 20_000 })).code, 0);
  await dir.write(Object.fromEntries(Object.entries(ignored).map(([name, text]) => [`repo/${name}`, text])));
  const { tree, workdir } = isCheckout ? { tree: repo, workdir: repo } : await workspaceOf(repo);
  const records: { readonly type: string }[] = [];
  const trialRun = {
    run: {
      ...recordingRun(
        isCheckout ? await createRunFolder(repo, { now: new Date() }) : runFolderAt(workdir, RUN),
        records,
      ),
      bound: {
        contract: Object.fromEntries(
          scripts.map((path) => [path, { kind: "script" as const, text: project[path] ?? "" }]),
        ),
        tellChanges: () => {},
      },
    },
    plan: {
      ...{ workdir, workspace: { share: ["node_modules/"] } },
      evidence: { ...defaultsOf(EVIDENCE_SETTINGS), ...settings },
    },
  };
  if (isCheckout) await noteCheckout(trialRun.run, trialRun.plan);
  for (const [name, text] of Object.entries(left)) {
    if (text === undefined) await Deno.remove(`${tree}/${name}`);
    else {
      await Deno.mkdir(`${tree}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      await Deno.writeTextFile(`${tree}/${name}`, text);
    }
  }
  const there = await runProgram(["sh", "-c", check], { cwd: tree, env, timeoutMs: 60_000 });
  await using trial = await openBaseTrial(trialRun);
  if (early !== undefined) trial.begin(checks);
  // The agent is at work for longer.
  if (early === "tried") await trial.resultOf(checks, {});
  if (early === "given up") await trial[Symbol.asyncDispose]();
  const judge = createJudge({ ...trialRun, early: trial });
  const { how, output, problem } = await judge(checks);
  // The same work is looked at once.
  const result = await withEvidence(PASS, () => judge(checks));
  assertEquals(records.filter(({ type }) => type === "evidence_gathered").length <= 1, true);
  if (Object.keys(left).length > 0) assertEquals(listWorkspaces().map(({ name }) => name), isCheckout ? [] : ["work"]);
  const found = records.find(({ type }) => type === "evidence_gathered") as RunFactOf<"evidence_gathered"> | undefined;
  const trials = found?.trials.map(({ kind, passed }) => [kind, passed]) ?? [];
  const base = records.filter(({ type }) => type === "base_tried") as RunFactOf<"base_tried">[];
  return {
    ...{ result, remarks: found?.remarks ?? [], trials, found, base, how, output, problem },
    passesThere: there.code === 0,
  };
}
