import { defineCommand, integerFlag } from "../console/command.ts";
import { openFork } from "../../workspace/turns.ts";
import { meantWorkspace } from "../meant_workspace.ts";
import { earlierIn } from "../earlier_in.ts";
import { REPLY_FLAGS, replyIn, requireText } from "../reply_in.ts";
import { openedText } from "../show/workspace_words.ts";

/** `panewright fork`: another way from an earlier turn, in a workspace of its own. */
export const command = defineCommand({
  arguments: [
    { name: "NAME", description: "the workspace's name", required: true },
    { name: "TEXT", description: "what is to be done from there, as one text", required: true },
  ],
  flags: {
    ...REPLY_FLAGS,
    turn: integerFlag("N", "from what was there after that turn; 0 is the beginning. Default: the last"),
  },
  async run({ flags, global, positionals: [name = "", text = ""] }, io) {
    const to = await meantWorkspace(name, io);
    requireText(text);
    const earlier = await earlierIn(to, "fork");
    const number = flags.turn ?? to.turns?.at(-1)?.number ?? 0;
    const workspace = await openFork(to, { number, now: new Date(), signal: io.signal });
    if (!global.json && !global.quiet) io.stderr(`${openedText(workspace)}\n`);
    return await replyIn(workspace, text, { earlier, flags, global, io });
  },
});
