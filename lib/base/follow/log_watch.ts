/**
 * Wakes a reader when something happens to a session log, which may not exist yet.
 *
 * Only for folders that a CLI writes to by itself: `Deno.watchFs` (2.9) opens every path that it tells of, and stops
 * for good at a FIFO. What agents write to is watched by `watchFolder`.
 *
 * It watches the file's folder, because a watch on the file itself falls silent when the file is replaced; while that
 * folder does not exist, the nearest one above it. Events are only hints: they can be missed (a folder that is created
 * and filled at once shows none), so a wait always ends after `timeoutMs` as well.
 */
export class LogWatch implements AsyncDisposable {
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
    // A signal that has been aborted meanwhile sends no more events.
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

  async #anchorWatcher(): Promise<void> {
    const anchor = await nearestFolder(this.path);
    if (anchor === this.#anchor) return;
    await this.#stop();
    try {
      this.#watcher = Deno.watchFs(anchor, { recursive: false });
    } catch {
      // Gone again, or the machine is out of watches: the time limit of each wait has to do.
      return;
    }
    this.#anchor = anchor;
    this.#pump = this.#listen(this.#watcher);
    // Something may have happened between finding the folder and watching it.
    this.#happened = true;
  }

  async #listen(watcher: Deno.FsWatcher): Promise<void> {
    for await (const { kind, paths } of watcher) {
      if (kind === "access") continue;
      // A folder that was removed or moved away sends no more events.
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
