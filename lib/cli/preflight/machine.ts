import { dirname } from "@std/path/posix";
import { PanewrightError } from "../../base/errors.ts";
import { findProgram } from "../../run/programs.ts";
import { hintOfWriteError } from "../../base/ports/file_errors.ts";
import { removeIfThere } from "../../base/ports/files.ts";
import { errorText } from "../../base/text/error_text.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { findSocketPath, isServerRunning, killServer, removeDeadSocket, tmuxCommand } from "../../tmux/server.ts";
import { requireTmux, TMUX_INSTALL_HINT } from "../../tmux/version.ts";
import type { Finding } from "./finding.ts";
import { type LookContext, placeIn } from "./look_context.ts";

export interface TmuxPlace {
  readonly socket?: string | undefined;
  readonly session?: string | undefined;
}

/** tmux: there, new enough, and able to start a server. */
export async function checkTmux({ processRunner }: Pick<LookContext, "processRunner">): Promise<Finding> {
  const socket = `${TRIAL_SOCKET}${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket, processRunner });
  try {
    const version = await requireTmux(client);
    // Should panewright be killed meanwhile, the server ends by itself, and leaves nothing.
    const ends = ["sh", "-c", 'sleep 5; rm -f "${TMUX%%,*}"'];
    const started = await client.run(["new-session", "-d", "-x", "80", "-y", "24", "--", ...ends]);
    if (started.code === 0) {
      const socketPath = await findSocketPath(client);
      await killServer(client);
      if (socketPath !== undefined) await removeDeadTrials(dirname(socketPath), { processRunner });
      return { check: "tmux", status: "ok", detail: `${version}, starts a server` };
    }
    return {
      check: "tmux",
      status: "fail",
      detail: `${version} cannot start a server: ${started.stderr.trim()}`,
      remedy: "The folder of tmux's sockets (TMUX_TMPDIR, or /tmp) must be writable for you.",
    };
  } catch (error) {
    if (!(error instanceof PanewrightError)) throw error;
    return { check: "tmux", status: "fail", detail: error.message, remedy: error.hint ?? TMUX_INSTALL_HINT };
  }
}

const TRIAL_SOCKET = "panewright-doctor-";

/** Removes what is left of trials whose panewright was killed: tmux leaves the socket of a server that has ended. */
async function removeDeadTrials(
  folder: string,
  { processRunner }: Pick<LookContext, "processRunner">,
): Promise<void> {
  const names = await Array.fromAsync(Deno.readDir(folder), ({ name }) => name).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(TRIAL_SOCKET))) {
    await removeDeadSocket(createTmuxClient({ socket: `${folder}/${name}`, processRunner }));
  }
}

/**
 * The session that a new run is to use, or the socket on which it is to start a server; nothing where the configuration
 * names neither. tmux must be there.
 */
export async function lookAtTmuxPlace(
  { socket, session }: TmuxPlace,
  { processRunner }: Pick<LookContext, "processRunner">,
): Promise<readonly Finding[]> {
  if (socket === undefined && session === undefined) return [];
  const check = "tmux session";
  const client = createTmuxClient({ socket: socket ?? "default", processRunner });
  const remedy = `See what is running with: ${tmuxCommand(client.socket)} list-sessions`;
  if (session !== undefined) {
    const { code } = await client.run(["has-session", "-t", `=${session}`]);
    const detail = code === 0 ? `${session} is there` : `there is no session ${session} on socket ${client.socket}`;
    return [code === 0 ? { check, status: "ok", detail } : { check, status: "fail", detail, remedy }];
  }
  return [
    await isServerRunning(client)
      ? { check, status: "fail", detail: `a server is already running on socket ${client.socket}`, remedy }
      : { check, status: "ok", detail: `socket ${client.socket} is free` },
  ];
}

const TOOLS = {
  linux: { sh: "dash", cat: "coreutils", env: "coreutils", find: "findutils", grep: "grep", sleep: "coreutils" },
  others: { sh: "sh", env: "env", ps: "ps", sleep: "sleep" },
} as const;

/** The small programs that panewright calls: a shell, what reads the process table, and what keeps a session open. */
export function checkTools(context: Pick<LookContext, "env">): Finding {
  const check = "programs";
  const tools: Readonly<Record<string, string>> = Deno.build.os === "linux" ? TOOLS.linux : TOOLS.others;
  const names = Object.keys(tools);
  const missing = names.filter((name) => findProgram(name, placeIn("/", context)) === undefined);
  if (missing.length === 0) return { check, status: "ok", detail: names.join(", ") };
  const packages = [...new Set(missing.map((name) => tools[name]))];
  return {
    check,
    status: "fail",
    detail: `there is no ${missing.join(", no ")} on PATH`,
    remedy: `Correct PATH, or install what is missing; on Debian with: apt-get install ${packages.join(" ")}`,
  };
}

export function checkHome({ env }: Pick<LookContext, "env">): Finding {
  const check = "HOME";
  const home = env("HOME") ?? "";
  const remedy = "Set HOME to your home folder: agent CLIs keep their logins there, and panewright what you trust.";
  if (home === "") return { check, status: "warn", detail: "it is not set", remedy };
  try {
    if (Deno.statSync(home).isDirectory) return { check, status: "ok", detail: home };
    return { check, status: "warn", detail: `${home} is not a folder`, remedy };
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "there is no such folder" : errorText(error);
    return { check, status: "warn", detail: `${home}: ${reason}`, remedy };
  }
}

/** The environment that agents inherit: a terminal type, and a locale that knows UTF-8. */
export function checkTerminal({ env }: Pick<LookContext, "env">): Finding[] {
  const locale = [env("LC_ALL"), env("LC_CTYPE"), env("LANG")].find((value) => value !== undefined && value !== "");
  const term = env("TERM") ?? "";
  return [
    term === "" || term === "dumb"
      ? {
        check: "terminal",
        status: "warn",
        detail: term === "" ? "TERM is not set" : "TERM is dumb",
        remedy: "Progress is shown as plain lines. In a terminal, set TERM, for example to xterm-256color.",
      }
      : { check: "terminal", status: "ok", detail: `TERM is ${term}` },
    locale !== undefined && /utf-?8/i.test(locale) ? { check: "locale", status: "ok", detail: locale } : {
      check: "locale",
      status: "warn",
      detail: locale === undefined ? "none of LC_ALL, LC_CTYPE and LANG is set" : `${locale} is no UTF-8 locale`,
      remedy: "Set a UTF-8 locale, for example LANG=C.UTF-8, so that agents draw their screens as they were recorded.",
    },
  ];
}

export async function checkWorkdir(workdir: string): Promise<Finding> {
  const check = "working directory";
  const kept = `${workdir}/.panewright`;
  // A link in its place is refused with a message of its own.
  const hasRuns = await Deno.lstat(kept).then(({ isDirectory }) => isDirectory, () => false);
  const found = hasRuns ? await checkFolder(check, kept) : undefined;
  return found?.status === "fail" ? found : await checkFolder(check, workdir);
}

export async function checkFolder(
  check: string,
  folder: string,
  { variable }: { readonly variable?: string } = {},
): Promise<Finding> {
  try {
    await tryToWrite(folder);
    return { check, status: "ok", detail: `${folder} is writable` };
  } catch (error) {
    const isRefused = error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotFound;
    const another = variable === undefined ? "name another one" : `name another one with ${variable}`;
    return {
      check,
      status: "fail",
      detail: `${folder} is not writable: ${errorText(error)}`,
      remedy: (isRefused ? undefined : hintOfWriteError(error)) ??
        `Make the folder and give yourself the right to write there, or ${another}.`,
    };
  }
}

/** What the first minutes of a run keep; for less, there is no use in starting one. */
const ROOM_BYTES = 256 * 1024;

async function tryToWrite(folder: string): Promise<void> {
  const path = await Deno.makeTempFile({ dir: folder, prefix: ".panewright-trial-" });
  try {
    using file = await Deno.open(path, { write: true });
    // Nothing is left should panewright be killed; not every file system lets go of an open file.
    await Deno.remove(path).catch(() => {});
    const bytes = new Uint8Array(ROOM_BYTES).fill(1);
    for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
    // Some file systems say no only here.
    await file.syncData();
  } finally {
    removeIfThere(path);
  }
}
