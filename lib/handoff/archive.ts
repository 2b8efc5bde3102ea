import { RuntimeError } from "../errors.ts";
import { errorText } from "../text/error_text.ts";

/**
 * The archive of a program that names none: `<workdir>/.tmp/<YYYYMMDD-HHMMSS>`, the time (UTC) being the program's start.
 *
 * @param startedAtMs milliseconds since the epoch
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(defaultArchiveDir("/job", Date.UTC(2026, 10, 20, 7, 5, 9)), "/job/.tmp/20261120-070509");
 * ```
 */
export function defaultArchiveDir(workdir: string, startedAtMs = performance.timeOrigin): string {
  const [date, time] = new Date(startedAtMs).toISOString().slice(0, 19).split("T") as [string, string];
  return `${workdir}/.tmp/${date.replaceAll("-", "")}-${time.replaceAll(":", "")}`;
}

/**
 * Moves a file to `<archiveDir>/NNN-<label>.md`, NNN being one more than the highest number there, 001 at first.
 *
 * Nothing is ever overwritten: the new name is reserved by creating it, and the move replaces the reservation. A crash
 * leaves the file at its old place or at its new one. The file keeps its identity where both are on one file system.
 *
 * @returns the new path
 * @throws {RuntimeError} when the archive cannot be written
 */
export function moveToArchive(source: string, archiveDir: string, label: string): string {
  try {
    Deno.mkdirSync(archiveDir, { recursive: true });
    const target = reserveNext(archiveDir, label);
    try {
      moveOver(source, target);
    } catch (error) {
      Deno.removeSync(target);
      throw error;
    }
    return target;
  } catch (error) {
    throw new RuntimeError(`Cannot archive ${source} in ${archiveDir}: ${errorText(error)}`, { cause: error });
  }
}

/**
 * Writes a text to the archive, under the next name like {@linkcode moveToArchive}.
 *
 * @throws {RuntimeError} when the archive cannot be written
 */
export function writeToArchive(
  text: string,
  archiveDir: string,
  label: string,
): { readonly path: string; readonly bytes: number } {
  try {
    Deno.mkdirSync(archiveDir, { recursive: true });
    const path = reserveNext(archiveDir, label);
    const bytes = new TextEncoder().encode(text);
    Deno.writeFileSync(path, bytes);
    return { path, bytes: bytes.length };
  } catch (error) {
    throw new RuntimeError(`Cannot write in ${archiveDir}: ${errorText(error)}`, { cause: error });
  }
}

function reserveNext(archiveDir: string, label: string): string {
  for (let number = highestNumber(archiveDir) + 1;; number++) {
    const path = `${archiveDir}/${String(number).padStart(3, "0")}-${label}.md`;
    try {
      Deno.openSync(path, { write: true, createNew: true }).close();
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

function highestNumber(archiveDir: string): number {
  let highest = 0;
  for (const { name } of Deno.readDirSync(archiveDir)) {
    const number = /^(\d{3,9})-/.exec(name)?.[1];
    if (number !== undefined) highest = Math.max(highest, Number(number));
  }
  return highest;
}

function moveOver(source: string, reserved: string): void {
  try {
    Deno.renameSync(source, reserved);
  } catch (error) {
    if (!isCrossDevice(error)) throw error;
    Deno.copyFileSync(source, reserved);
    using copy = Deno.openSync(reserved, { write: true });
    copy.syncSync();
    Deno.removeSync(source);
  }
}

function isCrossDevice(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EXDEV";
}
