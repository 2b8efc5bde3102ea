/**
 * What a person can do when the operating system refuses to write a file, from the error or its causes; `undefined`
 * for errors of other kinds.
 */
export function hintOfWriteError(error: unknown): string | undefined {
  let current = error;
  for (let depth = 0; current instanceof Error && depth < MAX_DEPTH; depth++) {
    const hint = HINTS[codeOf(current)];
    if (hint !== undefined) return hint;
    current = current.cause;
  }
  return undefined;
}

const MAX_DEPTH = 8;

const NOT_WRITABLE = "Make the file and its folder writable for the user who runs panewright.";

const HINTS: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full: free some space.",
  EDQUOT: "The disk quota is used up: free some space.",
  EFBIG: "The file would exceed the limit on file sizes (ulimit -f): raise the limit.",
  EROFS: "The file system is mounted read-only: make it writable.",
  EACCES: NOT_WRITABLE,
  EPERM: NOT_WRITABLE,
};

/** Linux error numbers for which Deno 2.9.6 has no code. */
const CODES: Readonly<Record<string, string>> = { 27: "EFBIG", 28: "ENOSPC", 30: "EROFS", 122: "EDQUOT" };

function codeOf(error: Error): string {
  if ("code" in error && typeof error.code === "string") return error.code;
  const number = /\(os error (\d+)\)/.exec(error.message)?.[1];
  return number === undefined ? "" : CODES[number] ?? "";
}
