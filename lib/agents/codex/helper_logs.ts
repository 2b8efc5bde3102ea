import { basename, dirname } from "@std/path/posix";
import { openRegularFile } from "../../base/ports/regular_file.ts";
import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a folder must have stood still for its list to hold: clocks of file systems are coarse. */
const STILL_MS = 1000;

/**
 * Lists the log of a session and those of its helpers, which have logs of their own that name the session (0.169.0).
 * They lie in a folder for the day on which each was begun, by local time: `sessions/2026/11/20`.
 *
 * @param path of the session's own log
 */
export function sessionLogLister(path: string, sessionId: string): () => Promise<readonly string[]> {
  const known = new Map<string, boolean>([[path, true]]);
  const lists = new Map<string, { readonly mtimeMs: number; readonly atMs: number }>();

  async function lookThrough(folder: string): Promise<void> {
    const mtimeMs = (await Deno.stat(folder).catch(() => undefined))?.mtime?.getTime();
    const last = lists.get(folder);
    if (mtimeMs === undefined || (last?.mtimeMs === mtimeMs && last.atMs - mtimeMs >= STILL_MS)) return;
    lists.set(folder, { mtimeMs, atMs: Date.now() });
    for (const { name } of await Array.fromAsync(Deno.readDir(folder)).catch(() => [])) {
      const log = `${folder}/${name}`;
      if (!/^rollout-.*\.jsonl$/.test(name) || known.has(log)) continue;
      const named = sessionNamedIn(log);
      if (named !== undefined) known.set(log, named === sessionId);
    }
  }

  return async () => {
    for (const folder of dayFoldersSince(path, Date.now())) await lookThrough(folder);
    return [...known].flatMap(([log, isOurs]) => isOurs ? [log] : []);
  };
}

/** The folders of the days since a log was begun; the log's own where its path is another. */
function dayFoldersSince(path: string, nowMs: number): readonly string[] {
  const folder = dirname(path);
  const { sessions, day } = /^(?<sessions>.*)\/(?<day>\d{4}\/\d\d\/\d\d)$/.exec(folder)?.groups ?? {};
  if (sessions === undefined || day === undefined) return [folder];
  const folders = [folder];
  // A day further: the local time may be ahead.
  for (let ms = Date.parse(day.replaceAll("/", "-")) + DAY_MS; ms < nowMs + DAY_MS; ms += DAY_MS) {
    folders.push(`${sessions}/${new Date(ms).toISOString().slice(0, 10).replaceAll("-", "/")}`);
  }
  return folders;
}

/** The most that a log's first record may have: it holds the CLI's instructions, some 20 KB. */
const MAX_FIRST_BYTES = 4 * 1024 * 1024;

function sessionNamedIn(path: string): string | undefined {
  const first = readFirstLine(path);
  if (first === undefined) return undefined;
  const { session_id: session, id } = objectOf(parseJsonObject(first)?.["payload"]);
  return textOf(session) ?? textOf(id) ?? basename(path);
}

/** The logs of all sessions of a day may lie here: of those of others, no more is read. */
function readFirstLine(path: string): string | undefined {
  try {
    using file = openRegularFile(path, { access: "read", followLinks: true });
    const bytes = new Uint8Array(Math.min(file.stat().size, MAX_FIRST_BYTES));
    const end = bytes.subarray(0, file.readAt(0, bytes)).indexOf(0x0a);
    return end === -1 ? undefined : new TextDecoder().decode(bytes.subarray(0, end));
  } catch {
    return undefined;
  }
}
