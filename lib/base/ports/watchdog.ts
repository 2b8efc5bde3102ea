/** What has to end with a program, as data for another thread. */
export interface LastResort {
  readonly mark: { readonly name: string; readonly value: string };
  /** Programs that are run then, in their order, such as one that ends a tmux server. */
  readonly programs?: readonly {
    readonly argv: readonly [string, ...string[]];
    readonly env: Readonly<Record<string, string>>;
  }[];
}

/**
 * Registers a last, synchronous act for the case that the program is left at once; returns what takes it back. The
 * resort is what is done instead when the program does not even get to its acts.
 */
export type OnForcedExit = (act: () => void, resort?: LastResort) => () => void;

/** Ends a program that a second signal does not end. */
export interface Watchdog {
  /**
   * Watches from now on, and does this as well when the program has to be ended.
   *
   * @returns takes it back
   */
  guard(resort: LastResort): () => void;
}

/** How long the program has after the second signal; its own acts take some milliseconds. */
const GRACE_MS = 3000;

/**
 * A thread that hears signals by itself. When the program is still there 3 s after the second one, because a system
 * call keeps its event loop, what was registered is done, and then the program is killed (SIGKILL).
 *
 * The thread is started with the first registration; signals of before do not count.
 */
export function createWatchdog({ graceMs = GRACE_MS }: { readonly graceMs?: number } = {}): Watchdog {
  let thread: Worker | undefined;
  let registered = 0;
  return {
    guard(resort) {
      thread ??= startThread(graceMs);
      const id = registered++;
      thread.postMessage({ id, resort });
      return () => thread?.postMessage({ id });
    },
  };
}

/** From its text, so that the program stays one file. */
function startThread(graceMs: number): Worker {
  const url = URL.createObjectURL(new Blob([`(${keepWatch})(${graceMs})`], { type: "text/javascript" }));
  const thread = new Worker(url, { type: "module" });
  URL.revokeObjectURL(url);
  return thread;
}

/** What the thread runs; it can name nothing of this file. */
function keepWatch(graceMs: number): void {
  const resorts = new Map<number, LastResort>();
  globalThis.addEventListener("message", (event) => {
    const { id, resort } = (event as MessageEvent<{ readonly id: number; readonly resort?: LastResort }>).data;
    if (resort === undefined) resorts.delete(id);
    else resorts.set(id, resort);
  });
  let signals = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(name, () => {
      if (++signals === 2) setTimeout(endAll, graceMs);
    });
  }
  /** A program that hangs, such as a tmux that does not answer, is not waited for. */
  async function run([program, ...args]: readonly [string, ...string[]], env?: Readonly<Record<string, string>>) {
    try {
      const options = { args, stdin: "null", stdout: "null", stderr: "null" } as const;
      const child = new Deno.Command(program!, env ? { ...options, env: { ...env }, clearEnv: true } : options).spawn();
      await Promise.race([child.status, new Promise((resolve) => setTimeout(resolve, 2000))]);
    } catch { /* the next one may still help */ }
  }
  async function endAll() {
    const killMarked = 'for f in $(grep -lsF -e "$1" /proc/[0-9]*/environ); do p=${f#/proc/}; ' +
      'kill -KILL "${p%/environ}"; done';
    for (const { mark, programs = [] } of resorts.values()) {
      await run(["/bin/sh", "-c", killMarked, "sh", `${mark.name}=${mark.value}`]);
      for (const { argv, env } of programs) await run(argv, env);
    }
    Deno.kill(Deno.pid, "SIGKILL");
  }
}
