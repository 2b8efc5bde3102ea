import { type Clock, systemClock } from "../ports/clock.ts";

export interface WatchFolderOptions {
  /** Names in the folder whose content is watched, too: a file that grows leaves its folder as it was. */
  readonly files?: readonly string[];
  /** @default {systemClock} */
  readonly clock?: Clock;
}

/** Wakes a reader when something happens in a folder, which may not exist yet. */
interface FolderWatch {
  /**
   * Resolves when something has changed since the last wait, or after the time, whichever is first.
   *
   * @throws the signal's reason when it is aborted
   */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>;
}

/** How often it is looked: a response is seen within that time, and a look costs some microseconds. */
const LOOK_EVERY_MS = 50;

/**
 * Watches a folder: what is made, removed and renamed in it, and the content of some files.
 *
 * It looks at times and sizes and opens nothing. `Deno.watchFs` (2.9) opens every path that it tells of: a FIFO among
 * them blocks its thread, and with it the next call that opens or closes any watch, for good. A change is a hint only:
 * one in the same tick of the file system's clock as the last look can be missed, so a wait always ends by itself.
 */
export function watchFolder(folder: string, options: WatchFolderOptions = {}): FolderWatch {
  const { files = [], clock = systemClock } = options;
  const paths = files.map((name) => `${folder}/${name}`);
  // A folder that is a link is followed, a file is not.
  const lookAtFolder = () => looksOf(folder, Deno.statSync);
  const lookAtFile = (path: string) => looksOf(path, Deno.lstatSync);
  let seenFolder = lookAtFolder();
  let seenFiles = paths.map(lookAtFile);
  let folderChanged = true;

  /** A file that was missing is looked for only when its folder has changed, or did so a moment ago. */
  const hasChanged = (): boolean => {
    const folderNow = lookAtFolder();
    const changed = folderNow !== seenFolder;
    const lookAtAll = changed || folderChanged;
    seenFolder = folderNow;
    folderChanged = changed;
    const before = seenFiles;
    seenFiles = paths.map((path, index) => lookAtAll || before[index] !== MISSING ? lookAtFile(path) : MISSING);
    return changed || seenFiles.some((look, index) => look !== before[index]);
  };
  return {
    async wait(timeoutMs, signal) {
      const untilMs = clock.now() + timeoutMs;
      for (;;) {
        signal?.throwIfAborted();
        const leftMs = untilMs - clock.now();
        if (hasChanged() || leftMs <= 0) return;
        await clock.sleep(Math.min(LOOK_EVERY_MS, leftMs), signal);
      }
    },
  };
}

const MISSING = "";

function looksOf(path: string, stat: (path: string) => Deno.FileInfo): string {
  try {
    const { dev, ino, size, mtime, ctime } = stat(path);
    return [dev, ino, size, mtime?.getTime(), ctime?.getTime()].join(":");
  } catch {
    // Gone, or in a folder that cannot be entered: whoever reads there says why.
    return MISSING;
  }
}
