// Holds a run's lock until it is ended: `deno run hold_lock.ts LOCK [ignore-term]`.
import { tryLockFile } from "../../lib/base/ports/lock_file.ts";

const [path = "", mode] = Deno.args;
const lock = await tryLockFile(path, `process ${Deno.pid}`);
if (lock === undefined) Deno.exit(9);
Deno.addSignalListener("SIGTERM", () => {
  if (mode !== "ignore-term") Deno.exit(143);
});
Deno.stdout.writeSync(new TextEncoder().encode("held\n"));
setInterval(() => {}, 1000);
