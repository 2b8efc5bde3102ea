import { applyWork } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { plural } from "../../journal/words/words.ts";
import { defineCommand, textFlag } from "../console/command.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";

/** `panewright apply`: brings what was changed in a workspace into the checkout, or makes it a branch. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: { branch: textFlag("NAME", "make a branch of it, and leave the files of the checkout alone") },
  async run({ flags: { branch }, global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    const told = await applyWork(workspace, { branch, signal: io.signal });
    const { files } = told;
    if (global.json) {
      io.stdout(outputLine("workspace_applied", told));
    } else if (!global.quiet) {
      const where = branch === undefined ? sanitizeLine(workspace.top) : `the branch ${branch}`;
      io.stdout(
        files.length === 0
          ? `There is nothing to apply of ${workspace.name}: all of it is in ${where}.\n`
          : `${plural(files.length, "file")} of ${workspace.name} ${files.length === 1 ? "is" : "are"} in ${where}:\n` +
            files.map((path) => `  ${sanitizeLine(path)}\n`).join(""),
      );
    }
    return 0;
  },
});
