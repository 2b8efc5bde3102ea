import { resolve } from "@std/path/posix";
import { isPlainFile } from "../../base/ports/files.ts";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { defineCommand, textFlag } from "../console/command.ts";
import { detach, DETACH_FLAGS, refuseKey } from "../detach.ts";
import { WORKSPACE_FLAG } from "../in_workspace.ts";
import { APART_FLAGS, runApart, runSeveral, splitFlags } from "../run_apart.ts";
import { runReview } from "../run_review.ts";
import { TRUST_FLAG } from "../trust.ts";

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
    config: textFlag("FILE", "the configuration file, of a folder of jobs or of a job that is given as a text"),
    ...DETACH_FLAGS,
    trust: TRUST_FLAG,
    workspace: WORKSPACE_FLAG,
  },
  async run(parsed, io) {
    if (parsed.flags.detach === true) return await detach("run", parsed, io);
    const { flags: { trust, detach: _, key, workspace, config, ...all }, positionals, global } = parsed;
    refuseKey(key);
    const { given, several } = splitFlags(all);
    const [named = ""] = positionals;
    // Several words are the job itself, unless they are the name of a file.
    const isJob = /\S\s+\S/.test(named) && !/\.jsonc?$/.test(named) && !isPlainFile(resolve(io.cwd, named));
    const flags = isJob ? { ...given, prompt: named } : given;
    const told = { config, flags, named, trust, isJob };
    const apart = await runApart({ several, ...told }, { io, global });
    if (apart !== undefined) return apart;
    return await runReview({
      ...{ flags, cwd: io.cwd, trust: trust === true, isApart: workspace },
      path: isJob ? config : positionals[0] ?? config,
      inAttempts: (attempts) => runSeveral({ several: { attempts }, ...told }, { io, global }),
    }, { io, global });
  },
});
