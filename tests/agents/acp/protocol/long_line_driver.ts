/**
 * A program that listens to an agent which sends a line of so many bytes, and prints how much more memory its process
 * has taken at most meanwhile, in megabytes:
 *
 *     deno run -A tests/agents/acp/protocol/long_line_driver.ts BYTES
 *
 * @module
 */
import { openFake, startTurn } from "./support.ts";

/** The most memory that this process has ever had (proc_pid_status(5)). */
function peakKilobytes(): number {
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(Deno.readTextFileSync("/proc/self/status"))![1]);
}

await using fake = await openFake({ steps: [{ say: "before" }, { longLine: Number(Deno.args[0]) }, { say: "after" }] });
const before = peakKilobytes();
await (await startTurn(fake)).reply;
const after = peakKilobytes();
const told = {
  megabytes: Math.round((after - before) / 1024),
  events: fake.events,
  troubles: fake.connection.troubles(),
};
Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(told)}\n`));
