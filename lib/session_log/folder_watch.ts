/**
 * Wakes a reader when something happens where a file is, or will be.
 *
 * It watches the file's folder, for a watch on the file itself falls silent when the file is replaced; where that folder
 * is not there yet, the nearest one above it that is. Events are hints only: they can be missed (a folder that is made
 * and filled at once shows none), so a wait always ends after `timeoutMs` as well.
 */
export class FolderWatch implements AsyncDisposable {
  #watcher: Deno.FsWatcher | undefined;
  #anchor: string | undefined;
  #pump: Promise<void> = Promise.resolve();
  #happened = false;
  #wake: (() => void) | undefined;

  constructor(readonly path: string) {}

  /**
   * Resolves when something has happened since the last wait, or after the time, whichever is first.
   *
   * @throws the signal's reason when it is aborted
   */
  async wait(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#anchorWatcher();
    // A signal that was aborted meanwhile tells nobody any more.
    signal?.throwIfAborted();
    if (!this.#happened) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, timeoutMs);
        signal?.addEventListener("abort", done, { once: true });
        this.#wake = done;
        function done() {
          clearTimeout(timer);
          signal?.removeEventListener("abort", done);
          resolve();
        }
      });
      this.#wake = undefined;
    }
    this.#happened = false;
    signal?.throwIfAborted();
  }

  /** Moves the watch to the nearest folder that exists now. */
  async #anchorWatcher(): Promise<void> {
    const anchor = await nearestFolder(this.path);
    if (anchor === this.#anchor) return;
    await this.#stop();
    try {
      this.#watcher = Deno.watchFs(anchor, { recursive: false });
    } catch {
      // Gone again, or no watches left on this machine: the time limit of each wait has to do.
      return;
    }
    this.#anchor = anchor;
    this.#pump = this.#listen(this.#watcher);
    // Between the look for the folder and the watch on it something may have happened.
    this.#happened = true;
  }

  async #listen(watcher: Deno.FsWatcher): Promise<void> {
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      // A folder that was removed or moved away is watched no more.
      if ((kind === "remove" || kind === "rename") && paths.includes(this.#anchor ?? "")) this.#anchor = undefined;
      this.#happened = true;
      this.#wake?.();
    }
  }

  async #stop(): Promise<void> {
    this.#watcher?.close();
    await this.#pump;
    this.#watcher = undefined;
    this.#anchor = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }
}

async function nearestFolder(path: string): Promise<string> {
  for (let folder = parentOf(path); folder !== "/" && folder !== "."; folder = parentOf(folder)) {
    try {
      if ((await Deno.stat(folder)).isDirectory) return folder;
    } catch { /* not there yet: look above it */ }
  }
  return path.startsWith("/") ? "/" : ".";
}

function parentOf(path: string): string {
  const slash = path.lastIndexOf("/");
  if (slash > 0) return path.slice(0, slash);
  return slash === 0 ? "/" : ".";
}
