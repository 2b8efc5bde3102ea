import { listOpenFiles, listProcesses, processTree } from "../../base/ports/process_table.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import { essence } from "../../base/text/essence.ts";
import type { LogQuery } from "../process/cli.ts";
import type { OwnSession, SessionFiles } from "../whole_support.ts";
import type { RecordedSession } from "../agent.ts";
import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import { createCodexReader } from "./reader.ts";

/** A log's name ends with the id of its thread: `rollout-2026-11-20T08-32-37-01a1f816-….jsonl`. */
const LOG_NAME = /^rollout-.*\.jsonl$/;

const TIME_SLACK_MS = 2000;

export async function findLogOfThread(folder: string, threadId: string): Promise<string | undefined> {
  for await (const path of listLogs(folder)) if (path.endsWith(`-${threadId}.jsonl`)) return path;
  return undefined;
}

export async function listAllLogs(folder: string): Promise<ReadonlySet<string>> {
  return new Set(await Array.fromAsync(listLogs(folder)));
}

/**
 * The log of an attempt that has not said which thread it is: one that its processes have open; otherwise the one new
 * log whose first record names our folder and a start after ours, and whose prompt is ours; where there is none, one
 * that names nothing. A log with a reply and no prompt is one of a CLI that keeps none. Where several fit, none is
 * taken: it may be another run's. So may one to which no prompt was written yet.
 */
export async function findLogByEvidence(
  folder: string,
  { query, before }: { readonly query: LogQuery; readonly before: ReadonlySet<string> },
): Promise<string | undefined> {
  const { workdir, startedAt, prompt, listPids } = query;
  const open = (await listOpenFiles(await listPids())).filter((path) => LOG_NAME.test(nameOf(path)));
  const ours = await realPath(workdir);
  const fitting: string[] = [];
  const nameless: string[] = [];
  const isOpen = open.length > 0;
  for (const path of isOpen ? open : await listAllLogs(folder)) {
    if (before.has(path)) continue;
    const { session, prompts: told, isAnswered } = await readHead(path);
    // The environment and the project's instructions come as messages of the user, too.
    const prompts = told.filter((text) => !/^\s*(?:<|# AGENTS\.md)/.test(text));
    if (session !== undefined) {
      if (!session.isMain || await realPath(session.cwd) !== ours) continue;
      if (session.startedAt < startedAt - TIME_SLACK_MS) continue;
    }
    const hasOurs = prompts.length === 0
      ? isAnswered || (isOpen && session !== undefined)
      : prompts.some((text) => essence(text) === essence(prompt));
    if (hasOurs) (session === undefined ? nameless : fitting).push(path);
  }
  const [found, ...others] = fitting.length > 0 ? fitting : nameless;
  return others.length === 0 ? found : undefined;
}

/** The sessions of a person, as Codex keeps them. */
export const codexSessions: SessionFiles = {
  async find(folder, { cwd, id, pids }) {
    if (pids !== undefined) {
      const file = await openLogOf(pids);
      const own = file === undefined ? undefined : threadOf(file);
      return file === undefined || own === undefined ? [] : [{ id: own, file }];
    }
    const found: OwnSession[] = [];
    for await (const file of listLogs(`${folder}/sessions`)) {
      const own = threadOf(file);
      if (own === undefined || (id !== undefined && own !== id)) continue;
      const { session } = id === undefined ? await readHead(file) : { session: undefined };
      const isOurs = id !== undefined ||
        session?.isMain === true && await realPath(session.cwd) === await realPath(cwd);
      if (isOurs) found.push({ id: own, file });
      if (found.length === MOST_SESSIONS) break;
    }
    return found;
  },
  pathOf: ({ file }) => `sessions/${file.split("/sessions/").at(-1)}`,
};

function threadOf(log: string): string | undefined {
  return /-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(log)?.[1];
}

/** Of a folder that has had more, the newest are looked at. */
const MOST_SESSIONS = 20;

async function* listLogs(folder: string): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  entries.sort((one, other) => one.name < other.name ? 1 : -1);
  for (const { name, isDirectory, isFile } of entries) {
    if (isDirectory && /^\d+$/.test(name)) yield* listLogs(`${folder}/${name}`);
    else if (isFile && LOG_NAME.test(name)) yield `${folder}/${name}`;
  }
}

interface LogHead {
  readonly session: RecordedSession | undefined;
  readonly prompts: readonly string[];
  readonly isAnswered: boolean;
}

async function readHead(path: string): Promise<LogHead> {
  using tail = new LineTail(path);
  const { lines } = await tail.read().catch(() => ({ lines: [] }));
  const reader = createCodexReader({});
  const events = lines.map((line) => reader.readLog(line));
  return {
    session: events[0]?.flatMap((event) => event.type === "opened" ? [event.session] : [])[0],
    prompts: events.flat().flatMap((event) => event.type === "prompted" && event.by === "cli" ? [event.text] : []),
    isAnswered: events.flat().some(({ type }) => type === "said" || type === "reasoned" || type === "called"),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function realPath(path: string): Promise<string> {
  return await Deno.realPath(path).catch(() => path);
}

export interface SessionLogQuery {
  readonly panePid: number;
  readonly workdir: string;
  readonly codexHome: string;
  /** When the agent was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly prompts: readonly string[];
  readonly processRunner?: ProcessRunner;
}

const DAY_MS = 24 * 60 * 60 * 1000;

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
  return await openLogOf(pids, processRunner) ?? await findByPrompt(query);
}

async function openLogOf(pids: readonly number[], processRunner = systemProcessRunner): Promise<string | undefined> {
  const open = (await listOpenFiles(pids, processRunner)).filter((path) => LOG_NAME.test(nameOf(path)));
  return await findWrittenLast(open);
}

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

async function listLogsSince(folder: string, sinceMs: number): Promise<string[]> {
  const paths: string[] = [];
  for (let dayMs = sinceMs - DAY_MS; dayMs < Date.now() + 2 * DAY_MS; dayMs += DAY_MS) {
    const day = `${folder}/${new Date(dayMs).toISOString().slice(0, 10).replaceAll("-", "/")}`;
    for (const { name } of await Array.fromAsync(Deno.readDir(day)).catch(() => [])) {
      const path = `${day}/${name}`;
      if (!LOG_NAME.test(nameOf(path))) continue;
      const info = await Deno.lstat(path).catch(() => undefined);
      if (info?.isFile && (info.mtime?.getTime() ?? 0) >= sinceMs) paths.push(path);
    }
  }
  return paths;
}
