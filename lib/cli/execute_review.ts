import { workspaceAround } from "../workspace/workspace.ts";
import { present } from "../base/schema.ts";
import { defaultDecision } from "../policy/mod.ts";
import { REVIEW_LOOP } from "../jobs/review_loop/mod.ts";
import type { ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import type { ReviewRunOptions } from "../jobs/review_loop/execute.ts";
import type { RunResult } from "../run/execution.ts";
import type { Progress } from "../journal/progress.ts";
import { auditHeadsPath } from "../turn/desk/audit_heads.ts";
import { carryOut, type Surroundings, whereOf } from "./carry_out.ts";
import { askedDialog } from "./console/ask_person.ts";
import { tellEnd } from "./in_workspace.ts";
import { openLiveOutput } from "./show/live_output.ts";
import { commandInForm, startOfThis } from "./start_form.ts";

export const EXCEPTIONS_ONLY =
  "Permission dialogs are accepted unless a rule stops them: deny and ask are lists of exceptions, and no boundary. " +
  'A sandbox is one ("sandbox": "agent"); permissions.default: ask accepts only what permissions.allow names.';

function acceptsByDefault({ handoff, permissions, sandbox }: ReviewRunPlan): boolean {
  return sandbox === undefined && handoff.autoAcceptPermissions && !permissions.dryRun &&
    defaultDecision(permissions.policy) === "allow";
}

export interface ReviewSurroundings extends Omit<Surroundings, "workdir" | "output"> {
  readonly earlier?: Progress;
  readonly execute: (options: ReviewRunOptions) => Promise<RunResult>;
  /** Whether its folder is about to go, so that nothing can be done with it afterwards. @default {false} */
  readonly leavesNothing?: boolean;
}

export async function executeReview(plan: ReviewRunPlan, around: ReviewSurroundings): Promise<number> {
  const { execute, earlier, io, global, leavesNothing = false } = around;
  const where = await whereOf(plan.workdir, io);
  using output = openLiveOutput(REVIEW_LOOP, {
    ...around,
    earlier,
    leavesAgents: !plan.cleanupOnExit,
    attachCommand: (runId) => commandInForm(["attach", runId, ...where], startOfThis(io)),
  });
  let folder: string | undefined;
  await using _told = {
    [Symbol.asyncDispose]: () =>
      tellEnd(workspaceAround(plan.workdir), {
        ...{ folder, io, global, leavesNothing, key: plan.evidence?.sign },
        ...present({ deliver: plan.workspace?.deliver }),
      }),
  };
  if (acceptsByDefault(plan) && !global.json && !global.quiet) io.stderr(`${EXCEPTIONS_ONLY}\n`);
  return await carryOut({ ...around, output, workdir: plan.workdir }, ({ person, ...options }) =>
    execute({
      ...options,
      onEvent(event) {
        if (event.type === "run_started" || event.type === "run_resumed") folder = event.folder;
        options.onEvent?.(event);
      },
      plan,
      auditCopy: (folder) => auditHeadsPath(folder, (name) => io.env(name)),
      ...present({ mirror: io.detached?.mirror }),
      ...(person && { askAtTerminal: person.ask, person: (dialog, signal) => person.ask(askedDialog(dialog), signal) }),
    }));
}
