import { Interruption } from "./lib/cli/console/command.ts";
import { denoIo } from "./lib/cli/console/deno_io.ts";
import { renderOptions, runCli } from "./lib/cli/main.ts";
import { createWatchdog } from "./lib/base/ports/watchdog.ts";

/** Runs the command line of this process to its exit code, signals and stray errors included. */
async function main(): Promise<number> {
  const controller = new AbortController();
  const forcedExitActs = new Set<() => void>();
  const strayErrors: unknown[] = [];
  const io = denoIo({
    signal: controller.signal,
    onClosedStdout(reason) {
      // Commands that come to their end all the same have not told what they were to tell.
      if (!(reason instanceof Interruption)) strayErrors.push(reason);
      controller.abort(reason);
    },
    forcedExitActs,
    watchdog: createWatchdog(),
  });
  const leaveNow = (exitCode: number): never => {
    for (const act of forcedExitActs) {
      try {
        act();
      } catch { /* the next one may still help */ }
    }
    Deno.exit(exitCode);
  };

  for (const signalName of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    Deno.addSignalListener(signalName, () => {
      const reason = new Interruption(signalName);
      if (controller.signal.aborted) leaveNow(reason.exitCode);
      controller.abort(reason);
    });
  }
  globalThis.addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    strayErrors.push(event.reason);
    controller.abort(event.reason);
  });
  const exitCode = await runCli(Deno.args, io);
  if (strayErrors.length === 0 || exitCode !== 0) return exitCode;
  const { renderError } = await import("./lib/cli/console/render_error.ts");
  const rendered = await renderError(strayErrors[0], renderOptions(Deno.args, io));
  io.stderr(rendered.text);
  return rendered.exitCode;
}

/**
 * Ends this process. Deno keeps the compiled code of a program for its next start, which then takes half as long, but
 * only when the event loop has turned once since the program was read.
 */
async function exit(exitCode: number): Promise<never> {
  await Deno.stat("/").catch(() => {});
  return Deno.exit(exitCode);
}

if (import.meta.main) await exit(await main());
