/**
 * Measures how long `panewright version` takes from its start to its end, as a user's shell sees it: at most 60 ms.
 *
 * `deno run -P=tests tests/bench/version_start.ts [COMMAND…]`; without a command it is the bundle, dist/panewright.mjs.
 */
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { describeTimes } from "./describe.ts";

const RUNS = 30;
const BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;

if (import.meta.main) {
  const [program = Deno.execPath(), ...args] = Deno.args;
  const command = Deno.args.length > 0 ? args : ["run", "--quiet", "--allow-all", BUNDLE];
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const startMs = performance.now();
    const { code, stderr } = await systemProcessRunner.run({ argv: [program, ...command, "version"] });
    times.push(performance.now() - startMs);
    if (code !== 0) throw new Error(stderr);
  }
  await Deno.stdout.write(new TextEncoder().encode(`${describeTimes("panewright version", times)}\n`));
}
