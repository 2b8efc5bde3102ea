import { resolve } from "@std/path/posix";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { loadConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { defaultDecision } from "../../policy/mod.ts";
import { rolesUsed } from "../../jobs/review_loop/machine.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import type { ReviewRunPlan } from "../../jobs/review_loop/plan.ts";
import { hasPanes } from "../../jobs/review_loop/run_session.ts";
import { executeReviewRun, type ReviewRunOptions } from "../../jobs/review_loop/execute.ts";
import type { RunResult } from "../../run/execution.ts";
import type { Progress } from "../../journal/progress.ts";
import { auditHeadsPath } from "../../turn/desk/audit_heads.ts";
import { carryOut, type Surroundings, whereOf } from "../carry_out.ts";
import { askedDialog } from "../console/ask_person.ts";
import { defineCommand } from "../console/command.ts";
import { detach, DETACH_FLAGS, refuseBegun, refuseKey } from "../detach.ts";
import { keepEditorSchema } from "../editor_schema.ts";
import { configSource } from "../environment.ts";
import { openPreflight } from "../preflight/mod.ts";
import { checkJob, lookAtReviewRun } from "../preflight/look_at_needs.ts";
import { openLiveOutput } from "../show/live_output.ts";
import { commandInForm, startOfThis } from "../start_form.ts";
import { requireTrust, TRUST_FLAG } from "../trust.ts";

export const command = defineCommand({
  arguments: [{ name: "CONFIG", description: "the configuration file (panewright.jsonc where none is named)" }],
  flags: {
    ...CONFIG_FLAGS,
    ...DETACH_FLAGS,
    trust: TRUST_FLAG,
  },
  async run(parsed, io) {
    const { flags: { trust, detach: leaves, key, ...flags }, positionals, global } = parsed;
    if (leaves === true) return await detach("run", parsed, io);
    refuseKey(key);
    const [path] = positionals;
    const read = async () => {
      const settings = await loadConfig(await configSource(io, { flags, path }));
      return { ...settings, plan: toRunPlan(settings) };
    };
    const preflight = openPreflight("start the run", { io, global });
    const loaded = await preflight.readBesideMachine(read, { panes: ({ plan }) => hasPanes(plan) });
    const { plan, sources } = loaded;
    await refuseBegun(plan.workdir, io);
    const review = { plan, roles: rolesUsed(plan.loop), sources };
    const unwritten = checkJob(plan.job, review);
    const isUnwritten = unwritten.length > 0;
    await requireTrust(loaded, { io, trust: trust === true, mayAsk: !global.json, isUnwritten });
    const place = hasPanes(plan) ? await preflight.lookAtTmuxPlace(plan.tmux) : [];
    preflight.require(await lookAtReviewRun(review, preflight, { place, unwritten }));
    await keepEditorSchema(loaded, io);
    const configFile = loaded.file === undefined ? null : resolve(io.cwd, loaded.file);
    const origin = { configFile, cwd: io.cwd, flags };
    return await executeReview(plan, { io, global, execute: (options) => executeReviewRun(origin, options) });
  },
});

export const EXCEPTIONS_ONLY =
  "Permission dialogs are accepted unless a rule stops them: deny and ask are lists of exceptions, and no boundary. " +
  'A sandbox is one ("sandbox": "cli"); permissions.default: ask accepts only what permissions.allow names.';

function acceptsByDefault({ handoff, permissions, sandbox }: ReviewRunPlan): boolean {
  return sandbox === undefined && handoff.autoAcceptPermissions && !permissions.dryRun &&
    defaultDecision(permissions.policy) === "allow";
}

export interface ReviewSurroundings extends Omit<Surroundings, "workdir" | "output"> {
  readonly earlier?: Progress;
  readonly execute: (options: ReviewRunOptions) => Promise<RunResult>;
}

export async function executeReview(plan: ReviewRunPlan, around: ReviewSurroundings): Promise<number> {
  const { execute, earlier, io, global } = around;
  const where = await whereOf(plan.workdir, io);
  using output = openLiveOutput(REVIEW_LOOP, {
    ...around,
    earlier,
    leavesAgents: !plan.cleanupOnExit,
    attachCommand: (runId) => commandInForm(["attach", runId, ...where], startOfThis(io)),
  });
  if (acceptsByDefault(plan) && !global.json && !global.quiet) io.stderr(`${EXCEPTIONS_ONLY}\n`);
  return await carryOut({ ...around, output, workdir: plan.workdir }, ({ person, ...options }) =>
    execute({
      ...options,
      plan,
      auditCopy: (folder) => auditHeadsPath(folder, (name) => io.env(name)),
      ...(person && { person: (dialog, signal) => person.ask(askedDialog(dialog), signal) }),
    }));
}
