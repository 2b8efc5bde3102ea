import { UsageError } from "../../errors.ts";
import { type Role, ROLES } from "../../roles.ts";
import { runInForeground } from "../../ports/process.ts";
import { shellJoin } from "../../shell/quote.ts";
import type { TmuxCommand } from "../../tmux/client.ts";
import { createTmuxClient, tmuxArguments, tmuxProgram } from "../../tmux/plain_client.ts";
import { tmuxCommand } from "../../tmux/server.ts";
import { JOBS } from "../../jobs/mod.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import { type Progress, type SessionState, workerOf } from "../../run/progress.ts";
import { didYouMean } from "../../text/suggest.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { findMeantRun, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";

/** `panewright attach [RUN] [ROLE]` */
export const command = defineCommand({
  description:
    "Shows the agents of a run of `panewright run` in this terminal, each in its own tmux window: Ctrl-B n and Ctrl-B p go to the " +
    "next and the previous one, Ctrl-B d detaches. With ROLE that agent's window is shown first.\n\nThe keys that you press go to " +
    "the agent: text that you leave in its composer holds the run up. With --read-only only tmux's own keys have an effect.",
  arguments: [
    { name: "RUN", description: "the run's id, or the path of its folder (default: the run that is being executed)" },
    { name: "ROLE", description: ROLES.join(", ") },
  ],
  flags: [
    { name: "read-only", short: "r", type: "switch", description: "only look: keys do not reach the agents" },
    { name: "print", type: "switch", description: "print the command instead of running it" },
    WORKDIR_FLAG,
  ],
  examples: [
    { command: "attach programmer", description: "look at the programmer of the run that is being executed" },
    { command: "attach 20261120-072605-3fa9 --read-only", description: "look at the agents without disturbing them" },
    { command: "attach 20261120-072605-3fa9 programmer", description: "answer a dialog in the programmer's pane" },
  ],
  async run({ flags, positionals }, io) {
    const [run, roleName] = ROLES.some((role) => role === positionals[0]) ? [undefined, ...positionals] : positionals;
    const role = roleName === undefined ? undefined : parseRole(roleName);
    const overview = await readRun(await findMeantRun(io, run, flags.wd), JOBS);
    const place = await findPlace(overview, { role, wd: flags.wd });
    const readOnly = flags["read-only"] === true;
    const commands = attachCommands(place, { readOnly });
    if (flags.print === true) {
      io.stdout(`${tmuxCommand(place.session.socket)} ${shellJoin(tmuxArguments(commands))}\n`);
      return 0;
    }
    if (!io.isTerminal.stdin || !io.isTerminal.stdout) {
      throw new UsageError(`Cannot attach to run ${overview.folder.id}: this is not a terminal`, {
        hint: "With --print the command is printed instead; panewright logs RUN --follow needs no terminal.",
      });
    }
    refuseOwnSession(place.session, io);
    const { argv, env } = tmuxProgram(tmuxArguments(commands), place.session);
    return await runInForeground({ argv, env, clearEnv: true, signal: io.signal });
  },
});

function parseRole(name: string): Role {
  const role = ROLES.find((one) => one === name);
  if (role !== undefined) return role;
  throw new UsageError(`Cannot attach to "${name}": there is no such role${didYouMean(name, ROLES)}`, {
    hint: `Roles: ${ROLES.join(", ")}.`,
  });
}

interface Place {
  readonly session: SessionState;
  /** The pane to be shown first. */
  readonly paneId: string | undefined;
}

/** Where a run's agents can be seen; this checks that they are. */
async function findPlace(
  { folder, progress, problem }: RunOverview,
  { role, wd }: { readonly role: Role | undefined; readonly wd: string | undefined },
): Promise<Place> {
  const { id } = folder;
  const logs = runCommandLine(["logs", id], wd);
  if (progress === undefined) {
    throw problem ?? new UsageError(`Cannot attach to run ${id}: it was broken off before it began`);
  }
  if (progress.job === "exec") {
    throw new UsageError(`Cannot attach to run ${id}: the agents of "panewright exec" have no terminals`, {
      hint: `To see what they do: ${logs} --follow`,
    });
  }
  const gone = new UsageError(`Cannot attach to run ${id}: its tmux session no longer exists`, {
    hint: `To see what happened: ${logs}`,
  });
  const { session } = progress;
  if (session === undefined) throw gone;
  const panes = await listPanes(session);
  if (panes === undefined) throw gone;
  return { session, paneId: role === undefined ? undefined : paneOf(role, { id, progress, panes }) };
}

function paneOf(
  role: Role,
  { id, progress, panes }: {
    readonly id: string;
    readonly progress: Progress;
    readonly panes: readonly string[];
  },
): string {
  const paneId = workerOf(progress, role)?.pane?.terminalId;
  if (paneId !== undefined && panes.includes(paneId)) return paneId;
  const what = paneId === undefined ? "has no pane yet" : "is gone from its pane";
  throw new UsageError(`Cannot attach to the ${role} of run ${id}: it ${what}`, {
    hint: "Without a role, the panes that exist are shown.",
  });
}

async function listPanes({ socket, name }: SessionState): Promise<readonly string[] | undefined> {
  const listed = await createTmuxClient({ socket }).run(["list-panes", "-s", "-t", `=${name}:`, "-F", "#{pane_id}"]);
  return listed.code === 0 ? listed.stdout.trim().split("\n") : undefined;
}

function attachCommands(
  { session, paneId }: Place,
  { readOnly }: { readonly readOnly: boolean },
): readonly TmuxCommand[] {
  return [
    ...(readOnly && !session.existing ? readOnlyKeys(session) : []),
    ...(paneId === undefined ? [] : [["select-window", "-t", paneId] as const]),
    ["attach-session", ...(readOnly ? ["-r"] : []), "-t", `=${session.name}`],
  ];
}

/**
 * A client that may only look is refused `next-window` (tmux 3.3a), but not `switch-client`, which can do the same. The
 * keys of a person's own server are left alone.
 */
function readOnlyKeys({ name }: SessionState): readonly TmuxCommand[] {
  return [
    ["bind-key", "n", "switch-client", "-t", `=${name}:+`],
    ["bind-key", "p", "switch-client", "-t", `=${name}:-`],
  ];
}

/** A client in a window of the very session that it shows would show itself. */
function refuseOwnSession({ socket, name }: SessionState, io: CliIo): void {
  const [path = ""] = (io.env("TMUX") ?? "").split(",");
  if (path !== socket && !path.endsWith(`/${socket}`)) return;
  throw new UsageError(`Cannot attach to session ${name} from within its own tmux server`, {
    hint: `You are in it already. Go there with: tmux switch-client -t ${shellJoin([`=${name}`])}`,
  });
}
