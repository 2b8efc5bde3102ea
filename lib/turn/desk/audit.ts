import { canonicalJson } from "../../base/text/json.ts";
import { PanewrightError } from "../../base/errors.ts";
import { createRedactor } from "../../base/redact/redactor.ts";
import { AUDIT_VERSION, type AuditEnd, type ChainedRecord, chainRecord, checkChain, NO_HASH } from "./audit_chain.ts";
import { dirname } from "@std/path/posix";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { openRegularFile, readRegularFile, type RegularFile } from "../../base/ports/regular_file.ts";
import type { AuditHeads } from "./audit_heads.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Request } from "../../policy/request.ts";

/** The most that an audit log may have: 256 MiB. A decision takes some kilobytes. */
export const MAX_AUDIT_BYTES = 256 * 1024 * 1024;

/** A decision about a dialog, as it is written down before anything is done about it. */
export interface AuditDecision {
  readonly role: string;
  readonly terminal: string;
  readonly provider: string;
  readonly kind: string;
  readonly command: string | undefined;
  /** Where `command` comes from, which is then exact; missing where it is only what the screen shows. */
  readonly source?: Request["source"];
  /** The folder in which it would run, where that is known. */
  readonly cwd?: string;
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
  readonly reason: string;
  /**
   * The keys that answer it (tmux names), `paste` for the words that the reason has, or `raw` for the keys that `command`
   * has; none where none is pressed.
   */
  readonly keys: readonly string[];
  readonly before: readonly string[];
}

interface AuditOutcome {
  /** What the effect came to, in a word or a sentence: `closed`. */
  readonly result: string;
  readonly after: readonly string[];
}

/** An append-only log of what was decided about dialogs, each record chained to the one before by its hash. */
export interface AuditLog extends Disposable {
  /** The last record: kept elsewhere, it tells a log whose end was cut off. */
  readonly end: AuditEnd;
  /**
   * Writes a decision to the disk, and only then carries it out. The outcome gets a record of its own, even if the
   * effect rejects.
   *
   * @returns what the effect came to
   * @throws {PanewrightError} when a record cannot be written; without the decision's record the effect is not called
   */
  perform<T extends AuditOutcome>(decision: AuditDecision, effect: () => Promise<T>): Promise<T>;
  /** Writes a decision on which nothing is sent */
  note(decision: Omit<AuditDecision, "keys">): Promise<void>;
}

interface AuditLogOptions {
  readonly run: string;
  /**
   * Values that must not stand in the log, such as those of the environment's keys; common shapes of secrets are known.
   */
  readonly secrets: readonly string[];
  /** @default {the system's time} */
  readonly wallClock?: () => Date;
  readonly heads?: AuditHeads;
  /** The same file elsewhere, where no agent in a sandbox removes it: the log is made again of it. */
  readonly twinPath?: string | undefined;
}

/**
 * Opens the audit log of a run, making it when it is new. Only its owner can read it.
 *
 * @throws {PanewrightError} when it cannot be written, is a link, or its chain is broken
 */
export async function openAuditLog(path: string, options: AuditLogOptions): Promise<AuditLog> {
  const { run, secrets, wallClock = () => new Date(), heads, twinPath } = options;
  const redactor = createRedactor(secrets);
  using opened = new DisposableStack();
  let file = openFile(path, twinPath);
  opened.defer(() => file[Symbol.dispose]());
  let last: Pick<ChainedRecord, "seq" | "hash"> = { seq: 0, hash: NO_HASH };
  let failure: PanewrightError | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const write = async (fields: Fields): Promise<ChainedRecord> => {
    if (failure !== undefined) throw failure;
    try {
      const record = await chainRecord({ ...fields, at: wallClock().toISOString(), run }, last);
      const line = new TextEncoder().encode(`${canonicalJson(record)}\n`);
      file.write(line);
      file.sync();
      twin?.write(line);
      if (file.stat().nlink === 0) {
        if (twinPath === undefined) throw new Error("it was removed");
        file[Symbol.dispose]();
        file = openFile(path, twinPath);
        file.sync();
      }
      last = record;
      heads?.add({ records: record.seq, hash: record.hash });
      return record;
    } catch (cause) {
      // A part of the record may be on the disk: nothing can follow it.
      failure = cannotWrite(path, cause);
      throw failure;
    }
  };
  // Dialogs of several terminals are decided at the same time, and each record needs the hash of the one before.
  const append = (fields: Fields): Promise<ChainedRecord> => {
    const next = queue.then(() => write(fields));
    queue = next.catch(() => {});
    return next;
  };
  const decisionFields = (decision: AuditDecision) => ({
    ...decision,
    type: "decision" as const,
    command: decision.command === undefined ? null : redactor.text(decision.command),
    reason: redactor.text(decision.reason),
    before: redactor.rows(decision.before),
  });

  const end = await readEnd(file, { path, run });
  const twin = twinPath === undefined ? undefined : opened.use(openTwin(twinPath, path));
  last = end ?? await write({ type: "opened", version: AUDIT_VERSION });
  const resources = opened.move();
  return {
    get end() {
      return { records: last.seq, hash: last.hash };
    },
    async perform(decision, effect) {
      const { seq } = await append(decisionFields(decision));
      const outcome = { type: "outcome" as const, of: seq };
      let done;
      try {
        done = await effect();
      } catch (error) {
        const message = errorText(error);
        await append({ ...outcome, result: redactor.text(`failed: ${message}`), after: [] });
        throw error;
      }
      await append({ ...outcome, result: redactor.text(done.result), after: redactor.rows(done.after) });
      return done;
    },
    async note(decision) {
      await append(decisionFields({ ...decision, keys: [] }));
    },
    [Symbol.dispose]() {
      resources.dispose();
      if (twinPath !== undefined && lstatOrUndefined(path) === undefined) putBack(path, twinPath);
    },
  };
}

/** Makes a log that is gone, or whose end was cut off, again of its twin. */
function putBack(path: string, twinPath: string): void {
  const [own, twin] = [path, twinPath].map(contentOf);
  if (twin === undefined || (own !== undefined && (own.length >= twin.length || !isBeginning(own, twin)))) return;
  Deno.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  Deno.writeFileSync(path, twin, { mode: 0o600 });
}

function openTwin(twinPath: string, path: string): RegularFile {
  const [own = new Uint8Array(), twin = new Uint8Array()] = [path, twinPath].map(contentOf);
  if (!isBeginning(twin, own)) throw cannotContinue(path, `it is not the one that ${twinPath} was kept of`);
  if (twin.length < own.length) Deno.writeFileSync(twinPath, own, { mode: 0o600 });
  return openFile(twinPath);
}

function contentOf(path: string): Uint8Array<ArrayBuffer> | undefined {
  return lstatOrUndefined(path) === undefined ? undefined : readRegularFile(path, { maxBytes: MAX_AUDIT_BYTES });
}

function isBeginning(some: Uint8Array, whole: Uint8Array): boolean {
  return some.length <= whole.length && some.every((byte, at) => byte === whole[at]);
}

interface Fields {
  readonly type: "opened" | "decision" | "outcome";
  readonly [key: string]: unknown;
}

function openFile(path: string, twinPath?: string): RegularFile {
  try {
    if (twinPath !== undefined) putBack(path, twinPath);
    const file = openRegularFile(path, { access: "append", create: true });
    if (((file.stat().mode ?? 0) & 0o077) !== 0) Deno.chmodSync(path, 0o600);
    return file;
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

function cannotContinue(path: string, problem: string): PanewrightError {
  return new PanewrightError(`Cannot continue the audit log ${path}: ${problem}`, {
    hint: 'Look at it with "panewright audit show", then move it away: it is made again, as far as it is known.',
  });
}

function cannotWrite(path: string, cause: unknown): PanewrightError {
  const reason = errorText(cause);
  return new PanewrightError(`Cannot write the audit log ${path}: ${reason}`, {
    cause,
    hint: "No dialog is answered that cannot be recorded.",
  });
}

/** The last record of an existing log. A record that was cut off while it was written was never acted upon. */
async function readEnd(
  file: RegularFile,
  { path, run }: { readonly path: string; readonly run: string },
): Promise<ChainedRecord | undefined> {
  const { size } = file.stat();
  if (size > MAX_AUDIT_BYTES) throw cannotWrite(path, new Error(`it is larger than ${MAX_AUDIT_BYTES} bytes`));
  const bytes = new Uint8Array(size);
  file.readAt(0, bytes);
  const verdict = await checkChain(new TextDecoder().decode(bytes));
  const last = verdict.records.at(-1);
  const problem = !verdict.intact
    ? `its record in line ${verdict.line} ${verdict.problem}`
    : last !== undefined && last.run !== run
    ? `it belongs to another run, ${last.run}`
    : undefined;
  if (problem !== undefined) throw cannotContinue(path, problem);
  if (verdict.intact && verdict.torn) file.truncate(bytes.lastIndexOf(0x0a) + 1);
  return last;
}
