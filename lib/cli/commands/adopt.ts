import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { findOwnSessions } from "../../agents/whole_agent.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { listProcesses, processTree } from "../../base/ports/process_table.ts";
import { errorText } from "../../base/text/error_text.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { present } from "../../base/schema.ts";
import { isInRepository } from "../../workspace/open_workspace.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { detach, DETACH_FLAGS, refuseKey } from "../detach.ts";
import { taskOfArgument } from "../task_argument.ts";
import { FLAGS, runExec } from "./exec.ts";

const { wd, config, pipeline, check, strict, workspace, trust, junit, "no-input": noInput } = FLAGS;
const OWN_FLAGS = {
  ...{ wd, config, pipeline, check, strict, workspace, trust, junit, "no-input": noInput },
  ...DETACH_FLAGS,
};

/** `panewright adopt`: continues a copy of a session that a person has begun, with a task, as the front door does one. */
export const command = defineCommand({
  arguments: [
    {
      name: "SESSION",
      description: "its id, the tmux pane that it is open in (%3), or last: the newest that was begun in this folder",
      required: true,
    },
    { name: "TASK", description: "what it is to do now", required: true },
  ],
  flags: OWN_FLAGS,
  async run(parsed, io) {
    const [asked = "", given = ""] = parsed.positionals;
    await requireNoAgent("continue a session of this person");
    const cwd = resolve(io.cwd, parsed.flags.wd ?? ".");
    const { provider, ...session } = await findSession(asked, { io, cwd });
    const task = await taskOfArgument(given, io);
    if (parsed.flags.detach === true) {
      // The one that is meant now; and, as of the front door, where it works is told by the command line.
      const isApart = parsed.flags.workspace ?? (await isInRepository(cwd, io.signal) || undefined);
      const flags = { ...parsed.flags, ...present({ workspace: isApart }) };
      return await detach("adopt", { ...parsed, flags, positionals: [session.id, task] }, io);
    }
    refuseKey(parsed.flags.key);
    const flags = { ...parsed.flags, provider };
    return await runExec({ ...parsed, flags, positionals: [task] }, io, { prefersApart: true, session });
  },
});

async function findSession(asked: string, { cwd, io }: { readonly cwd: string; readonly io: CliIo }) {
  const env = Object.fromEntries(io.envNames().map((name) => [name, io.env(name) ?? ""]));
  const which = asked === "last" ? {} : /^%\d+$/.test(asked) ? { pids: await pidsInPane(asked, io) } : { id: asked };
  const where = { cwd, env, ...which };
  const found = await Promise.all(
    // Agents that are like one of the CLIs have the same sessions, and another protocol.
    PROVIDERS.filter(({ whole }) => typeof whole === "object").map(async (one) =>
      (await findOwnSessions(one, where)).slice(0, 1).map((session) => ({ ...session, provider: one.id }))
    ),
  );
  const times = await Promise.all(found.flat().map(async (one) => ({ one, at: (await Deno.lstat(one.file)).mtime })));
  const [newest] = times.toSorted((one, other) => (other.at?.getTime() ?? 0) - (one.at?.getTime() ?? 0));
  if (newest !== undefined) return newest.one;
  const why = "pids" in which
    ? `Cannot adopt what is in pane ${asked}: no session of Codex or Claude Code is open there`
    : "id" in which
    ? `Cannot adopt session "${asked}": neither Codex nor Claude Code has one of that id`
    : `Cannot adopt the last session: none was begun in ${cwd}`;
  throw new UsageError(why, { hint: "Both tell the id of a session with /status." });
}

/** The processes in a pane of the tmux server that this runs in, or of the default one. */
async function pidsInPane(pane: string, { signal }: CliIo): Promise<readonly number[]> {
  const argv = ["tmux", "display-message", "-p", "-t", pane, "#{pane_pid}"] as const;
  const { stdout, stderr } = await systemProcessRunner.run({ argv, signal }).catch((error) => {
    throw new UsageError(`Cannot find pane ${pane}: tmux cannot be called: ${errorText(error)}`);
  });
  const pid = Number(stdout.trim());
  // For a pane that is not there it says nothing (3.3a).
  if (pid > 0) return processTree(await listProcesses(), pid).map((one) => one.pid);
  const why = stderr.trim() === "" ? "" : `: ${stderr.trim()}`;
  throw new UsageError(`Cannot find pane ${pane}${why}`, { hint: "tmux list-panes -a lists them." });
}
