import type { WakeHint, WakeSource } from "../providers/terminal/wake_source.ts";
import { FolderWatch } from "../session_log/folder_watch.ts";
import { responseDirFor } from "./response_files.ts";

/** How long the folder that is watched may have been replaced before that is noticed, where no event tells. */
const REANCHOR_MS = 60_000;

/**
 * Watches the response folder of a working directory, which need not be there yet; one watch serves all turns there. Its
 * hints come early or not at all: what decides is the look at the file.
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
