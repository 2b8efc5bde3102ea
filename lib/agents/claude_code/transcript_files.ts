import { isFile, lstatOrUndefined } from "../../base/ports/files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import type { TokenFiles } from "../pane/session_tokens.ts";
import type { OwnSession, SessionFiles } from "../whole_support.ts";
import { parseClaudeStatus } from "./status_file.ts";
import { createTranscriptReader } from "./reader.ts";

/**
 * The transcript of a session: `projects/SLUG/SESSION.jsonl` of Claude Code's folder, the slug made of the folder that
 * it began in (2.1.328). `undefined` where there is none.
 */
export async function findTranscript(
  claudeFolder: string,
  { cwd, sessionId }: { readonly cwd: string; readonly sessionId: string },
): Promise<string | undefined> {
  if (!/^[\w-]+$/.test(sessionId)) return undefined;
  const projects = `${claudeFolder}/projects`;
  const usual = `${projects}/${slugOf(cwd)}/${sessionId}.jsonl`;
  if (await isFile(usual)) return usual;
  const folders = await Array.fromAsync(Deno.readDir(projects)).catch(() => []);
  for (const { name } of folders) {
    const path = `${projects}/${name}/${sessionId}.jsonl`;
    if (await isFile(path)) return path;
  }
  return undefined;
}

/** The sessions of a person, as Claude Code keeps them. */
export const claudeSessions: SessionFiles = {
  async find(folder, { cwd, id, pids }) {
    if (pids !== undefined) {
      const files = pids.map((pid) => `${folder}/sessions/${pid}.json`)
        .filter((path) => lstatOrUndefined(path)?.isFile === true);
      const [own] = files.flatMap((path) =>
        parseClaudeStatus(readRegularText(path, { maxBytes: MAX_STATUS_BYTES }))?.sessionId ?? []
      );
      return own === undefined ? [] : await claudeSessions.find(folder, { cwd, id: own });
    }
    if (id !== undefined) {
      const file = await findTranscript(folder, { cwd, sessionId: id });
      return file === undefined ? [] : [{ id, file }];
    }
    const own = `${folder}/projects/${slugOf(cwd)}`;
    const found: (OwnSession & { readonly at: number })[] = [];
    for (const { name, isFile } of await Array.fromAsync(Deno.readDir(own)).catch(() => [])) {
      const [, session] = /^([\w-]+)\.jsonl$/.exec(name) ?? [];
      if (!isFile || session === undefined) continue;
      const file = `${own}/${name}`;
      found.push({ id: session, file, at: (await Deno.lstat(file)).mtime?.getTime() ?? 0 });
    }
    return found.toSorted((one, other) => other.at - one.at);
  },
  pathOf: ({ id }, cwd) => `projects/${slugOf(cwd)}/${id}.jsonl`,
};

const MAX_STATUS_BYTES = 64 * 1024;

function slugOf(cwd: string): string {
  return cwd.replace(/[^A-Za-z0-9]/g, "-");
}

/** Where a session's tokens stand; a reply may stand in several files. */
export function transcriptTokens(path: string): TokenFiles {
  const readLine = createTranscriptReader();
  return { listFiles: () => listTranscripts(path), readerOf: () => readLine };
}

/** A session's transcript and those of its sub-agents, which lie in a folder of the session's name (2.1.328). */
async function listTranscripts(path: string): Promise<readonly string[]> {
  const folder = `${path.slice(0, -".jsonl".length)}/subagents`;
  return [path, ...await listBelow(folder, { depth: 3 })];
}

/** The transcripts in a folder; those of a workflow's agents may lie deeper. */
async function listBelow(folder: string, { depth }: { readonly depth: number }): Promise<readonly string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(() => []);
  const found: string[] = [];
  for (const { name, isDirectory, isFile } of entries) {
    if (isFile && name.endsWith(".jsonl")) found.push(`${folder}/${name}`);
    if (isDirectory && depth > 1) found.push(...await listBelow(`${folder}/${name}`, { depth: depth - 1 }));
  }
  return found;
}
