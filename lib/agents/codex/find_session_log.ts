import { listOpenFiles } from "../../base/ports/open_files.ts";
import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import { listProcesses, processTree } from "../../base/ports/process_table.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import { essence } from "../../base/text/essence.ts";
import { type CodexSession, EMPTY_CODEX_LOG, foldCodexLine, promptOf } from "./session_log.ts";

/** What the log of one pane's session is found by. */
export interface SessionLogQuery {
  /** The process that the pane was opened with. */
  readonly panePid: number;
  readonly workdir: string;
  /** CODEX_HOME of the agent. */
  readonly codexHome: string;
  /** When the agent was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** What was submitted to it. */
  readonly prompts: readonly string[];
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
}

/** Clocks of file systems are coarser than ours. */
const TIME_SLACK_MS = 2000;

const DAY_MS = 24 * 60 * 60 * 1000;

const LOG_NAME = /\/rollout-[^/]*\.jsonl$/;

/**
 * The log that the agent of a pane is writing: one that a process of the pane has open (0.53.0 to 0.169.0 keep it
 * open).
 *
 * Where that cannot be seen, the one log that was begun in the same folder since the agent started and holds a prompt
 * which was given to it. Several agents may share folder and CODEX_HOME, so a log that is merely new proves nothing;
 * and where more than one fits, none is taken.
 */
export async function findSessionLog(query: SessionLogQuery): Promise<string | undefined> {
  const { panePid, processRunner = systemProcessRunner } = query;
  const pids = processTree(await listProcesses(processRunner), panePid).map(({ pid }) => pid);
  const open = (await listOpenFiles(pids, processRunner)).filter((path) => LOG_NAME.test(path));
  return await findWrittenLast(open) ?? await findByPrompt(query);
}

/**
 * Of the sessions that one Codex has open, the one in front: helpers have logs of their own, and `/new` begins another.
 */
async function findWrittenLast(paths: readonly string[]): Promise<string | undefined> {
  let found: { readonly path: string; readonly mtime: number } | undefined;
  for (const path of paths) {
    const info = await Deno.stat(path).catch(() => undefined);
    const { session } = await readHead(path);
    if (info === undefined || session?.isMain === false) continue;
    const mtime = info.mtime?.getTime() ?? 0;
    if (found === undefined || mtime > found.mtime) found = { path, mtime };
  }
  return found?.path;
}

async function findByPrompt({ codexHome, workdir, startedAt, prompts }: SessionLogQuery): Promise<string | undefined> {
  const given = new Set(prompts.map(essence));
  const found: string[] = [];
  for (const path of await listLogsSince(`${codexHome}/sessions`, startedAt - TIME_SLACK_MS)) {
    const { session, prompts: recorded } = await readHead(path);
    if (session === undefined || !session.isMain || session.cwd !== workdir) continue;
    if (session.startedAt < startedAt - TIME_SLACK_MS) continue;
    if (recorded.some((prompt) => given.has(essence(prompt)))) found.push(path);
  }
  return found.length === 1 ? found[0] : undefined;
}

/** Logs lie in a folder for the day, by local time, on which the session began: `sessions/2026/11/20`. */
async function listLogsSince(folder: string, sinceMs: number): Promise<string[]> {
  const paths: string[] = [];
  for (let dayMs = sinceMs - DAY_MS; dayMs < Date.now() + 2 * DAY_MS; dayMs += DAY_MS) {
    const day = `${folder}/${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "/")}`;
    for (const name of await listNames(day)) {
      const path = `${day}/${name}`;
      if (!LOG_NAME.test(path)) continue;
      const info = await Deno.lstat(path).catch(() => undefined);
      if (info?.isFile && (info.mtime?.getTime() ?? 0) >= sinceMs) paths.push(path);
    }
  }
  return paths;
}

async function listNames(folder: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
  } catch {
    return [];
  }
}

async function readHead(
  path: string,
): Promise<{ readonly session: CodexSession | undefined; readonly prompts: readonly string[] }> {
  using tail = new LineTail(path);
  const { lines } = await tail.read().catch(() => ({ lines: [] }));
  const prompts = lines.flatMap((line) => promptOf(line) ?? []);
  return { session: lines.slice(0, 1).reduce(foldCodexLine, EMPTY_CODEX_LOG).session, prompts };
}
