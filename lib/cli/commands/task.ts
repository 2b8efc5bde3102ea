import { resolve } from "@std/path/posix";
import { present } from "../../base/schema.ts";
import { isInRepository } from "../../workspace/open_workspace.ts";
import { beginRun } from "../begin_run.ts";
import { defineCommand } from "../console/command.ts";
import { taskOfArgument } from "../task_argument.ts";
import { FLAGS, runExec } from "./exec.ts";

/** `panewright "…"`: one task, by one agent, apart from the checkout where there is a repository. */
export const command = defineCommand({
  arguments: [{ name: "TASK", description: "the task", required: true }],
  flags: FLAGS,
  async run(parsed, io) {
    const task = await taskOfArgument(parsed.positionals[0] ?? "", io);
    const { workspace, ...flags } = parsed.flags;
    // Who executes it without a terminal is told so by the command line.
    const isApart = flags.detach === true || flags.at !== undefined
      ? workspace ?? (await isInRepository(resolve(io.cwd, flags.wd ?? "."), io.signal) || undefined)
      : workspace;
    const given = { ...parsed, positionals: [task], flags: { ...flags, ...present({ workspace: isApart }) } };
    return await beginRun("task", {
      ...{ parsed: given, io },
      here: (flags, io) => runExec({ ...given, flags }, io, { prefersApart: true }),
    });
  },
});
