import { outputLine } from "../../api/output/line.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import { diffOf, keepResult } from "../../workspace/result.ts";
import { defineCommand, switchFlag } from "../console/command.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { resultText } from "../show/workspace_words.ts";

/** `panewright diff`: what was changed in a workspace. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: { stat: switchFlag("only the names of the files, with how many lines were changed") },
  async run({ flags, global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    const result = await keepResult(workspace, io);
    if (global.json) {
      io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
    } else if (flags.stat === true) io.stdout(resultText(workspace, result));
    else {
      const patch = await diffOf(workspace, result, io);
      // A terminal gets no control characters.
      io.stdout(io.isTerminal.stdout ? sanitizeText(patch) : patch);
    }
    return 0;
  },
});
