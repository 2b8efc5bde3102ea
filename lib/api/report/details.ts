import { dirname } from "@std/path/posix";
import { renderDecision } from "../show/audit_text.ts";
import { byteSize } from "../../journal/words/words.ts";
import { MAX_AUDIT_BYTES } from "../../turn/desk/audit.ts";
import { type ChainedRecord, readAuditRecords } from "../../turn/desk/audit_chain.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { openRegularFile, readRegularFile, readRegularText } from "../../base/ports/regular_file.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { scanRow } from "../../base/text/ansi.ts";
import { parseJsonObject } from "../../base/text/json.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import { plainText } from "../../base/text/sanitize.ts";
import type { ReportDetail } from "./model.ts";
import type { DetailSource, ReportRef } from "../../journal/items/source.ts";

interface DetailOptions {
  readonly folder: RunFolder;
  readonly redactor: Redactor;
  /** The most that is read of a file, and told of it: its beginning and its end. @default {256 KiB} */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 256 * 1024;

const MAX_HASHED_BYTES = 64 * 1024 * 1024;

export type LoadDetail = (source: DetailSource) => Promise<ReportDetail>;

/**
 * Begins to load details of a run. Only what the fold of its journal has named is to be asked for; files are read below
 * the run's folder alone, and no link is followed.
 */
export function createDetailLoader(options: DetailOptions): LoadDetail {
  const { folder, redactor, maxBytes = DEFAULT_MAX_BYTES } = options;
  let audit: { readonly size: number; readonly records: readonly ChainedRecord[] } | undefined;
  const auditRecords = () => {
    const size = lstatOrUndefined(folder.auditPath)?.size ?? 0;
    if (audit?.size !== size) {
      audit = { size, records: readAuditRecords(readRegularText(folder.auditPath, { maxBytes: MAX_AUDIT_BYTES })) };
    }
    return audit.records;
  };
  return async (source) => {
    const { kind, ref, title } = source;
    const head: ReportRef = { kind, ref, title: redactor.text(title) };
    try {
      switch (source.from) {
        case "record":
          return shown(head, ends(new TextEncoder().encode(source.text), maxBytes), redactor);
        case "audit":
          return { ...head, text: redactor.text(auditText(auditRecords(), source.record)) };
        case "file":
          return {
            ...shown(head, readEnds(pathBelow(folder, source.path), maxBytes), redactor),
            ...(kind === "screen" ? sizeOfScreen(pathBelow(folder, source.path)) : {}),
            ...await changeOf(folder, source),
          };
      }
    } catch (error) {
      const reason = error instanceof Deno.errors.NotFound ? "it is not there any more" : errorText(error);
      return { ...head, text: "", problem: `It cannot be shown: ${reason}.` };
    }
  };
}

interface Ends {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly leftOutBytes: number;
}

const HEAD_SHARE = 2 / 3;

function ends(bytes: Uint8Array, maxBytes: number): Ends {
  if (bytes.length <= maxBytes) return { head: bytes, tail: new Uint8Array(), leftOutBytes: 0 };
  const headBytes = Math.ceil(maxBytes * HEAD_SHARE);
  const tail = bytes.subarray(bytes.length - (maxBytes - headBytes));
  return { head: bytes.subarray(0, headBytes), tail, leftOutBytes: bytes.length - maxBytes };
}

function readEnds(path: string, maxBytes: number): Ends {
  using file = openRegularFile(path, { access: "read" });
  const { size } = file.stat();
  const read = (offset: number, length: number) => {
    const bytes = new Uint8Array(length);
    return bytes.subarray(0, file.readAt(offset, bytes));
  };
  if (size <= maxBytes) return { head: read(0, size), tail: new Uint8Array(), leftOutBytes: 0 };
  const headBytes = Math.ceil(maxBytes * HEAD_SHARE);
  const tailBytes = maxBytes - headBytes;
  return { head: read(0, headBytes), tail: read(size - tailBytes, tailBytes), leftOutBytes: size - maxBytes };
}

/** What is cut off is redacted first: a secret that the cut had halved would not be known for one. */
function shown(head: ReportRef, { leftOutBytes, ...ends }: Ends, redactor: Redactor): ReportDetail {
  const decoder = new TextDecoder();
  const begin = redactor.text(decoder.decode(ends.head));
  if (leftOutBytes === 0) return { ...head, text: harmless(head.kind, begin) };
  const end = redactor.text(decoder.decode(ends.tail).replace(REST_OF_KEY, ""));
  const leftOut = `${byteSize(leftOutBytes)} in the middle are left out`;
  const text = `${begin.slice(0, lastCut(begin))}\n[${leftOut}]\n${end.slice(firstCut(end))}`;
  return { ...head, text: harmless(head.kind, text), leftOut };
}

const REST_OF_KEY = /^(?:(?!-----BEGIN )[^])*?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/;

/** Where no line ends near, so many characters go with what is cut: no secret is longer. */
const CUT_CHARS = 4096;

function lastCut(text: string): number {
  const lineEnd = text.lastIndexOf("\n");
  return Math.max(lineEnd, text.length - CUT_CHARS, 0);
}

function firstCut(text: string): number {
  const lineEnd = text.indexOf("\n") + 1;
  return lineEnd > 0 ? Math.min(lineEnd, CUT_CHARS) : Math.min(CUT_CHARS, text.length);
}

const REORDERING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/** Text that acts upon nothing: a screen keeps its styles, everything else has none. */
function harmless(kind: ReportDetail["kind"], text: string): string {
  const plain = kind === "screen" ? text.split("\n").map(styledRow).join("\n") : plainText(text);
  return plain.replaceAll(REORDERING, (mark) => `\\u${mark.charCodeAt(0).toString(16)}`);
}

function styledRow(raw: string): string {
  let row = "";
  scanRow(raw, (start, end) => row += raw.slice(start, end), (params) => row += `\x1b[${params}m`);
  return row;
}

const FOLDERS = new Set(["messages", "responses", "evidence", "replies", "steps", "agents", "changes"]);

/** The path of a file in a run's folder, by the journal's word: the agents can write to both. */
function pathBelow({ path }: RunFolder, relative: string): string {
  const names = relative.split("/");
  const isOwn = FOLDERS.has(names[0] ?? "") && names.every((name) => !["", ".", ".."].includes(name));
  if (!isOwn) throw new Error("the journal names a place in which the run keeps nothing");
  for (let folder = dirname(`${path}/${relative}`); folder.length > path.length; folder = dirname(folder)) {
    if (lstatOrUndefined(folder)?.isSymlink === true) throw new Error("a link stands in the place of its folder");
  }
  return `${path}/${relative}`;
}

async function changeOf(
  folder: RunFolder,
  { path, sha256 }: Extract<DetailSource, { readonly from: "file" }>,
): Promise<{ readonly note?: string }> {
  if (sha256 === undefined) return {};
  const bytes = readRegularFile(pathBelow(folder, path), { maxBytes: MAX_HASHED_BYTES });
  return await sha256Hex(bytes) === sha256 ? {} : { note: "It was changed after the run had received it." };
}

function sizeOfScreen(path: string): { readonly columns?: number; readonly rows?: number } {
  try {
    const text = readRegularText(path.replace(/\.ansi$/, ".json"), { maxBytes: 64 * 1024 });
    const { cols: columns, rows } = parseJsonObject(text) ?? {};
    return { ...(isSize(columns) ? { columns } : {}), ...(isSize(rows) ? { rows } : {}) };
  } catch {
    return {};
  }
}

function isSize(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) <= 10_000;
}

function auditText(records: readonly ChainedRecord[], seq: number): string {
  const record = records.find((each) => each.seq === seq);
  // The journal says where the log ended with the decision; an outcome may have come before that was told.
  const decision = record?.type === "outcome" ? records.find((each) => each.seq === record["of"]) : record;
  if (decision?.type !== "decision") throw new Error("the audit log has no such decision");
  const outcome = records.find((each) => each.type === "outcome" && each["of"] === decision.seq);
  return renderDecision(decision, outcome, { screens: true });
}
