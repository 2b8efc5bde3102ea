import { openRegularFile, type RegularFile } from "../base/ports/regular_file.ts";
import { redactorOf } from "../base/redact/redactor.ts";
import { plainText } from "../base/text/sanitize.ts";
import type { CliIo } from "./console/command.ts";

interface DetachedIo extends Disposable {
  readonly io: CliIo;
  keepIn(logPath: string): void;
}

/** The most that a log may have before it makes way for a new one; the one before is kept, too. */
const MAX_LOG_BYTES = 1024 * 1024;
const MAX_EARLY_CHARS = 64 * 1024;

export function openDetachedIo(
  given: CliIo,
  { stdinBytes = 0 }: { readonly stdinBytes?: number | undefined },
): DetachedIo {
  const redactor = redactorOf();
  let log: { readonly path: string; readonly file: RegularFile } | undefined;
  let early = "";
  const keep = (text: string) => {
    if (log === undefined) {
      early = `${early}${text}`.slice(0, MAX_EARLY_CHARS);
      return;
    }
    try {
      if (log.file.stat().size > MAX_LOG_BYTES) {
        log.file[Symbol.dispose]();
        Deno.renameSync(log.path, `${log.path}.1`);
        log = { path: log.path, file: openRegularFile(log.path, { access: "append", create: true }) };
      }
      log.file.write(new TextEncoder().encode(redactor.text(plainText(text))));
    } catch { /* a run does not end because nobody can read of it here: its journal tells the same */ }
  };
  const io: CliIo = {
    ...given,
    stdout: keep,
    stderr(text) {
      if (log === undefined) given.stderr(text);
      keep(text);
    },
    // Spreading would only take its value.
    get cwd() {
      return given.cwd;
    },
    isTerminal: { stdin: false, stdout: false, stderr: false },
    columns: () => 120,
    async readStdin() {
      const bytes = stdinBytes === 0 ? new Uint8Array() : await given.readStdin();
      if (bytes.length === stdinBytes) return bytes;
      throw new Error(`standard input has ${bytes.length} bytes in place of ${stdinBytes}`);
    },
  };
  return {
    io,
    keepIn(path) {
      try {
        log = { path, file: openRegularFile(path, { access: "append", create: true }) };
      } catch { /* as above */ }
      keep(early);
      early = "";
    },
    [Symbol.dispose]: () => log?.file[Symbol.dispose](),
  };
}
