import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { present } from "../../base/schema.ts";
import { keepResult } from "../../workspace/result.ts";
import { defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { requireAtRest } from "../../api/control/workspace_acts.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { openPullRequest } from "../requests/pull_request.ts";

/** `panewright pr`: what was done in a workspace as a pull or merge request. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: {
    title: textFlag("TEXT", "its title, and that of the commit; by default what was asked for"),
    base: textFlag("BRANCH", "the branch that it is to go into; by default the remote's own"),
    branch: textFlag("BRANCH", "its own branch; by default the workspace's name"),
    remote: textFlag("NAME", "where it is pushed to; by default origin"),
    draft: switchFlag("open it as a draft"),
  },
  async run({ flags, global, positionals: [name] }, io) {
    const workspace = await meantWorkspace(name, io);
    await requireAtRest(workspace, "deliver");
    const result = await keepResult(workspace, io);
    const { branch = workspace.name, draft = false, remote = "origin", ...words } = flags;
    const { url } = await openPullRequest(workspace, result, {
      ...{ branch, draft, remote, signal: io.signal, env: io.env },
      ...present({ base: words.base, title: words.title }),
    });
    if (global.json) io.stdout(outputLine("workspace_delivered", { name: workspace.name, branch, remote, url }));
    else io.stdout(`${sanitizeLine(url)}\n`);
    return 0;
  },
});
