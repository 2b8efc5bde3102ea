import { isAbsence } from "../base/ports/files.ts";
import { placesOf, workspaceAround } from "./workspace.ts";

// Programs that serve something, started side by side, would want the same port. Each workspace has a range of its own.

/** Below what systems choose from by themselves (`ip_local_port_range` begins at 32768). */
const FIRST = 20_000;
const RANGE = 20;
const RANGES = 600;

/** Takes a range of ports that no other workspace has; `undefined` where all are taken. */
export function takePorts(name: string): number | undefined {
  const { ports: folder } = placesOf();
  for (let number = 0; number < RANGES; number++) {
    const base = FIRST + number * RANGE;
    try {
      Deno.writeTextFileSync(`${folder}/${base}`, name, { createNew: true, mode: 0o600 });
      return base;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  return undefined;
}

/** Frees what a workspace has taken. */
export function freePorts(name: string): void {
  const { ports: folder } = placesOf();
  for (const entry of entriesOf(folder)) {
    const path = `${folder}/${entry}`;
    if (Deno.readTextFileSync(path) === name) Deno.removeSync(path);
  }
}

/** The variables of what runs in a workspace; none elsewhere. */
export function variablesOfWorkspace(folder: string): Readonly<Record<string, string>> {
  const base = workspaceAround(folder)?.portBase;
  return base === undefined ? {} : { PANEWRIGHT_PORT_BASE: String(base), PANEWRIGHT_PORT_COUNT: String(RANGE) };
}

function entriesOf(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (isAbsence(error)) return [];
    throw error;
  }
}
