import type { DialogInfo } from "../../screen/dialog.ts";
import type { DialogDeskContext, DialogDeskTurn } from "./desk_context.ts";
import { isSameRequest, type KnownRequest } from "./known_request.ts";
import type { Request } from "../../policy/request.ts";

/** Claude Code draws its dialog while its hook still runs (2.1.328): so long a dialog waits for the hook's word. */
export const HOOK_LAG_MS = 3000;

/** A session log may be behind the screen: nobody is called for so long where that is all that stands in the way. */
const LOG_LAG_MS = 1000;

/** How long a request may be without a dialog: a CLI says nothing of one that a person has answered in the pane. */
const UNSHOWN_LIMIT_MS = 5000;

export function createPaneRequests(
  { clock, hooks }: Pick<DialogDeskContext, "clock" | "hooks">,
  { role, terminal }: Pick<DialogDeskTurn, "role" | "terminal">,
) {
  /** Requests without an answer, and since when no dialog is open: missing for one whose dialog was seen. */
  const unshownSinceMs = new Map<Request, number>();
  const shown = new Set<Request>();
  let unexplained: { readonly fingerprint: string; readonly sinceMs: number } | undefined;

  function isYoung({ fingerprint }: DialogInfo, limitMs: number): boolean {
    if (unexplained?.fingerprint !== fingerprint) unexplained = { fingerprint, sinceMs: clock.now() };
    return clock.now() - unexplained.sinceMs < limitMs;
  }

  return {
    async pending(): Promise<readonly Request[]> {
      const hooked = hooks?.pending(role) ?? [];
      const logged = await terminal.pendingRequests();
      return hooked.length > 0 ? [...hooked, ...logged.filter(isOpaque)] : logged;
    },
    async hasOpaque(): Promise<boolean> {
      return (await terminal.pendingRequests()).some(isOpaque);
    },
    /** Whether the hook's word on an open dialog may still come in. */
    mayBeExplained(dialog: DialogInfo, { request, doubt }: KnownRequest): boolean {
      if (dialog.kind === "question") return false;
      if (hooks === undefined || terminal.provider.terminal.hasPermissionHook !== true) return false;
      if (doubt === undefined && request?.source === "hook") return false;
      return isYoung(dialog, HOOK_LAG_MS);
    },
    /** Whether the session log may still tell of an open dialog. */
    mayBeLogged: (dialog: DialogInfo) => isYoung(dialog, LOG_LAG_MS),
    noteShown(request: Request): void {
      shown.add(request);
      // Questions are known by the session log: what their hook asked is shown with them.
      for (const hooked of hooks?.pending(role) ?? []) if (isSameRequest(hooked, request)) shown.add(hooked);
    },
    noteExplained: () => void (unexplained = undefined),
    /** Forgets the requests whose dialog is closed, and those that never had one. */
    forgetClosed(): void {
      for (const request of hooks?.pending(role) ?? []) {
        const sinceMs = unshownSinceMs.get(request) ?? clock.now();
        unshownSinceMs.set(request, sinceMs);
        if (clock.now() - sinceMs >= UNSHOWN_LIMIT_MS) shown.add(request);
      }
      hooks?.forget(role, [...shown]);
      for (const request of shown) unshownSinceMs.delete(request);
      shown.clear();
      unexplained = undefined;
    },
  };
}

/**
 * Whether a command on record runs in another way than its text says: Codex' hooks do not tell which shell was named.
 */
function isOpaque({ kind, tool }: Request): boolean {
  return kind === "other" && tool === "exec_command";
}
