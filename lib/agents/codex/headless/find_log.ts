import { listOpenFiles } from "../../../base/ports/open_files.ts";
import { LineTail } from "../../../base/follow/line_tail.ts";
import { essence } from "../../../base/text/essence.ts";
import type { LogQuery } from "../../process/cli.ts";
import { type CodexSession, EMPTY_CODEX_LOG, foldCodexLine, isReply, promptOf } from "../session_log.ts";

/** A log's name ends with the id of its thread: `rollout-2026-11-20T08-32-37-01a1f816-….jsonl`. */
const LOG_NAME = /^rollout-.*\.jsonl$/;

/** Clocks of file systems are coarser than ours. */
const TIME_SLACK_MS = 2000;

/** The log of a thread, wherever it is below the folder; the newest days are looked at first. */
export async function findLogOfThread(folder: string, threadId: string): Promise<string | undefined> {
  for await (const path of listLogs(folder)) if (path.endsWith(`-${threadId}.jsonl`)) return path;
  return undefined;
}

/** Every log that is there. */
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
    const { session, prompts, isAnswered } = await readHead(path);
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

/** Logs lie in a folder for the day on which they were begun, `2026/11/20`. */
async function* listLogs(folder: string): AsyncGenerator<string> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  entries.sort((one, other) => one.name < other.name ? 1 : -1);
  for (const { name, isDirectory, isFile } of entries) {
    if (isDirectory && /^\d+$/.test(name)) yield* listLogs(`${folder}/${name}`);
    else if (isFile && LOG_NAME.test(name)) yield `${folder}/${name}`;
  }
}

interface LogHead {
  readonly session: CodexSession | undefined;
  readonly prompts: readonly string[];
  readonly isAnswered: boolean;
}

async function readHead(path: string): Promise<LogHead> {
  using tail = new LineTail(path);
  const { lines } = await tail.read().catch(() => ({ lines: [] }));
  return {
    session: lines.slice(0, 1).reduce(foldCodexLine, EMPTY_CODEX_LOG).session,
    // The environment and the project's instructions come as messages of the user, too.
    prompts: lines.flatMap((line) => promptOf(line) ?? []).filter((text) => !/^\s*(?:<|# AGENTS\.md)/.test(text)),
    isAnswered: lines.some(isReply),
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

async function realPath(path: string): Promise<string> {
  return await Deno.realPath(path).catch(() => path);
}
