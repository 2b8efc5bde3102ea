import { CONFIG_FLAGS } from "../../config/flags.ts";
import { resolve } from "@std/path/posix";
import { loadConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { rolesUsed } from "../../jobs/review_loop/machine.ts";
import { hasPanes } from "../../jobs/review_loop/run_session.ts";
import { executeReviewRun } from "../../jobs/review_loop/execute.ts";
import { defineCommand } from "../console/command.ts";
import { detach, DETACH_FLAGS, refuseBegun, refuseKey } from "../detach.ts";
import { keepEditorSchema } from "../editor_schema.ts";
import { configSource } from "../environment.ts";
import { openPreflight } from "../preflight/mod.ts";
import { checkJob, lookAtReviewRun } from "../preflight/look_at_needs.ts";
import { agentsUsed } from "../../jobs/review_loop/plan.ts";
import { keepUsed, requireTrust, TRUST_FLAG } from "../trust.ts";
import { beginWorkspace, WORKSPACE_FLAG } from "../in_workspace.ts";
import { firstLine } from "../../base/text/lines.ts";
import { isPlainFile } from "../../base/ports/files.ts";
import { requireApart } from "../loop_of_task.ts";
import { APART_FLAGS, runApart, splitFlags } from "../run_apart.ts";
import { executeReview } from "../execute_review.ts";

export const command = defineCommand({
  arguments: [{
    name: "CONFIG",
    description:
      "the configuration file (panewright.jsonc where none is named); or the job itself, as one text; or a " +
      "folder of jobs, which are done in workspaces and come together",
  }],
  flags: {
    ...CONFIG_FLAGS,
    ...APART_FLAGS,
    ...DETACH_FLAGS,
    trust: TRUST_FLAG,
    workspace: WORKSPACE_FLAG,
  },
  async run(parsed, io) {
    if (parsed.flags.detach === true) return await detach("run", parsed, io);
    const { flags: { trust, detach: _, key, workspace, ...all }, positionals, global } = parsed;
    refuseKey(key);
    const { config, given, ...several } = splitFlags(all);
    const [named = ""] = positionals;
    // Several words are the job itself, unless they are the name of a file.
    const isJob = /\S\s+\S/.test(named) && !/\.jsonc?$/.test(named) && !isPlainFile(resolve(io.cwd, named));
    const flags = isJob ? { ...given, prompt: named } : given;
    const path = isJob ? config : positionals[0] ?? config;
    const apart = await runApart({ ...several, config, flags, named, trust, isJob }, { io, global });
    if (apart !== undefined) return apart;
    const read = async (given: typeof flags) => {
      const settings = await loadConfig(await configSource(io, { flags: given, path }));
      return { ...settings, plan: toRunPlan(settings) };
    };
    const preflight = openPreflight("start the run", { io, global });
    const loaded = await preflight.readBesideMachine(() => read(flags), { panes: ({ plan }) => hasPanes(plan) });
    const { plan, sources } = loaded;
    await refuseBegun(plan.workdir, io);
    const isApart = workspace ?? loaded.config.isolation === "workspace";
    if (isApart) requireApart(plan);
    const review = { plan, roles: rolesUsed(plan.loop), sources };
    const unwritten = checkJob(plan.job, review);
    const whoTrusts = { io, trust: trust === true, mayAsk: !global.json };
    const toTrust = { config: loaded, obeyed: { workdir: plan.workdir, agents: agentsUsed(plan) } };
    await requireTrust(toTrust, whoTrusts);
    const place = hasPanes(plan) ? await preflight.lookAtTmuxPlace(plan.tmux) : [];
    preflight.require(await lookAtReviewRun(review, preflight, { place, unwritten }));
    await keepEditorSchema(loaded, io);
    await keepUsed(toTrust, whoTrusts);
    const configFile = loaded.file === undefined ? null : resolve(io.cwd, loaded.file);
    const task = firstLine(`${plan.job.introduction}\n${plan.job.exploreSummary}`);
    const ofWorkspace = plan.workspace ?? { share: [] };
    const clone = isApart ? await beginWorkspace(plan.workdir, { io, global, task, plan: ofWorkspace }) : undefined;
    const used = clone === undefined ? flags : { ...flags, wd: clone.workdir };
    const origin = { configFile, cwd: io.cwd, flags: used };
    return await executeReview(clone === undefined ? plan : (await read(used)).plan, {
      io,
      global,
      execute: (options) => executeReviewRun(origin, options),
    });
  },
});
