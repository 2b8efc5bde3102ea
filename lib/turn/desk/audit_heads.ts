import { basename, dirname } from "@std/path/posix";
import { openRegularFile, readRegularText, type RegularFile } from "../../base/ports/regular_file.ts";
import { makeOwnFolder, stateFolder } from "../../base/ports/state_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { AuditEnd } from "./audit_chain.ts";

/**
 * The file with the copy of an audit log's heads, outside of the working directory; `undefined` where the person has no
 * state folder, or wants no copy (`PANEWRIGHT_AUDIT_COPY=0`).
 */
export function auditHeadsPath(
  { id }: { readonly id: string },
  env: (name: string) => string | undefined,
): string | undefined {
  const folder = stateFolder(env);
  return folder === undefined || env("PANEWRIGHT_AUDIT_COPY") === "0" ? undefined : `${folder}/audit/${id}.ndjson`;
}

export type AuditHeads = ReturnType<typeof openAuditHeads>;

/** The most that a copy may have: 64 MiB. */
const MAX_HEADS_BYTES = 64 * 1024 * 1024;

/**
 * Opens a copy of an audit log's heads, made when the first one is added: its folder and file are its owner's alone.
 */
export function openAuditHeads(
  path: string | undefined,
  { onProblem }: { readonly onProblem: (message: string) => void },
) {
  let file: RegularFile | undefined;
  let failed = path === undefined;
  return {
    /** Adds a head. A copy that cannot be written is told once, and no reason to stop. */
    add(head: AuditEnd): void {
      if (failed || path === undefined) return;
      try {
        file ??= openCopy(path);
        file.write(new TextEncoder().encode(`${JSON.stringify(head)}\n`));
        file.sync();
      } catch (error) {
        failed = true;
        onProblem(`Cannot keep a copy of the audit log's heads in ${path}: ${errorText(error)}`);
      }
    },
    [Symbol.dispose]: () => file?.[Symbol.dispose](),
  };
}

function openCopy(path: string): RegularFile {
  const folder = dirname(path);
  makeOwnFolder(dirname(folder));
  makeOwnFolder(folder);
  return openRegularFile(path, { access: "append", create: true });
}

/**
 * The heads in a copy, oldest first; none where there is no copy. A last line without its end does not count.
 *
 * @throws {UnreadableFileError} when something else stands in its place
 * @throws {SyntaxError} when a line cannot be read
 */
export function readAuditHeads(path: string): readonly AuditEnd[] {
  let text: string;
  try {
    text = readRegularText(path, { maxBytes: MAX_HEADS_BYTES });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
  return text.split("\n").slice(0, -1).map((line) => readHead(line, path));
}

function readHead(line: string, path: string): AuditEnd {
  const { records, hash } = JSON.parse(line) as Partial<AuditEnd>;
  if (!Number.isSafeInteger(records) || typeof hash !== "string") {
    throw new SyntaxError(`${basename(path)} has a line that is not a head`);
  }
  return { records: records!, hash };
}
