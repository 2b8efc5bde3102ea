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

/** Where a spool lies: absolute paths of two folders, which are made where they are missing. */
export interface SpoolPlace {
  /** Of its messages: a sandbox lets its programs write there. */
  readonly folder: string;
  /** Of the answers: whoever can write there decides. */
  readonly answers: string;
}

export function spoolAt(folder: string): SpoolPlace {
  return { folder, answers: `${folder}.answers` };
}

/** A spool's place in another one's. @param name a relative path; without one it is that place itself */
export function placeBelow({ folder, answers }: SpoolPlace, name?: string): SpoolPlace {
  return name === undefined ? { folder, answers } : { folder: `${folder}/${name}`, answers: `${answers}/${name}` };
}

export async function removeSpool({ folder, answers }: SpoolPlace): Promise<void> {
  for (const path of [folder, answers]) await Deno.remove(path, { recursive: true }).catch(() => {});
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
 * Opens a spool in folders that only their owner can reach: whoever can write messages is believed, and whoever can
 * write answers obeyed. What lies there from before is kept, and so is all of it afterwards.
 *
 * A program need not start for a message, nor need anybody listen, and messages stay in their order: a sender has left
 * one before its command ends.
 *
 * @throws when its folders cannot be made
 */
export async function openSpool(
  place: SpoolPlace,
  { clock = systemClock, beatMs = BEAT_MS }: { readonly clock?: Clock; readonly beatMs?: number } = {},
): Promise<Spool> {
  const { folder, answers } = place;
  for (const path of [folder, answers]) {
    await Deno.mkdir(path, { recursive: true, mode: 0o700 });
    await Deno.chmod(path, 0o700);
  }
  const given: string[] = [];
  const listeners = new Map<() => void, string>();
  const stop = new AbortController();
  const watch = watchFolder(folder, { clock });
  const beating = setInterval(() => beat(place, { ifWaitedFor: true }), beatMs);
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
    commandFor: (sender) => commandFor(place, { sender, waits: false }),
    waitingCommandFor: (sender) => commandFor(place, { sender, waits: true }),
    askingCommandFor(sender, otherwise, how) {
      if (how?.isPatient === true) beat(place);
      return commandFor(place, { sender, waits: true, otherwise, ...how });
    },
    take(sender) {
      const messages = messagesOf(place, { sender, given });
      for (const { release } of messages) release();
      return messages.map(({ text, writtenAt }) => ({ text, writtenAt }));
    },
    held: (sender) => messagesOf(place, { sender, given }),
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

/**
 * A message gets its name when it is complete. The CLI may run this with any shell, so a POSIX one is named.
 *
 * One that asks takes no answer to another text than its own: what runs beside it could have put that in its place.
 */
function commandFor(
  { folder, answers }: SpoolPlace,
  { sender, waits, otherwise, isPatient = false }: SpoolCommand,
): string {
  const look = !isPatient
    ? PAUSE
    : `c=; { read -r c <"$r/${BEAT}"; } 2>/dev/null; if [ "$c" = "$b" ]; then l=$((l+s)); ` +
      `else b=$c; l=0; m=${LOST_LOOKS}; fi; if [ $l -ge $m ]; then break; fi; ` +
      `if [ $n -lt ${ASKING_LOOKS} ]; then ${PAUSE}; else s=${SLOW_LOOK}; sleep 1; fi`;
  const looks = isPatient ? PATIENT_LOOKS : ASKING_LOOKS;
  const asks = otherwise !== undefined;
  // Whoever ends the agent ends its hooks as well: one that dies first, without a word, its CLI takes for a yes.
  const stays = asks ? "trap '' HUP INT TERM; " : "";
  const script = `${stays}d=$1; f=$2.$$; ${asks ? "r=$4; t=$(cat; printf x); " : ""}if [ -d "$d" ]; then umask 077; ` +
    `{ ${asks ? 'printf %s "${t%x}"' : "cat"} >"$d/.$f" && mv "$d/.$f" "$d/$f" || rm -f "$d/.$f"; } 2>/dev/null; ` +
    `${asks ? "" : "else cat >/dev/null; "}fi; ` +
    (!waits
      ? ""
      : !asks
      ? `while [ -e "$d/$f" ]; do ${PAUSE}; done; `
      : `n=0; l=0; m=${ASKING_LOOKS}; s=1; b=; while [ -e "$d/$f" ] && [ $n -lt ${looks} ]; do ${look}; n=$((n+1)); done; `) +
    (!asks ? "" : `a=$r/$f; if [ "$({ cat "$a${QUESTION}" && printf x; } 2>/dev/null)" = "$t" ]; then cat "$a"; ` +
      'else printf %s "$3"; fi; ') +
    "exit 0";
  const words = asks ? [folder, sender, otherwise, answers] : [folder, sender];
  // The CLI's own shell would die in its place.
  const own = asks ? "exec " : "";
  return `${own}/bin/sh -c ${shellQuote(script)} panewright ${words.map(shellQuote).join(" ")}`;
}

/** Of the file beside an answer that tells what it answers. */
const QUESTION = ".asked";

/** So many answers are kept: who asked cannot remove its own, and has read it long before as many others are there. */
const KEPT_ANSWERS = 64;

/** Whose message a file is; `undefined` for one that is still written. */
function senderOf(name: string): string | undefined {
  return /^([^.].*)\.\d+$/.exec(name)?.[1];
}

function processIdIn(name: string): number {
  return Number(name.slice(name.lastIndexOf(".") + 1));
}

interface Giving {
  /** The names of the answers that are kept, the oldest first. */
  readonly given: string[];
}

function messagesOf(
  place: SpoolPlace,
  { sender, given }: Giving & { readonly sender: string },
): readonly HeldMessage[] {
  const names = namesIn(place.folder).filter((name) => senderOf(name) === sender);
  // Times have steps of some milliseconds; process ids tell what came first within one.
  const inOrder = names.sort((one, other) => processIdIn(one) - processIdIn(other));
  return inOrder.flatMap((name) => readMessage(place, { name, given })).sort((one, other) =>
    one.writtenAt - other.writtenAt
  );
}

function readMessage(
  { folder, answers }: SpoolPlace,
  { name, given }: Giving & { readonly name: string },
): readonly HeldMessage[] {
  const path = `${folder}/${name}`;
  try {
    const writtenAt = Deno.lstatSync(path).mtime?.getTime() ?? Date.now();
    const text = readRegularText(path, { maxBytes: MAX_MESSAGE_BYTES });
    const release = (answer?: string) => {
      // An earlier process of this number may have had one.
      const forget = (one: string) => [QUESTION, ""].forEach((end) => removeQuietly(`${answers}/${one}${end}`));
      forget(name);
      if (answer !== undefined) {
        writeAnew(`${answers}/${name}`, answer);
        writeAnew(`${answers}/${name}${QUESTION}`, text);
        const again = given.indexOf(name);
        if (again >= 0) given.splice(again, 1);
        given.push(name);
        if (given.length > KEPT_ANSWERS) forget(given.shift() ?? "");
      }
      removeQuietly(path);
    };
    return [{ id: path, text, writtenAt, release }];
  } catch (error) {
    if (!(error instanceof UnreadableFileError || error instanceof Deno.errors.NotFound)) throw error;
    removeQuietly(path);
    return [];
  }
}

function beat({ folder, answers }: SpoolPlace, { ifWaitedFor = false } = {}): void {
  try {
    if (ifWaitedFor && !namesIn(folder).some((name) => senderOf(name) !== undefined)) return;
    writeAnew(`${answers}/${BEAT}`, `${crypto.randomUUID()}\n`);
  } catch { /* who waits gives up, and is told no */ }
}

/** What is at that path is replaced, and no link followed: an answer is there whole, or not at all. */
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
