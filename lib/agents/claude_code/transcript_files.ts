import { isFile } from "../../base/ports/files.ts";
import type { TokenFiles } from "../pane/session_tokens.ts";
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
  const usual = `${projects}/${cwd.replace(/[^A-Za-z0-9]/g, "-")}/${sessionId}.jsonl`;
  if (await isFile(usual)) return usual;
  const folders = await Array.fromAsync(Deno.readDir(projects)).catch(() => []);
  for (const { name } of folders) {
    const path = `${projects}/${name}/${sessionId}.jsonl`;
    if (await isFile(path)) return path;
  }
  return undefined;
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
