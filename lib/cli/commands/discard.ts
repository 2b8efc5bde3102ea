import { outputLine } from "../../api/output/line.ts";
import { keepResult, removeWorkspace } from "../../workspace/result.ts";
import { defineCommand } from "../console/command.ts";
import { lanesOf, meantWorkspace, requireAtRest, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";

/** `panewright discard`: removes a workspace; what was done in it stays under a ref. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: {},
  async run({ global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    const lanes = lanesOf(workspace);
    for (const one of [workspace, ...lanes]) await requireAtRest(one, "discard");
    // Before anything is removed: nothing of any of them is to be lost.
    const kept = await Promise.all(lanes.map(async (lane) => [lane, await keepResult(lane, io)] as const));
    const result = await keepResult(workspace, io);
    for (const [lane, ofLane] of kept) await removeWorkspace(lane, ofLane);
    await removeWorkspace(workspace, result);
    const { commit, files, ref } = result;
    if (global.json) io.stdout(outputLine("workspace_discarded", { name: workspace.name, ref, commit }));
    else if (!global.quiet) {
      const what = files.length === 0 ? "nothing was changed in it" : `${ref} keeps what was done in it`;
      io.stdout(`The workspace ${workspace.name} is gone; ${what}.\n`);
      if (lanes.length > 0) io.stdout(`So are those of its tasks: ${lanes.map((lane) => lane.name).join(", ")}.\n`);
    }
    return 0;
  },
});
