import { requireAtRest } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { keepResult } from "../../workspace/result.ts";
import { undoTo } from "../../workspace/turns.ts";
import { defineCommand, integerFlag } from "../console/command.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { resultText } from "../show/workspace_words.ts";

/** `panewright undo`: puts the files of a workspace back to what they were after an earlier turn. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: { turn: integerFlag("N", "as they were after that turn; 0 is the beginning. Default: before the last turn") },
  async run({ flags: { turn }, global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    await requireAtRest(workspace, "undo a turn of");
    const number = await undoTo(workspace, { number: turn, now: new Date(), signal: io.signal });
    const result = await keepResult(workspace, io);
    if (global.json) io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
    else if (!global.quiet) {
      const when = number === 0 ? "at the beginning" : `after turn ${number}`;
      io.stdout(`The files of ${workspace.name} are as they were ${when}.\n`);
      io.stdout(resultText(workspace, result));
    }
    return 0;
  },
});
