import { parseArgs } from "@std/cli/parse-args";
import { type TaskLine, taskLine } from "../support/task_line.ts";
import { runAsks } from "./run_asks.ts";
import { panewrightBundle } from "./bundle.ts";

const USAGE =
  `Plays asks of agents by the front door, with both CLIs and shells of all kinds, and kills panewright meanwhile.

  deno task test:asks [--asks N] [--kills N] [--seed N] [--jobs N]

  --asks N    how many asks are played undisturbed (200)
  --kills N   how many are played with a kill -9 (100); one whose moment does not come is not counted
  --seed N    where in the lists of forms, shells and moments it begins (0)
  --jobs N    how many are played at the same time (1)
`;

const { say, fail, count }: TaskLine = taskLine(USAGE);
const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, {
  string: ["asks", "kills", "seed", "jobs"],
  boolean: ["help"],
  unknown: (arg: string) => fail(`Cannot take ${arg}\n\n${USAGE}`),
});
if (args.help) {
  say(USAGE);
  Deno.exit(0);
}
const plan = {
  asks: count("asks", args["asks"], 200),
  kills: count("kills", args["kills"], 100),
  seed: count("seed", args["seed"], 0),
  jobs: count("jobs", args["jobs"], 1),
};
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => stop.abort());
await using panewright = await panewrightBundle();
const { asks, kills, failures } = await runAsks({
  panewright,
  ...plan,
  say,
  signal: stop.signal,
});
say(`${asks} asks, ${kills} kills, ${failures.length} wrong`);
for (const failure of failures) say(failure);
Deno.exitCode = failures.length === 0 && !stop.signal.aborted ? 0 : 1;
