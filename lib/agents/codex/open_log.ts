import { LogWatch } from "../../base/follow/log_watch.ts";
import { followLines } from "../../base/follow/follow_lines.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import type { LogQuery, SessionUsageQuery } from "../process/cli.ts";
import { usageOfSession } from "../pane/session_tokens.ts";
import type { Usage } from "../../base/usage.ts";
import { createCodexTokenReader } from "./reader.ts";
import { findLogByEvidence, findLogOfThread, listAllLogs } from "./find_log.ts";

/**
 * How long the CLI has to name its thread, before its log is looked for by other evidence. It takes 70 to 160 ms
 * (0.169.0).
 */
const THREAD_ID_MS = 500;

const LOOK_EVERY_MS = 50;

/** After a while it is looked for less often: the CLI may keep no log at all (`--ephemeral`). */
const LOOK_RARELY_MS = 1000;

/**
 * The lines that an attempt adds to its session log below `CODEX_HOME/sessions`. Called before the CLI is started: a
 * session that is resumed has a log already, and what is in it is not of this attempt.
 */
export async function openCodexLog(query: LogQuery): Promise<AsyncIterable<readonly string[]>> {
  const { env, resumeSessionId } = query;
  const folder = sessionsFolder(env);
  const before = await listAllLogs(folder);
  const resumed = resumeSessionId === undefined ? undefined : await findLogOfThread(folder, resumeSessionId);
  const linesBefore = resumed === undefined ? 0 : await countLines(resumed);
  return followAttempt(query, { folder, before, resumed, linesBefore });
}

export async function codexSessionUsage({ sessionId, env, since }: SessionUsageQuery): Promise<Usage | undefined> {
  const path = await findLogOfThread(sessionsFolder(env), sessionId);
  if (path === undefined) return undefined;
  return await usageOfSession({ listFiles: () => Promise.resolve([path]), readerOf: createCodexTokenReader }, since);
}

function sessionsFolder(env: LogQuery["env"]): string {
  return `${env["CODEX_HOME"] ?? `${env["HOME"] ?? ""}/.codex`}/sessions`;
}

interface KnownBefore {
  readonly folder: string;
  readonly before: ReadonlySet<string>;
  readonly resumed: string | undefined;
  readonly linesBefore: number;
}

async function* followAttempt(query: LogQuery, known: KnownBefore): AsyncGenerator<readonly string[]> {
  const path = await waitForLog(query, known);
  if (path === undefined) return;
  let toSkip = path === known.resumed ? known.linesBefore : 0;
  for await (const { lines, restarted } of followLines(path, query.writerEnded)) {
    // A log that is written anew is not the one that was resumed.
    if (restarted !== undefined) toSkip = 0;
    const added = lines.slice(toSkip);
    toSkip = Math.max(0, toSkip - lines.length);
    if (added.length > 0) yield added;
  }
}

async function waitForLog(query: LogQuery, { folder, before }: KnownBefore): Promise<string | undefined> {
  const { writerEnded, sessionId } = query;
  await using watch = new LogWatch(`${folder}/log`);
  const startMs = performance.now();
  for (;;) {
    // Asked before the look: what was written before the end is then surely seen.
    const last = writerEnded.aborted;
    const threadId = sessionId();
    const waitedMs = performance.now() - startMs;
    if (threadId !== undefined) {
      const path = await findLogOfThread(folder, threadId);
      if (path !== undefined) return path;
    } else if (waitedMs >= THREAD_ID_MS || last) {
      const path = await findLogByEvidence(folder, { query, before });
      if (path !== undefined) return path;
    }
    if (last) return undefined;
    await watch.wait(waitedMs < 2000 ? LOOK_EVERY_MS : LOOK_RARELY_MS, writerEnded).catch(() => {});
  }
}

async function countLines(path: string): Promise<number> {
  using tail = new LineTail(path);
  const { lines } = await tail.read();
  return lines.length + (tail.unfinishedLine() === "" ? 0 : 1);
}
