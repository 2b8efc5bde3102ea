import { applyWork } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { plural } from "../../journal/words/words.ts";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { chooseHunks } from "../choose_hunks.ts";
import { defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { isAtTerminal } from "../trust.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";

/** `panewright apply`: brings what was changed in a workspace into the checkout, or makes it a branch. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: {
    branch: textFlag("NAME", "make a branch of it, and leave the files of the checkout alone"),
    hunks: switchFlag("be asked about each place that was changed"),
  },
  async run({ flags: { branch, hunks }, global, positionals: [name] }, io) {
    if (hunks === true && branch !== undefined) {
      throw new UsageError("Cannot use --hunks with --branch: a branch has all");
    }
    if (hunks === true && (global.json || !isAtTerminal(io))) {
      throw new UsageError("Cannot use --hunks: it asks a person at a terminal, and there is none");
    }
    const workspace = await meantWorkspace(name, io);
    const choose = hunks === true ? chooseHunks(io, global.color.stdout) : undefined;
    const told = await applyWork(workspace, { branch, signal: io.signal, ...present({ choose }) });
    const { apart = [], files } = told;
    if (global.json) {
      io.stdout(outputLine("workspace_applied", told));
    } else if (!global.quiet) {
      const where = branch === undefined ? sanitizeLine(workspace.top) : `the branch ${branch}`;
      io.stdout(
        files.length === 0
          ? hunks === true
            ? "Nothing was written.\n"
            : `There is nothing to apply of ${workspace.name}: all of it is in ${where}.\n`
          : `${plural(files.length, "file")} of ${workspace.name} ${files.length === 1 ? "is" : "are"} in ${where}:\n` +
            files.map((path) => `  ${sanitizeLine(path)}\n`).join(""),
      );
      for (const path of apart) {
        io.stdout(`  ${sanitizeLine(path)} is in no commit: it stays in ${sanitizeLine(workspace.tree)}\n`);
      }
    }
    return 0;
  },
});
