import { createWatchdog } from "../../../lib/base/ports/watchdog.ts";

// A program whose event loop stands still: it opens a FIFO that nobody writes to.

const [fifo = "", mark = ""] = Deno.args;
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => {});
const watchdog = createWatchdog({ graceMs: 50 });
watchdog.guard({
  mark: { name: "WATCHDOG_MARK", value: mark },
  programs: [
    { argv: ["/no/such/program"], env: {} },
    { argv: ["touch", `${fifo}.done`], env: { PATH: "/usr/bin:/bin" } },
  ],
});
watchdog.guard({ mark: { name: "WATCHDOG_MARK", value: "of another" } })();
Deno.stdout.writeSync(new TextEncoder().encode("guarded\n"));
Deno.openSync(fifo);
