import { PANE_MARK_VARIABLE } from "../../lib/base/ports/marks.ts";
import { relative } from "@std/path/posix";
import { walk } from "@std/fs";
import type { RunFolder } from "../../lib/run/run_folder.ts";
import { findMarkedPids } from "../../lib/base/ports/end_processes.ts";
import { sha256Hex } from "../../lib/base/text/digest.ts";
import type { Agents } from "./agents.ts";
import type { ArchivedFile, JobEvidence } from "./evidence.ts";
import type { ResponsePlace } from "./response_place.ts";
import { readRun } from "./run_so_far.ts";
import type { Stage } from "./stage.ts";

/** All that a job has left behind; undefined where it has not begun. */
export async function collectEvidence(
  stage: Stage,
  { agents, place }: { readonly agents: Agents; readonly place: ResponsePlace },
): Promise<JobEvidence | undefined> {
  const { sandbox } = stage;
  const run = await readRun(stage);
  if (run === undefined) return undefined;
  const journal = await Deno.readTextFile(run.folder.journalPath);
  return {
    runId: run.folder.id,
    journal,
    archive: await readArchive(run.folder),
    files: await readProject(sandbox.project),
    deliveries: await stage.deliveries(),
    deaths: agents.deaths,
    leftovers: await findLeftovers(stage, { journal, place }),
  };
}

async function readArchive({ path: folder, responsesDir }: RunFolder): Promise<readonly ArchivedFile[]> {
  const entries = await Array.fromAsync(walk(responsesDir, { includeDirs: false }));
  return await Promise.all(entries.map(async ({ path }) => {
    const content = await Deno.readFile(path);
    return { path: relative(folder, path), bytes: content.length, sha256: await sha256Hex(content) };
  }));
}

/** The texts of the project's own files. */
async function readProject(project: string): Promise<Readonly<Record<string, string>>> {
  const entries = await Array.fromAsync(walk(project, { includeDirs: false, skip: [/\/\.(panewright|tmp)\//] }));
  const texts = entries.map(async ({ path }) => [path.slice(project.length + 1), await Deno.readTextFile(path)]);
  return Object.fromEntries(await Promise.all(texts));
}

/** Processes, tmux servers, temporary files and response files that nobody took. */
async function findLeftovers(
  { sandbox }: Stage,
  { journal, place }: { readonly journal: string; readonly place: ResponsePlace },
): Promise<readonly string[]> {
  const left: string[] = [];
  await sandbox.assertNothingLeft().catch((error: Error) => left.push(error.message));
  for (const [, mark] of journal.matchAll(/"type":"session_opening".*"mark":"([^"]+)"/g)) {
    const pids = await findMarkedPids({ name: PANE_MARK_VARIABLE, value: mark ?? "" });
    if (pids.length > 0) left.push(`processes with the mark of a session of the run: ${pids.join(", ")}`);
  }
  for await (const { path } of walk(place.responsesDir, { includeDirs: false })) {
    left.push(`response file ${path}`);
  }
  return left;
}

/** Copies a project, with the journal of its run, out of what is removed, and what was done to it. */
export async function keepProject(
  { sandbox }: Stage,
  { folder, violations, story }: {
    readonly folder: string;
    readonly violations: readonly string[];
    readonly story: readonly string[];
  },
): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => {});
  for await (const { path, isFile } of walk(sandbox.project)) {
    const target = `${folder}/project${path.slice(sandbox.project.length)}`;
    if (isFile) await Deno.copyFile(path, target);
    else await Deno.mkdir(target, { recursive: true });
  }
  await Deno.writeTextFile(`${folder}/story.txt`, [...violations, ...story].join("\n"));
}
