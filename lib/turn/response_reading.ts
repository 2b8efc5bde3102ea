import { resolve } from "@std/path/posix";
import { RuntimeError } from "../base/errors.ts";
import { moveToArchive } from "./archive.ts";
import { removeIfThere } from "../base/ports/files.ts";
import { openRegularFile, readRegularFile, type RegularFile } from "../base/ports/regular_file.ts";
import { errorText } from "../base/text/error_text.ts";
import { lookAtResponsePath, PROBE_PREFIX, responseDirFor, responsePathOf } from "./response_files.ts";
import type { Role } from "../base/roles.ts";

/** Where a response is expected, and what it must be to count. */
export interface ResponsePlace {
  readonly workdir: string;
  readonly role: Role;
  readonly maxBytes: number;
  /** From `markDispatch`; without it a file of any age counts. */
  readonly dispatch?: DispatchMark;
}

/** When a prompt was dispatched, by the file system's own clock: older files answer nothing. */
export interface DispatchMark {
  /** Its time, in milliseconds. */
  readonly mtimeMs: number;
  /**
   * The same moment on this process' own clock (`performance.now()`), to tell whether the other one was set back since
   * then. Missing for a mark of another process.
   */
  readonly monotonicMs?: number;
}

/**
 * What is at a response path; two looks with the same `identity` saw the same, unchanged file. What is `unusable` the
 * agent can replace; of what is `refused`, nothing may be written or read there.
 */
export type ResponseLook =
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "unusable"; readonly problem: string; readonly inTheWay: boolean }
  | { readonly kind: "present"; readonly identity: string };

type ResponseContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly problem: string };

/**
 * Marks when a prompt is dispatched, so that an older file is not taken for its answer.
 *
 * The mark is the modification time of a file that is created (and removed again) beside the responses. So both times
 * come from the same clock, however coarse or skewed it is (a network share).
 */
export function markDispatch(workdir: string): Required<DispatchMark> {
  const dir = responseDirFor(workdir);
  try {
    return { mtimeMs: fileSystemNow(dir), monotonicMs: performance.now() };
  } catch (error) {
    throw new RuntimeError(`Cannot write in ${dir}: ${errorText(error)}`, { cause: error });
  }
}

/**
 * The dispatch of an earlier process, as a mark of this one. If the file system's clock shows an earlier time, it was
 * set back meanwhile: then no file can be said to be older than the prompt, and those that were had been moved away.
 */
export function takeUpDispatch(workdir: string, earlier: DispatchMark): DispatchMark {
  const now = markDispatch(workdir);
  if (now.mtimeMs < earlier.mtimeMs) return { mtimeMs: -Infinity };
  return { mtimeMs: earlier.mtimeMs, monotonicMs: now.monotonicMs - (now.mtimeMs - earlier.mtimeMs) };
}

function fileSystemNow(dir: string): number {
  const probe = `${dir}/${PROBE_PREFIX}${crypto.randomUUID()}`;
  using file = Deno.openSync(probe, { write: true, createNew: true, mode: 0o600 });
  try {
    return mtimeOf(file.statSync());
  } finally {
    removeIfThere(probe);
  }
}

/** A smaller difference comes from a coarse or drifting clock, not from one that was set back. */
const SET_BACK_MS = 2000;

/**
 * The time from which on a file counts as later than the prompt. If the file system's clock was set back since, the
 * times of new files are earlier by as much.
 */
function earliestTime({ mtimeMs, monotonicMs }: DispatchMark, dir: string): number {
  if (monotonicMs === undefined) return mtimeMs;
  const expectedMs = mtimeMs + performance.now() - monotonicMs;
  const setBackMs = expectedMs - fileSystemNow(dir);
  return setBackMs > SET_BACK_MS ? mtimeMs - setBackMs - SET_BACK_MS : mtimeMs;
}

function isOlderThanPrompt(info: FileLook, { dispatch, workdir }: ResponsePlace): boolean {
  if (dispatch === undefined || mtimeOf(info) >= dispatch.mtimeMs) return false;
  return mtimeOf(info) < earliestTime(dispatch, responseDirFor(workdir));
}

export function lookAtResponse(place: ResponsePlace): ResponseLook {
  try {
    return lookAtPath(place);
  } catch (error) {
    return { kind: "refused", problem: `it cannot be looked at: ${errorText(error)}` };
  }
}

function lookAtPath(place: ResponsePlace): ResponseLook {
  const { problem, info } = lookAtResponsePath(place.workdir, place.role);
  if (problem !== undefined) {
    return info === undefined ? { kind: "refused", problem } : { kind: "unusable", problem, inTheWay: true };
  }
  if (info === undefined) return { kind: "missing" };
  if (info.size > place.maxBytes) {
    const tooLong = `it has ${info.size} bytes, more than the ${place.maxBytes} that are allowed`;
    return { kind: "unusable", problem: tooLong, inTheWay: false };
  }
  return { kind: "present", identity: identityOf(info) };
}

export function hasResponse(place: ResponsePlace): boolean {
  return lookAtResponse(place).kind === "present" && readResponse(place).kind === "text";
}

export function readResponse(place: ResponsePlace): ResponseContent {
  const path = responsePathOf(place.workdir, place.role);
  try {
    using file = openRegularFile(path, { access: "read" });
    const info = file.stat();
    // The path may have been replaced since it was looked at: what is open must be what stands there, and no link.
    if (identityOf(info) !== identityOf(Deno.lstatSync(path))) return unusable("it was replaced while it was read");
    if (isOlderThanPrompt(info, place)) return unusable("it is older than the prompt");
    const text = responseText(readStart(file, Math.min(info.size, place.maxBytes)));
    if (text === undefined) return unusable("it is not valid UTF-8");
    if (text.trim() === "") return unusable("it is empty");
    return { kind: "text", text };
  } catch (error) {
    return unusable(`it cannot be read: ${errorText(error)}`);
  }
}

/**
 * Moves a response that was read and found usable to the archive, and returns what the archive then holds: the later
 * text, if the file was replaced after it was read.
 */
export function archiveResponse(
  place: ResponsePlace,
  archiveDir: string,
): { readonly path: string; readonly text: string; readonly bytes: number } {
  const path = moveToArchive(responsePathOf(place.workdir, place.role), {
    archiveDir: resolve(archiveDir),
    label: place.role,
  });
  const bytes = Deno.lstatSync(path).isFile ? readRegularFile(path, place) : new Uint8Array();
  const text = responseText(bytes);
  if (text === undefined || text.trim() === "") {
    throw new RuntimeError(`Cannot use the response of ${place.role}: it was overwritten while it was read`, {
      hint: `What was found instead is ${path}.`,
    });
  }
  return { path, text, bytes: bytes.length };
}

type FileLook = Pick<Deno.FileInfo, "dev" | "ino" | "size" | "mtime">;

function unusable(problem: string): ResponseContent {
  return { kind: "unusable", problem };
}

function readStart(file: RegularFile, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  return bytes.subarray(0, file.readAt(0, bytes));
}

export function responseText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

function identityOf(info: FileLook): string {
  return [info.dev, info.ino, info.size, mtimeOf(info)].join(":");
}

function mtimeOf(info: FileLook): number {
  return info.mtime?.getTime() ?? 0;
}
