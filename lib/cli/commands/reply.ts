import { requireAtRest } from "../../api/control/workspace_acts.ts";
import { defineCommand } from "../console/command.ts";
import { meantWorkspace } from "../meant_workspace.ts";
import { REPLY_FLAGS, replyIn, requireText } from "../reply_in.ts";

/** `panewright reply`: another round in a workspace, with what a person says of the work. */
export const command = defineCommand({
  arguments: [
    { name: "NAME", description: "the workspace's name", required: true },
    { name: "TEXT", description: "what you say of the work, as one text", required: true },
  ],
  flags: REPLY_FLAGS,
  async run({ flags, global, positionals: [name = "", text = ""] }, io) {
    const workspace = await meantWorkspace(name, io);
    requireText(text);
    await requireAtRest(workspace, "reply to");
    return await replyIn(workspace, text, { flags, global, io });
  },
});
