import { basename, dirname } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { runInForeground } from "../../base/ports/process.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { shellJoin } from "../../shell/quote.ts";
import type { TmuxCommand } from "../../tmux/client.ts";
import { tmuxArguments, tmuxProgram } from "../../tmux/plain_client.ts";
import { tmuxCommand } from "../../tmux/server.ts";
import { NEXT_WINDOW_KEYS } from "../../tmux/session_view.ts";
import { JOBS } from "../../jobs/mod.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import { isWithoutPanes, type SessionState } from "../../journal/workers.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lookAtProcesses } from "../../run/live_agents.ts";
import { nearest } from "../../base/text/suggest.ts";
import { findPlace, listPanes, paneOf } from "../attach/place.ts";
import { endLines } from "../attach/scene.ts";
import { showRun } from "../attach/show_run.ts";
import {
  type CliIo,
  defineCommand,
  exitCodeOfLeaving,
  type GlobalFlags,
  switchFlag,
  textFlag,
} from "../console/command.ts";
import { outputLine } from "../../api/output/line.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { showActivity } from "../show_activity.ts";
import { statusLine, viewRun } from "../../api/show/run_view.ts";
import { roleOf, rolesOf } from "../../api/show/roles_of_run.ts";

export const command = defineCommand({
  arguments: [
    { ...RUN_ARGUMENT, completes: ["runs", "roles"] },
    { name: "ROLE", description: `the same as --role: ${ROLES.join(", ")}` },
  ],
  flags: {
    follow: switchFlag("show the role that is at work, and then the next one (the default)", "f"),
    role: textFlag("ROLE", "show this role, whoever is at work", { completes: ["roles"] }),
    overview: switchFlag("show all roles at once", "o"),
    "read-only": switchFlag("only look: keys do not reach the agents", "r"),
    print: switchFlag("print a tmux command that shows the agents, instead"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const { run, role } = wanted(flags, positionals);
    const folder = await findMeantRun(io, run, flags.wd);
    if (role !== undefined) {
      roleOf((await readRun(folder, JOBS)).progress, role, flags.role === undefined ? "attach to" : "--role");
    }
    const readOnly = flags["read-only"] === true;
    const where = { role, wd: flags.wd };
    if (flags.print === true && isWithoutPanes((await readRun(folder, JOBS)).progress)) {
      const whose = role === undefined ? [] : ["--role", role];
      const command = runCommandLine(["logs", folder.id, "--follow", ...whose], flags.wd);
      io.stdout(global.json ? outputLine("attach_command", { run: folder.id, command }) : `${command}\n`);
      return 0;
    }
    if (flags.print === true) {
      const { session, paneId } = await findPlace(await readRun(folder, JOBS), where);
      const commands = tmuxArguments(plainCommands(session, { paneId, readOnly }));
      const command = `${tmuxCommand(session.socket)} ${shellJoin(commands)}`;
      io.stdout(global.json ? outputLine("attach_command", { run: folder.id, command }) : `${command}\n`);
      return 0;
    }
    if (!io.isTerminal.stdin || !io.isTerminal.stdout) {
      throw new UsageError(`Cannot attach to run ${folder.id}: this is not a terminal`, {
        hint: "With --print the command is printed instead; panewright logs RUN --follow needs no terminal.",
      });
    }
    const begun = await untilPanes(folder, { role, io });
    if (isWithoutPanes(begun.progress)) {
      return await showWithoutPanes(folder, {
        roles: role === undefined ? rolesOf(begun.progress) : [role],
        wd: flags.wd,
        global,
        io,
      });
    }
    const { session, paneId } = await findPlace(begun, where);
    refuseOwnSession(session, io);
    const code = session.existing
      ? await showSession(session, { paneId, readOnly, signal: io.signal })
      : await showRun(folder, { session, role, isOverview: flags.overview === true, readOnly, io });
    if (io.signal.aborted) return exitCodeOfLeaving(io);
    if (code !== 0) return code;
    await tellEnd(await untilSettled(folder, { session, io }), { wd: flags.wd, global, io });
    return 0;
  },
});

async function showWithoutPanes(
  folder: RunFolder,
  { roles, wd, global, io }: Around & { readonly roles: readonly Role[] },
): Promise<number> {
  try {
    await showActivity(folder, { roles, follow: true, wd, global: { ...global, json: false }, io });
  } catch (error) {
    if (!io.signal.aborted) throw error;
    return exitCodeOfLeaving(io);
  }
  await tellEnd(await readRun(folder, JOBS), { wd, global, io });
  return 0;
}

interface Around {
  readonly wd: string | undefined;
  readonly global: GlobalFlags;
  readonly io: CliIo;
}

async function tellEnd(overview: RunOverview, { wd, global, io }: Around): Promise<void> {
  const end = viewRun(overview, { processes: await lookAtProcesses(), wd });
  io.stdout(global.json ? statusLine(end) : endLines(end).map((line) => `${line}\n`).join(""));
}

interface Wanted {
  readonly run: string | undefined;
  readonly role: Role | undefined;
}

function wanted(
  flags: { readonly role?: Role; readonly follow?: boolean; readonly overview?: boolean },
  positionals: readonly string[],
): Wanted {
  // Only a role can be near a role's name: ids of runs begin with a digit.
  const isRole = positionals[0] !== undefined && nearest(positionals[0], ROLES) !== undefined;
  const [run, named, surplus] = isRole ? [undefined, ...positionals] : positionals;
  if (surplus !== undefined) {
    throw new UsageError(`Cannot use the argument "${surplus}": nothing is named after a role`, {
      hint: "The run is named before the role.",
    });
  }
  const role = flags.role ?? named;
  const modes = [
    ...(role === undefined ? [] : [`the role ${role}`]),
    ...(named === undefined || named === role ? [] : [`the role ${named}`]),
    ...(flags.overview === true ? ["--overview"] : []),
    ...(flags.follow === true ? ["--follow"] : []),
  ];
  if (modes.length > 1) throw new UsageError(`Cannot attach with ${modes.join(" and ")}: one view is shown at a time`);
  return { run, role };
}

const LOOK_MS = 1000;

/** Waits while a run that is executed has no panes, or none of the role: they are being opened, or it ends. */
async function untilPanes(
  folder: RunFolder,
  { role, io }: { readonly role: Role | undefined; readonly io: CliIo },
): Promise<RunOverview> {
  return await untilRun(folder, {
    io,
    waitingFor: role === undefined ? "the agents to start" : `the ${role} to start`,
    async isSo({ executed, progress }) {
      if (!executed || progress?.job === "exec" || isWithoutPanes(progress)) return true;
      const panes = progress?.session && await listPanes(progress.session);
      if (progress === undefined || panes === undefined) return false;
      return role === undefined || paneOf(role, { progress, panes }) !== undefined;
    },
  });
}

/** Waits for the end of a run whose session is gone: it is written down after the panes are closed. */
async function untilSettled(
  folder: RunFolder,
  { session, io }: { readonly session: SessionState; readonly io: CliIo },
): Promise<RunOverview> {
  return await untilRun(folder, {
    io,
    waitingFor: "the run to end: its panes are closed",
    isSo: async ({ executed, progress }) =>
      !executed || progress?.finished !== undefined || await listPanes(session) !== undefined,
  });
}

async function untilRun(
  folder: RunFolder,
  { io, waitingFor, isSo }: {
    readonly io: CliIo;
    readonly waitingFor: string;
    readonly isSo: (overview: RunOverview) => Promise<boolean>;
  },
): Promise<RunOverview> {
  const changes = watchFolder(dirname(folder.journalPath), { files: [basename(folder.journalPath)] });
  for (let looks = 1;; looks++) {
    const overview = await readRun(folder, JOBS);
    if (await isSo(overview)) return overview;
    if (looks === 2) io.stderr(`Waiting for ${waitingFor} (Ctrl-C leaves).\n`);
    await changes.wait(LOOK_MS, io.signal);
  }
}

/** Shows a session that is a person's own, as it is: nothing is added to their server. */
async function showSession(
  session: SessionState,
  { signal, ...shown }: {
    readonly paneId: string | undefined;
    readonly readOnly: boolean;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const { argv, env } = tmuxProgram(tmuxArguments(plainCommands(session, shown)), session);
  return await runInForeground({ argv, env, clearEnv: true, signal });
}

/** What shows a session without a view of one's own: a client that tmux itself has made. */
function plainCommands(
  { name, existing }: SessionState,
  { paneId, readOnly }: { readonly paneId: string | undefined; readonly readOnly: boolean },
): readonly TmuxCommand[] {
  return [
    ...(readOnly && !existing ? NEXT_WINDOW_KEYS : []),
    ...(paneId === undefined ? [] : [["select-window", "-t", paneId] as const]),
    ["attach-session", ...(readOnly ? ["-r"] : []), "-t", `=${name}`],
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
