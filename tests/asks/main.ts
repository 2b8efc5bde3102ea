import { parseArgs } from "@std/cli/parse-args";
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

const args: Readonly<Record<string, unknown>> = parseArgs(Deno.args, {
  string: ["asks", "kills", "seed", "jobs"],
  boolean: ["help"],
  unknown: (arg: string) => fail(`Cannot take ${arg}\n\n${USAGE}`),
});
if (args.help) {
  say(USAGE);
  Deno.exit(0);
}
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(signal, () => stop.abort());
await using panewright = await panewrightBundle();
const { asks, kills, failures } = await runAsks({
  panewright,
  asks: number("asks", 200),
  kills: number("kills", 100),
  seed: number("seed", 0),
  jobs: number("jobs", 1),
  say,
  signal: stop.signal,
});
say(`${asks} asks, ${kills} kills, ${failures.length} wrong`);
for (const failure of failures) say(failure);
Deno.exitCode = failures.length === 0 && !stop.signal.aborted ? 0 : 1;

function number(name: "asks" | "kills" | "seed" | "jobs", otherwise: number): number {
  const value = args[name] === undefined ? otherwise : Number(args[name]);
  return Number.isInteger(value) && value >= 0 ? value : fail(`Cannot take ${args[name]} for --${name}\n\n${USAGE}`);
}

function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

function fail(text: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
  Deno.exit(1);
}
