import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { dropChecks } from "../../workspace/result.ts";
import { type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import { notedCheckout } from "./noted.ts";
import { namingOf } from "./listing.ts";
import { type DecidingCheck, trialOf, type TrialRun, type Tried } from "./trial.ts";

/** How the checks end on the code as it was, tried while agents work. Disposal gives up what is not over. */
export interface BaseTrial extends AsyncDisposable {
  /** Begins it, once; in a workspace that is judged by itself, or for a checkout that was noted. */
  begin(checks: readonly DecidingCheck[], target?: Workspace): void;
  hasBegun(): boolean;
  /** What it has come to, if these are the checks that were tried, with these variables. */
  resultOf(checks: readonly DecidingCheck[], env: Readonly<Record<string, string>>): Promise<Tried | undefined>;
}

export function openBaseTrial({ plan, run }: TrialRun): BaseTrial {
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  let begun: Promise<TriedAs | undefined> | undefined;
  return {
    begin(checks, target) {
      if (begun !== undefined || plan.evidence?.cleanRoom !== true || checks.length === 0) return;
      const workspace = target ?? workspaceAround(plan.workdir) ?? notedCheckout(run, plan);
      if (workspace === undefined || "problem" in workspace || workspace.partOf !== undefined) return;
      begun = tryBase({ plan, run: { ...run, signal }, workspace, checks }).catch((error) => {
        if (!signal.aborted) run.record({ type: "warning", message: `${NOT_TRIED}: ${errorText(error)}` });
        return undefined;
      });
    },
    hasBegun: () => begun !== undefined,
    async resultOf(checks, env) {
      const tried = await begun;
      return tried?.of === keyOf(checks, env) ? tried.trial : undefined;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await begun;
    },
  };
}

const NOT_TRIED = "the checks could not be tried on the code as it was";

interface TriedAs {
  readonly of: string;
  readonly trial: Tried;
}

async function tryBase(
  { checks: given, plan, run, workspace }: TrialRun & {
    readonly workspace: Workspace;
    readonly checks: readonly DecidingCheck[];
  },
): Promise<TriedAs> {
  const { base: at, store } = workspace;
  await dropChecks(workspace.name, "base");
  const { checks, env } = await namingOf(given, { at, store, signal: run.signal });
  const trial = await trialOf("base", {
    plan,
    run,
    workspace,
    as: "base",
    at,
    checks,
    env,
    junit: plan.evidence?.junit,
  });
  const { detail, failed, notMade, passed, results } = trial;
  run.record({
    ...{ type: "base_tried", commit: at, passed, detail, passable: true },
    ...present({ failed, notMade, total: results?.total }),
  });
  return { of: keyOf(checks, env), trial };
}

function keyOf(checks: readonly DecidingCheck[], env: Readonly<Record<string, string>>): string {
  return JSON.stringify([checks, env]);
}
