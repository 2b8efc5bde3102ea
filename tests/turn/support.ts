import type { ArchivedResponse } from "../../lib/turn/events.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import type { HandoffSettings } from "../../lib/turn/settings.ts";
import { ensureResponseDir, responsePathFor } from "../../lib/turn/response_files.ts";
import type { Role } from "../../lib/base/roles.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { createFakeClock, type FakeClock } from "../support/fake_clock.ts";
import { type ScriptedTerminal, scriptedTerminal, type TerminalScript } from "../support/scripted_terminal.ts";
import { tempDir } from "../support/temp_dir.ts";

/** A turn under test: real files, fake time, a scripted terminal. */
export interface HandoffBench extends AsyncDisposable {
  readonly clock: FakeClock;
  readonly workdir: string;
  readonly archiveDir: string;
  readonly terminal: ScriptedTerminal;
  readonly logs: string[];
  readonly statuses: TerminalStatus[];
  readonly archived: ArchivedResponse[];
  options(settings?: Partial<HandoffSettings>): HandoffOptions;
  /** Writes a role's response file, as an agent does. */
  respond(role: Role, content: string | Uint8Array): Promise<void>;
  /** Names and contents of the archive, in order. */
  archive(): Promise<readonly (readonly [name: string, content: string])[]>;
}

/** Sets up a turn under test. */
export async function createBench(script: TerminalScript): Promise<HandoffBench> {
  const folder = await tempDir();
  const workdir = folder.path;
  await ensureResponseDir(workdir);
  const clock = createFakeClock();
  const archiveDir = `${workdir}/.tmp/archive`;
  const logs: string[] = [];
  const statuses: TerminalStatus[] = [];
  const archived: ArchivedResponse[] = [];
  return {
    clock,
    workdir,
    archiveDir,
    terminal: scriptedTerminal(clock, script),
    logs,
    statuses,
    archived,
    options: (settings = {}) => ({
      workdir,
      archiveDir,
      clock,
      settings,
      log: (line) => logs.push(line),
      onStatus: (status) => statuses.push(status),
      onArchived: (response) => void archived.push(response),
    }),
    respond: (role, content) =>
      Deno.writeFile(
        responsePathFor(workdir, role),
        typeof content === "string" ? new TextEncoder().encode(content) : content,
      ),
    archive: () => readArchive(archiveDir),
    async [Symbol.asyncDispose]() {
      clock[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Names and contents of an archive's files, sorted by name; none when there is no archive. */
export async function readArchive(archiveDir: string): Promise<readonly (readonly [name: string, content: string])[]> {
  const files: [string, string][] = [];
  try {
    for await (const { name } of Deno.readDir(archiveDir)) {
      files.push([name, await Deno.readTextFile(`${archiveDir}/${name}`)]);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return files.sort(([one], [other]) => one < other ? -1 : 1);
}
