/**
 * Plays nights of eight tasks each in the real tmux, with replayed agents and every class of faults once, on a clock that
 * passes as fast as the programs allow: `deno task test:tmux-nights --nights 20`, `--from 0`; one task with its
 * story: `--task 3`.
 *
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import { playNight } from "./night.ts";

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, { string: ["nights", "from", "task", "folder"] });
const [nights, from] = [Number(args["nights"] ?? 1), Number(args["from"] ?? 0)];
const only = args["task"] === undefined ? undefined : Number(args["task"]);
const folder = typeof args["folder"] === "string" ? args["folder"] : undefined;
const base = folder ?? Deno.makeTempDirSync({ prefix: "panewright-nights-" });
let wrong = 0;
for (let seed = from; seed < from + nights; seed++) {
  const beganMs = performance.now();
  print(`night ${seed}`);
  const { tasks, hours } = await playNight({ seed, folder: `${base}/${seed}`, tell: print, only });
  const failing = tasks.filter(({ violations }) => violations.length > 0).length;
  wrong += failing;
  print(
    `night ${seed}: ${tasks.length} tasks, ${failing} do not hold; ${hours.toFixed(1)} h in ${
      ((performance.now() - beganMs) / 1000).toFixed(0)
    } s`,
  );
}
if (folder === undefined) await Deno.remove(base, { recursive: true });
Deno.exit(wrong === 0 ? 0 : 1);
