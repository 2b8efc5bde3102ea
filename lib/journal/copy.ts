import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { openRegularFile, readRegularFile, type RegularFile } from "../base/ports/regular_file.ts";
import { errorText } from "../base/text/error_text.ts";
import { MAX_JOURNAL_BYTES } from "./paths.ts";

interface CopyOptions {
  /** The journal that is copied; it is as it should be when the copy is opened, and after each line. */
  readonly of: string;
  readonly warn: ((message: string) => void) | undefined;
  /** Has the folder that it is in be there, where somebody has removed it. */
  readonly restore: (() => void) | undefined;
}

/**
 * Opens the copy of a journal in the working directory, and makes it the same. Agents can write there: what somebody has
 * made of it is kept in a file beside it, and a copy that cannot be written is told once, and no reason to stop.
 */
export function openCopy(path: string, { of, restore, warn }: CopyOptions) {
  let file: RegularFile | undefined;
  let size = 0;
  let failed = false;
  const attempt = (act: () => void) => {
    try {
      if (!failed) act();
    } catch (error) {
      // An agent is removing the folder: the next record finds it again.
      if (isAbsence(error)) return;
      failed = true;
      warn?.(`Cannot keep a copy of the journal in ${path}: ${errorText(error)}`);
    }
  };
  const renew = () => {
    file?.[Symbol.dispose]();
    file = undefined;
    const whole = readRegularFile(of, { maxBytes: MAX_JOURNAL_BYTES });
    if (lstatOrUndefined(path) !== undefined && !isBeginning(path, whole)) setAside(path, warn);
    file = openRegularFile(path, { access: "append", create: true });
    const { size: length } = file.stat();
    file.write(whole.subarray(length));
    size = whole.length;
  };
  attempt(renew);
  return {
    /** Adds what was written to the journal, which has it already. */
    add(bytes: Uint8Array): void {
      attempt(() => {
        restore?.();
        if (file === undefined || !isUntouched(path, file, size)) return renew();
        file.write(bytes);
        size += bytes.length;
      });
    },
    [Symbol.dispose]: () => file?.[Symbol.dispose](),
  };
}

function isUntouched(path: string, file: RegularFile, size: number): boolean {
  const [seen, opened] = [lstatOrUndefined(path), file.stat()];
  return seen?.ino === opened.ino && seen.dev === opened.dev && opened.size === size;
}

/** Whether there is a file of which all is the beginning of these bytes. */
function isBeginning(path: string, whole: Uint8Array): boolean {
  if (lstatOrUndefined(path)?.isFile !== true) return false;
  const copy = readRegularFile(path, { maxBytes: MAX_JOURNAL_BYTES });
  return copy.length <= whole.length && copy.every((byte, index) => byte === whole[index]);
}

function setAside(path: string, warn: CopyOptions["warn"]): void {
  const numbers = Array.from({ length: MAX_KEPT }, (_, index) => index + 1);
  const keptAs = numbers.map((number) => `${path}.differs-${number}`).find((name) =>
    lstatOrUndefined(name) === undefined
  );
  if (keptAs === undefined) throw new Error(`it was changed ${MAX_KEPT} times`);
  Deno.renameSync(path, keptAs);
  warn?.(`somebody has changed the copy of the journal: it is kept as ${keptAs}, and nothing in it is believed`);
}

const MAX_KEPT = 20;
