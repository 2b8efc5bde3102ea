import { present } from "../../base/schema.ts";
import { resumeExec } from "../../jobs/pipeline/execute.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import { type JournalFacts, notBegun } from "../../journal/read_facts.ts";
import { foldProgress } from "../../run/read_progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { executeSteps } from "../execute_steps.ts";
import { configOf, requireOwnPlace } from "../run_place.ts";
import { flagsOnRecord, isRefused, type ResumeSurroundings } from "./around.ts";

export async function resumeSteps(
  folder: RunFolder,
  { facts, version }: JournalFacts<ExecFact>,
  around: ResumeSurroundings,
): Promise<number> {
  const [started] = facts;
  if (started?.type !== "run_started") throw notBegun(folder.id);
  const earlier = foldProgress(PIPELINE, facts);
  const { wd, config } = around;
  requireOwnPlace(folder, { earlier, version, wd });
  const configFile = await configOf(folder, earlier, config);
  const { workdir, target, overrides: { provider, check, review = "never", parallel = 1, strict, roles: told } } =
    started;
  const roles = told && { ...told, flags: flagsOnRecord(told.flags, folder, around) };
  // Who has written the journal is not known, so a person must have agreed to its check.
  const builtIn = target.text === undefined && check === undefined && roles === undefined
    ? undefined
    : { check, review, isOwn: false, isForRoles: roles !== undefined };
  const flags = { ...roles?.flags, wd: workdir, ...present({ provider, strict }) };
  const steps = { flags, builtIn, ...(configFile === null ? {} : { path: configFile }) };
  return await executeSteps(steps, {
    ...around,
    trust: around.trust || await isRefused(folder, earlier, ["pass"]),
    earlier,
    facts,
    widthOf: () => ({ parallel }),
    ...present({ roles }),
    execute: (options) =>
      resumeExec(folder, {
        ...options,
        raise: around.raise,
        acceptChanges: around.acceptChanges,
        ...present({ configFile: config, handedBack: around.handedBack, said: around.said }),
      }),
  });
}
