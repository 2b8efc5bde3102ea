import { outputLine } from "../../api/output/line.ts";
import { keepResult, removeWorkspace } from "../../workspace/result.ts";
import { defineCommand } from "../console/command.ts";
import { meantWorkspace, requireAtRest, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";

/** `panewright discard`: removes a workspace; what was done in it stays under a ref. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: {},
  async run({ global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    await requireAtRest(workspace, "discard");
    const result = await keepResult(workspace, io);
    await removeWorkspace(workspace, result);
    const { commit, files, ref } = result;
    if (global.json) io.stdout(outputLine("workspace_discarded", { name: workspace.name, ref, commit }));
    else if (!global.quiet) {
      const kept = files.length === 0 ? "nothing was changed in it" : `${ref} keeps what was done in it`;
      io.stdout(`The workspace ${workspace.name} is gone; ${kept}.\n`);
    }
    return 0;
  },
});
