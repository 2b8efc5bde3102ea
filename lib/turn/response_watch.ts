import type { WakeHint, WakeSource } from "../agents/pane/wake_source.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { type Role, ROLES } from "../base/roles.ts";
import { watchFolder } from "../base/follow/folder_watch.ts";
import { responseDirFor, responseFileOf } from "./response_files.ts";

const LOOK_ANYWAY_MS = 60_000;

/**
 * Watches the response folder of a working directory, which need not exist yet; one watch serves all turns there. Its
 * hints make a look at the file come early; what decides is that look.
 */
export function watchResponses(
  workdir: string,
  { roles = ROLES, clock = systemClock }: { readonly roles?: readonly Role[]; readonly clock?: Clock } = {},
): WakeSource & AsyncDisposable {
  const listeners = new Set<(hint: WakeHint) => void>();
  const stop = new AbortController();
  const watch = watchFolder(responseDirFor(workdir), { files: roles.map(responseFileOf), clock });
  const watching = (async () => {
    for (;;) {
      await watch.wait(LOOK_ANYWAY_MS, stop.signal);
      for (const listener of listeners) listener("now");
    }
  })().catch((error) => {
    // Without hints each poll still looks.
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
