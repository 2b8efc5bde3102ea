import type { AcpActivity } from "../agents/acp/activity.ts";
import { openRegularFile, type RegularFile } from "../base/ports/regular_file.ts";
import type { Redactor } from "../base/redact/redactor.ts";
import { abridge } from "../base/text/abridge.ts";
import { errorText } from "../base/text/error_text.ts";
import { plainText } from "../base/text/sanitize.ts";
import { activityLine, earlierPathOf, MAX_ACTIVITY_BYTES } from "./activity_file.ts";

/** Keeps what an agent does. It never throws: a run does not end because nobody can watch it. */
export interface ActivityWriter extends Disposable {
  write(activity: AcpActivity): void;
}

interface ActivityWriterOptions {
  readonly redactor: Redactor;
  /** Told once, when something could not be kept; what comes after that is tried again. */
  readonly onProblem: (message: string) => void;
  readonly wallClock?: () => Date;
  readonly maxBytes?: number;
}

const MAX_TEXT = 16 * 1024;
const MAX_ENTRIES = 100;
const MAX_ID = 200;

/** A line of a piecewise text that is longer is not waited for. */
const MAX_LINE = 4 * 1024;

/** Rows before a piece that are looked at with it: a secret may be wrapped. */
const CONTEXT_ROWS = 2;

/**
 * Appends what an agent does to a file, redacted and bounded. Pieces of a text are kept line by line, so that no secret
 * is hidden by being told in two pieces; all of it is there when something else is told, or at disposal.
 *
 * @param path its folder is made where it is missing
 */
export function openActivityWriter(path: string, options: ActivityWriterOptions): ActivityWriter {
  const { redactor, wallClock = () => new Date() } = options;
  const file = openFile(path, options);
  let piecewise: Piecewise | undefined;
  const write = (activity: AcpActivity) => file.append(activityLine({ at: wallClock().toISOString(), activity }));
  const flush = (isWhole: boolean) => {
    const text = piecewise?.take(isWhole) ?? "";
    if (text !== "") write({ ...piecewise!.first, text: abridge(text, { maxChars: MAX_TEXT }) });
  };
  return {
    write(activity) {
      if (piecewise !== undefined && !continues(piecewise.first, activity)) {
        flush(true);
        piecewise = undefined;
      }
      if (!isPiece(activity)) return write(bounded(activity, redactor));
      if (activity.text.length > MAX_TEXT) {
        flush(true);
        return write(bounded(activity, redactor));
      }
      piecewise ??= createPiecewise(activity, redactor);
      piecewise.add(activity.text);
      flush(false);
    },
    [Symbol.dispose]() {
      flush(true);
      file[Symbol.dispose]();
    },
  };
}

type Piece = Extract<AcpActivity, { readonly type: "message" | "thought" | "tool_output" }>;

function isPiece(activity: AcpActivity): activity is Piece {
  return activity.type === "message" || activity.type === "thought" || activity.type === "tool_output";
}

function continues(before: Piece, activity: AcpActivity): boolean {
  return isPiece(activity) && activity.type === before.type && activity.id === before.id;
}

interface Piecewise {
  readonly first: Piece;
  add(text: string): void;
  /** The lines that are complete and were not taken yet, or all that is left of the text. */
  take(isWhole: boolean): string;
}

function createPiecewise(first: Piece, redactor: Redactor): Piecewise {
  let rest = "";
  let context: readonly string[] = [];
  return {
    first: first.id === undefined ? first : { ...first, id: first.id.slice(0, MAX_ID) },
    add(text) {
      rest += text;
    },
    take(isWhole) {
      const end = isWhole ? rest.length : endOfTaken(rest);
      if (end === 0) return "";
      const taken = rest.slice(0, end);
      rest = rest.slice(end);
      const rows = plainText(taken).replace(/\n$/, "").split("\n");
      const shown = redactor.rows([...context, ...rows]).slice(context.length).join("\n");
      context = contextAfter([...context, ...rows]);
      return `${shown}${taken.endsWith("\n") ? "\n" : ""}`;
    },
  };
}

function endOfTaken(text: string): number {
  const lines = text.lastIndexOf("\n") + 1;
  if (text.length - lines <= MAX_LINE) return lines;
  const words = text.search(/\s\S*$/) + 1;
  return words > lines ? words : text.length;
}

/** What the next rows are looked at with: of a private key that has not ended its first row, which tells that it is one. */
function contextAfter(rows: readonly string[]): readonly string[] {
  const begin = rows.findLastIndex((row) => row.includes("-----BEGIN "));
  const isOpen = begin >= 0 && !rows.slice(begin).some((row) => row.includes("-----END "));
  return isOpen ? [rows[begin]!] : rows.slice(-CONTEXT_ROWS);
}

/** Fields that are not texts of an agent, or are needed as they are. */
const KEPT = new Set(["type", "id", "sessionId", "kind", "status", "answer"]);

function bounded(activity: AcpActivity, redactor: Redactor): AcpActivity {
  return limited(activity, (text) => redactor.text(plainText(text))) as AcpActivity;
}

function limited(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return shortened(value, clean);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((one) => limited(one, clean));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, one]) => {
    const isKept = KEPT.has(name) && typeof one === "string";
    return [name, isKept ? one.slice(0, MAX_ID) : limited(one, clean)];
  });
  return Object.fromEntries(entries);
}

function shortened(text: string, clean: (text: string) => string): string {
  if (text.length <= 4 * MAX_TEXT) return abridge(clean(text), { maxChars: MAX_TEXT });
  const half = MAX_TEXT / 2;
  const head = clean(text.slice(0, MAX_TEXT)).slice(0, half).toWellFormed();
  const tail = clean(text.slice(-MAX_TEXT)).slice(-half).toWellFormed();
  return `${head}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`;
}

interface AppendedFile extends Disposable {
  append(line: string): void;
}

function openFile(path: string, { onProblem, maxBytes = MAX_ACTIVITY_BYTES }: ActivityWriterOptions): AppendedFile {
  let file: RegularFile | undefined;
  let size = 0;
  let hasFailed = false;
  const close = () => {
    file?.[Symbol.dispose]();
    file = undefined;
  };
  const open = () => {
    makeFolderOf(path);
    file = openRegularFile(path, { access: "append", create: true });
    size = file.stat().size;
    const last = new Uint8Array(1);
    // A writer that was killed may have left half a line.
    if (size > 0 && file.readAt(size - 1, last) === 1 && last[0] !== LINE_END) put(new Uint8Array([LINE_END]));
  };
  const put = (bytes: Uint8Array) => {
    file!.write(bytes);
    size += bytes.length;
  };
  return {
    append(line) {
      try {
        const bytes = new TextEncoder().encode(line);
        if (file === undefined) open();
        if (size > 0 && size + bytes.length > maxBytes) {
          close();
          Deno.renameSync(path, earlierPathOf(path));
          open();
        }
        put(bytes);
      } catch (error) {
        close();
        if (!hasFailed) onProblem(`what the agent does is not kept in ${path}: ${errorText(error)}`);
        hasFailed = true;
      }
    },
    [Symbol.dispose]: close,
  };
}

const LINE_END = 0x0a;

function makeFolderOf(path: string): void {
  const folder = path.slice(0, path.lastIndexOf("/"));
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  // A link in its place would lead elsewhere.
  if (!Deno.lstatSync(folder).isDirectory) throw new Error(`${folder} is not a folder`);
}
