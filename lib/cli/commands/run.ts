import { resolve } from "@std/path/posix";
import { isPlainFile } from "../../base/ports/files.ts";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { BEGIN_FLAGS, beginRun } from "../begin_run.ts";
import { type CliIo, defineCommand, type ParsedCommand, textFlag } from "../console/command.ts";
import { WORKSPACE_FLAG } from "../in_workspace.ts";
import { APART_FLAGS, runApart, runSeveral, splitFlags } from "../run_apart.ts";
import { runReview } from "../run_review.ts";
import { TRUST_FLAG } from "../trust.ts";

const FLAGS = {
  ...CONFIG_FLAGS,
  ...APART_FLAGS,
  config: textFlag("FILE", "the configuration file, of a folder of jobs or of a job that is given as a text"),
  ...BEGIN_FLAGS,
  trust: TRUST_FLAG,
  workspace: WORKSPACE_FLAG,
} as const;

export const command = defineCommand({
  arguments: [{
    name: "CONFIG",
    description:
      "the configuration file (panewright.jsonc where none is named); or the job itself, as one text; or a " +
      "folder of jobs, which are done in workspaces and come together",
  }],
  flags: FLAGS,
  run: (parsed, io) => beginRun("run", { parsed, io, here: (flags, io) => runJobs({ ...parsed, flags }, io) }),
});

async function runJobs(parsed: ParsedCommand<typeof FLAGS>, io: CliIo): Promise<number> {
  const { flags: { trust, workspace, config, ...all }, positionals, global } = parsed;
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
}
