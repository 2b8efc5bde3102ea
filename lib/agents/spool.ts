import { type Clock, systemClock } from "../base/ports/clock.ts";
import { readRegularText, UnreadableFileError } from "../base/ports/regular_file.ts";
import { shellQuote } from "../shell/mod.ts";
import { watchFolder } from "../base/follow/folder_watch.ts";

export interface SpooledMessage {
  readonly text: string;
  /** When it was complete, in milliseconds since the epoch. */
  readonly writtenAt: number;
}

export interface HeldMessage extends SpooledMessage {
  readonly id: string;
  release(answer?: string): void;
}

export interface Spool extends AsyncDisposable {
  /**
   * What leaves its standard input as a message of a sender: a text for any shell. It takes a few milliseconds, prints
   * nothing and exits with 0, also when the folder is gone.
   */
  commandFor(sender: string): string;
  /** The same, but it ends only when its message is released, or the folder is gone. */
  waitingCommandFor(sender: string): string;
  /**
   * Like that, but it prints the answer that its message is released with; `otherwise` where there is none, and where
   * nobody answers for {@linkcode ASKING_LOOKS} looks, of 20 ms and the start of a program each; one that is patient
   * waits for most of a day, as long as some process has the spool open.
   */
  askingCommandFor(sender: string, otherwise: string, options?: { readonly isPatient?: boolean }): string;
  /** The messages of a sender that have come in, the oldest first. They are removed: each is given once. */
  take(sender: string): readonly SpooledMessage[];
  held(sender: string): readonly HeldMessage[];
  /** Calls back when a message of a sender has come in. Calls may be missed, and may mean nothing. */
  onArrival(sender: string, listener: () => void): Disposable;
}

const LOOK_ANYWAY_MS = 60_000;

/** How often who waits is shown that somebody is there. */
const BEAT_MS = 2000;

/** A process has another number in another container, and a run that is resumed another process: neither tells. */
const BEAT = ".beat";

const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/**
 * Opens a spool in a folder that only its owner can reach: whoever can write there is believed. What lies there from
 * before is kept, and so is all of it afterwards.
 *
 * A program need not start for a message, nor need anybody listen, and messages stay in their order: a sender has left
 * one before its command ends.
 *
 * @param folder absolute path; it is made where it is missing
 * @throws when the folder cannot be made
 */
export async function openSpool(
  folder: string,
  { clock = systemClock, beatMs = BEAT_MS }: { readonly clock?: Clock; readonly beatMs?: number } = {},
): Promise<Spool> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  await Deno.chmod(folder, 0o700);
  const listeners = new Map<() => void, string>();
  const stop = new AbortController();
  const watch = watchFolder(folder, { clock });
  const beating = setInterval(() => beat(folder, { ifWaitedFor: true }), beatMs);
  const watching = (async () => {
    let known = new Set(namesIn(folder));
    while (!stop.signal.aborted) {
      await watch.wait(LOOK_ANYWAY_MS, stop.signal).catch(() => {});
      const names = namesIn(folder);
      const senders = new Set(names.filter((name) => !known.has(name)).map(senderOf));
      known = new Set(names);
      for (const [listener, sender] of listeners) if (senders.has(sender)) listener();
    }
    // A folder that cannot be listed gives no hints; whoever takes messages now and then is told why.
  })().catch(() => {});
  return {
    commandFor: (sender) => commandFor(folder, { sender, waits: false }),
    waitingCommandFor: (sender) => commandFor(folder, { sender, waits: true }),
    askingCommandFor(sender, otherwise, how) {
      if (how?.isPatient === true) beat(folder);
      return commandFor(folder, { sender, waits: true, otherwise, ...how });
    },
    take(sender) {
      const messages = messagesOf(folder, sender);
      for (const { release } of messages) release();
      return messages.map(({ text, writtenAt }) => ({ text, writtenAt }));
    },
    held: (sender) => messagesOf(folder, sender),
    onArrival(sender, listener) {
      listeners.set(listener, sender);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      clearInterval(beating);
      stop.abort();
      await watching;
    },
  };
}

/** How often a sender that waits looks. POSIX knows whole seconds only. */
const PAUSE = "sleep 0.02 2>/dev/null || sleep 1";

/** How often a sender looks for its answer: whoever would give it may be gone, and a CLI takes silence for a yes. */
export const ASKING_LOOKS = 1500;

/** Then one a second: it ends before the time that the CLI gives its hook, a day. */
const PATIENT_LOOKS = 80_000;

/** So many looks in which nobody showed any more that they are there are too many: ten seconds and more. */
const LOST_LOOKS = 500;
/** What a look of a second counts among those. */
const SLOW_LOOK = LOST_LOOKS / 10;

interface SpoolCommand {
  readonly sender: string;
  readonly waits: boolean;
  readonly otherwise?: string;
  readonly isPatient?: boolean;
}

/** A message gets its name when it is complete. The CLI may run this with any shell, so a POSIX one is named. */
function commandFor(folder: string, { sender, waits, otherwise, isPatient = false }: SpoolCommand): string {
  const look = !isPatient
    ? PAUSE
    : `c=; { read -r c <"$d/${BEAT}"; } 2>/dev/null; if [ "$c" = "$b" ]; then l=$((l+s)); ` +
      `else b=$c; l=0; m=${LOST_LOOKS}; fi; if [ $l -ge $m ]; then break; fi; ` +
      `if [ $n -lt ${ASKING_LOOKS} ]; then ${PAUSE}; else s=${SLOW_LOOK}; sleep 1; fi`;
  const looks = isPatient ? PATIENT_LOOKS : ASKING_LOOKS;
  const script = 'd=$1; f=$2.$$; if [ -d "$d" ]; then umask 077; ' +
    '{ cat >"$d/.$f" && mv "$d/.$f" "$d/$f" || rm -f "$d/.$f"; } 2>/dev/null; else cat >/dev/null; fi; ' +
    (!waits
      ? ""
      : otherwise === undefined
      ? `while [ -e "$d/$f" ]; do ${PAUSE}; done; `
      : `n=0; l=0; m=${ASKING_LOOKS}; s=1; b=; while [ -e "$d/$f" ] && [ $n -lt ${looks} ]; do ${look}; n=$((n+1)); done; `) +
    (otherwise === undefined ? "" : `a=$d/${ANSWER}$f; cat "$a" 2>/dev/null && rm -f "$a" || printf %s "$3"; `) +
    "exit 0";
  const words = otherwise === undefined ? [folder, sender] : [folder, sender, otherwise];
  return `/bin/sh -c ${shellQuote(script)} panewright ${words.map(shellQuote).join(" ")}`;
}

const ANSWER = ".answer.";

/** Whose message a file is; `undefined` for one that is still written. */
function senderOf(name: string): string | undefined {
  return /^([^.].*)\.\d+$/.exec(name)?.[1];
}

function processIdIn(name: string): number {
  return Number(name.slice(name.lastIndexOf(".") + 1));
}

function messagesOf(folder: string, sender: string): readonly HeldMessage[] {
  const names = namesIn(folder).filter((name) => senderOf(name) === sender);
  // Times have steps of some milliseconds; process ids tell what came first within one.
  const paths = names.sort((one, other) => processIdIn(one) - processIdIn(other)).map((name) => `${folder}/${name}`);
  return paths.flatMap(readMessage).sort((one, other) => one.writtenAt - other.writtenAt);
}

function readMessage(path: string): readonly HeldMessage[] {
  try {
    const writtenAt = Deno.lstatSync(path).mtime?.getTime() ?? Date.now();
    const text = readRegularText(path, { maxBytes: MAX_MESSAGE_BYTES });
    const release = (answer?: string) => {
      if (answer !== undefined) writeAnew(answerPath(path), answer);
      removeQuietly(path);
    };
    return [{ id: path, text, writtenAt, release }];
  } catch (error) {
    if (!(error instanceof UnreadableFileError || error instanceof Deno.errors.NotFound)) throw error;
    removeQuietly(path);
    return [];
  }
}

function beat(folder: string, { ifWaitedFor = false } = {}): void {
  try {
    if (ifWaitedFor && !namesIn(folder).some((name) => senderOf(name) !== undefined)) return;
    writeAnew(`${folder}/${BEAT}`, `${crypto.randomUUID()}\n`);
  } catch { /* who waits gives up, and is told no */ }
}

/** An agent in a sandbox can write there: what it has put at that path is replaced, and no link followed. */
function writeAnew(path: string, text: string): void {
  const draft = `${path.slice(0, path.lastIndexOf("/"))}/.${crypto.randomUUID()}`;
  Deno.writeTextFileSync(draft, text, { createNew: true, mode: 0o600 });
  try {
    Deno.renameSync(draft, path);
  } catch (error) {
    removeQuietly(draft);
    throw error;
  }
}

function answerPath(path: string): string {
  const at = path.lastIndexOf("/") + 1;
  return `${path.slice(0, at)}${ANSWER}${path.slice(at)}`;
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch { /* A folder that is not empty, or nothing any more: it is no message. */ }
}

function namesIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
