import { requireAtRest } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { keepResult } from "../../workspace/result.ts";
import { keepTurn, undoTo } from "../../workspace/turns.ts";
import { findWorkspace } from "../../workspace/workspace.ts";
import { defineCommand, integerFlag } from "../console/command.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { resultText } from "../show/workspace_words.ts";

/** `panewright undo`: puts the files of a workspace back to what they were after an earlier turn. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: { turn: integerFlag("N", "as they were after that turn; 0 is the beginning. Default: before the last turn") },
  async run({ flags: { turn }, global, positionals: [name] }, io) {
    const meant = await meantWorkspace(name, io);
    await requireAtRest(meant, "undo a turn of");
    const now = new Date();
    // What a person has changed in it is a turn as well.
    await keepTurn(meant, { of: "as it was before undo", now, signal: io.signal });
    const workspace = findWorkspace(meant.name) ?? meant;
    const before = (workspace.turns ?? []).at(-2)?.number ?? 0;
    await undoTo(workspace, { number: turn ?? before, now, signal: io.signal });
    const result = await keepResult(workspace, io);
    if (global.json) io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
    else if (!global.quiet) {
      io.stdout(
        `The files of ${workspace.name} are as they were ${
          turn === 0 || before === 0 && turn === undefined ? "at the beginning" : `after turn ${turn ?? before}`
        }.\n`,
      );
      io.stdout(resultText(workspace, result));
    }
    return 0;
  },
});
