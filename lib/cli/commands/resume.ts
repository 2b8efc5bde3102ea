import { present } from "../../base/schema.ts";
import { resolve } from "@std/path/posix";
import { parseRaise } from "../../run/caps.ts";
import { NO_INPUT_FLAG } from "../carry_out.ts";
import { defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { findNamedRun, inRealWorkdir, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { detach, DETACH_FLAG } from "../detach.ts";
import { JUNIT_FLAG } from "../reports/mod.ts";
import { TRUST_FLAG } from "../trust.ts";
import { requireBelow } from "../run_place.ts";
import { ACCEPT_FLAG, acceptChanges } from "../resume/accept_changes.ts";
import { findUnfinishedRun } from "../resume/find_unfinished_run.ts";
import { refuseElsewhere } from "../../run/elsewhere.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { requireWhole } from "../resume/require_whole.ts";
import { repair } from "../resume/repair.ts";
import { sayTo } from "../resume/say_to.ts";
import { resumeRead } from "../resume/resume_read.ts";

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    "no-input": NO_INPUT_FLAG,
    wd: WORKDIR_FLAG,
    config: textFlag("FILE", "the config file from now on, where it is not the one that the run was started with"),
    detach: DETACH_FLAG,
    trust: TRUST_FLAG,
    "accept-changes": ACCEPT_FLAG,
    junit: { ...JUNIT_FLAG, description: `of a pipeline: ${JUNIT_FLAG.description}` },
    message: textFlag("TEXT", "what you say to the agent that the run continues with"),
    raise: textFlag("CAP=N", "let the run use more than its configuration says, from now on: max_turns=40", {
      repeatable: true,
    }),
    "from-last-good": switchFlag(
      "cut a damaged journal before the damage, keep the rest beside it, and resume from there",
    ),
  },
  async run(parsed, io) {
    const { flags, positionals, global } = parsed;
    if (flags.detach === true) return await detach("resume", parsed, io);
    const [name] = positionals;
    const folder = name === undefined
      ? await inRealWorkdir(await findUnfinishedRun(io, flags.wd))
      : await findNamedRun(io, name, flags.wd);
    if (flags.wd !== undefined) await requireBelow(folder, resolve(io.cwd, flags.wd));
    await requireNoAgent(`resume run ${folder.id}`);
    refuseElsewhere(folder, `resume run ${folder.id}`, ["retry"]);
    await requireWhole(folder);
    if (flags["from-last-good"] === true) await repair(folder, io);
    const raise = parseRaise(flags.raise ?? []);
    const said = flags.message === undefined ? undefined : await sayTo(folder, flags.message);
    const { junit } = flags;
    const config = flags.config === undefined ? undefined : resolve(io.cwd, flags.config);
    const around = {
      ...{ io, global, noInput: flags["no-input"] === true, trust: flags.trust === true, raise },
      ...present({ wd: flags.wd, junit, config, said }),
      acceptChanges: acceptChanges(folder, {
        ...{ io, global, noInput: flags["no-input"] === true, accepts: flags["accept-changes"] === true },
        flags,
      }),
    };
    return await resumeRead(folder, around);
  },
});
