import { isPlainFile } from "../../base/ports/files.ts";
import { openRegularFile, type RegularFile } from "../../base/ports/regular_file.ts";

interface WireLog extends Disposable {
  append(from: "agent" | "us", line: string): void;
}

/** Files of a log: the beginning of an attempt, what was sent last, and the part right before that. */
const [BEGINNING, NEWEST, EARLIER] = ["raw.ndjson", "raw.newest.ndjson", "raw.earlier.ndjson"];

/** How large each part may grow: 16 MiB, as large as the longest line that is taken. */
const MAX_PART_BYTES = 16 * 1024 * 1024;

/**
 * Continues the log in a folder. Its beginning stays in `raw.ndjson`; when that is full, what is sent then goes to
 * `raw.newest.ndjson`, which makes room as `raw.earlier.ndjson` when it is full, too. What is between the beginning and
 * these two is gone, and the newest part says so first.
 *
 * @param maxBytes how large each part may grow. @default {MAX_PART_BYTES}
 */
export function openWireLog(folder: string, maxBytes: number = MAX_PART_BYTES): WireLog {
  const encoder = new TextEncoder();
  const pathOf = (name: string) => `${folder}/${name}`;
  let file: RegularFile | undefined;
  let name = isPlainFile(pathOf(NEWEST)) ? NEWEST : BEGINNING;
  let size = 0;
  const close = () => {
    file?.[Symbol.dispose]();
    file = undefined;
  };
  const open = () => {
    file = openRegularFile(pathOf(name), { access: "append", create: true });
    size = file.stat().size;
    const last = new Uint8Array(1);
    // A writer that was killed may have left half a line.
    if (size > 0 && file.readAt(size - 1, last) === 1 && last[0] !== LINE_END) {
      file.write(new Uint8Array([LINE_END]));
      size++;
    }
    return file;
  };
  const put = (entry: object) => {
    const bytes = encoder.encode(`${JSON.stringify(entry)}\n`);
    let target = file ?? open();
    if (size > 0 && size + bytes.length > maxBytes) {
      close();
      if (name === NEWEST) Deno.renameSync(pathOf(NEWEST), pathOf(EARLIER));
      const note = name === NEWEST
        ? `What was before this is in ${EARLIER}; what was between ${BEGINNING} and that may be gone.`
        : `What was before this is in ${BEGINNING}.`;
      name = NEWEST;
      target = open();
      put({ from: "panewright", note });
    }
    target.write(bytes);
    size += bytes.length;
  };
  return {
    append: (from, line) => put({ from, line }),
    [Symbol.dispose]: close,
  };
}

const LINE_END = 0x0a;
