import { discardWork } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { defineCommand } from "../console/command.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";

/** `panewright discard`: removes a workspace; what was done in it stays under a ref. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: {},
  async run({ global, positionals: [name] }, io) {
    const { hasWork, lanes, told } = await discardWork(await meantWorkspace(name, io), io);
    if (global.json) io.stdout(outputLine("workspace_discarded", told));
    else if (!global.quiet) {
      const what = hasWork ? `${told.ref} keeps what was done in it` : "nothing was changed in it";
      io.stdout(`The workspace ${told.name} is gone; ${what}.\n`);
      if (lanes.length > 0) io.stdout(`So are those of its tasks: ${lanes.join(", ")}.\n`);
      for (const ref of told.commits) io.stdout(`What agents have committed there is kept: git log ${ref}\n`);
    }
    return 0;
  },
});
