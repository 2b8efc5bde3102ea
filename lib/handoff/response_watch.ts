import type { WakeHint, WakeSource } from "../providers/terminal/wake_source.ts";
import { FolderWatch } from "../session_log/folder_watch.ts";
import { responseDirFor } from "./response_files.ts";

/** How soon it is noticed that the watched folder was replaced, if no event tells. */
const REANCHOR_MS = 60_000;

/**
 * Watches the response folder of a working directory, which need not exist yet; one watch serves all turns there. Its
 * events are hints: what decides is a look at the file.
 */
export function watchResponses(workdir: string): WakeSource & AsyncDisposable {
  const listeners = new Set<(hint: WakeHint) => void>();
  const stop = new AbortController();
  const watching = (async () => {
    await using watch = new FolderWatch(`${responseDirFor(workdir)}/response`);
    for (;;) {
      await watch.wait(REANCHOR_MS, stop.signal);
      for (const listener of listeners) listener("now");
    }
  })().catch((error) => {
    // Without events each poll still looks.
    if (!stop.signal.aborted) listeners.clear();
    return error;
  });
  return {
    onHint(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await watching;
    },
  };
}
