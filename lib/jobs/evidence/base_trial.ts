import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { bringBase } from "../../workspace/checkout.ts";
import { dropTrials } from "../../workspace/result.ts";
import { type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import { notedCheckout } from "./noted.ts";
import { namingOf } from "./listing.ts";
import { type DecidingCheck, trialOf, type TrialRun, type Tried } from "./trial.ts";

/** How the checks end on the code as it was, tried while agents work. Disposal gives up what is not over. */
export interface BaseTrial extends AsyncDisposable {
  /** Begins it, once; in a workspace that is judged by itself, or for a checkout that was noted. */
  begin(checks: readonly DecidingCheck[]): void;
  /** What it has come to, if these are the checks that were tried, with these variables. */
  resultOf(checks: readonly DecidingCheck[], env: Readonly<Record<string, string>>): Promise<Tried | undefined>;
}

/** @param target where what was made comes together, of tasks side by side */
export async function openBaseTrial({ plan, run }: TrialRun, target?: Workspace): Promise<BaseTrial> {
  const workspace = target ?? workspaceAround(plan.workdir) ?? notedCheckout(run, plan);
  // A process that was killed may have left what it tried.
  if (workspace !== undefined && !("problem" in workspace)) await dropTrials(workspace.name);
  const over = new AbortController();
  const signal = AbortSignal.any([run.signal, over.signal]);
  let begun: Promise<TriedAs | undefined> | undefined;
  return {
    begin(checks) {
      if (begun !== undefined || plan.evidence?.cleanRoom !== true || checks.length === 0) return;
      if (workspace === undefined || "problem" in workspace || workspace.partOf !== undefined) return;
      begun = tryBase({ plan, run: { ...run, signal }, workspace, checks }).catch(
        (error) => {
          if (!signal.aborted) run.record({ type: "warning", message: `${NOT_TRIED}: ${errorText(error)}` });
          return undefined;
        },
      );
    },
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
  await bringBase(workspace, run);
  const { checks, env } = await namingOf(given, { at, store, signal: run.signal });
  const trial = await trialOf("base", {
    ...{ plan, run, workspace, as: "base", at, checks, env },
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
