import { requireAtRest } from "../../api/control/workspace_acts.ts";
import { UsageError } from "../../base/errors.ts";
import { defineCommand, integerFlag, switchFlag, textFlag } from "../console/command.ts";
import { meantWorkspace } from "../meant_workspace.ts";
import { newestRunAt } from "../earlier_in.ts";
import { REPLY_FLAGS, replyIn, requireText } from "../reply_in.ts";

/** `panewright reply`: another round in a workspace, with what a person says of the work. */
export const command = defineCommand({
  arguments: [
    { name: "NAME", description: "the workspace's name", required: true },
    { name: "TEXT", description: "what you say of the work, as one text; not needed with --request" },
  ],
  flags: {
    ...REPLY_FLAGS,
    request: switchFlag("hear what people and checks say of its pull request, and push what has passed to it"),
    rounds: integerFlag(
      "N",
      "with --request: go on until its checks pass and nothing new is said, for at most N rounds",
    ),
    branch: textFlag("BRANCH", "with --request: its branch; by default the workspace's name"),
    remote: textFlag("NAME", "with --request: where it is; by default origin"),
  },
  async run({ flags, global, positionals: [name = "", text = ""] }, io) {
    const workspace = await meantWorkspace(name, io);
    const { branch = workspace.name, remote = "origin", request, rounds = 1 } = flags;
    const others = (["rounds", "branch", "remote"] as const).filter((flag) => flags[flag] !== undefined);
    if (request !== true) {
      if (others.length > 0) throw new UsageError(`Cannot use --${others[0]} without --request`);
      requireText(text);
    }
    if (rounds < 1) throw new UsageError("Cannot use --rounds: it must be at least 1");
    await requireAtRest(workspace, "reply to");
    const reply = (said: string) => replyIn(workspace, said, { flags, global, io });
    if (request !== true) return await reply(text);
    const { replyRounds } = await import("../requests/reply_rounds.ts");
    const lastRunAt = () => newestRunAt(workspace);
    return await replyRounds(workspace, { branch, global, io, lastRunAt, remote, reply, rounds, text });
  },
});
