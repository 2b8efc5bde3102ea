/**
 * Plays nights: `deno task test:nights --seeds 2000`, `--from 5000`, `--workers 2`. One night with its story:
 * `--seed 17`, and with some of its troubles only: `--troubles 0,3`. With `--panes` all roles have their agents in panes.
 *
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import { planOf, playNight } from "./night.ts";
import type { NightReport } from "./player.ts";
import { kindOf } from "./shrink.ts";
import { describe } from "./troubles.ts";

/** How many nights that fail in the same way are told. */
const MAX_TOLD = 2;

const print = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));

async function playOne(
  seed: number,
  { kept, inPanes }: { readonly kept: string | undefined; readonly inPanes: boolean },
): Promise<boolean> {
  const plan = planOf(seed, { inPanes });
  const troubles = kept === undefined
    ? plan.troubles
    : kept.split(",").filter((place) => place !== "").map((place) => plan.troubles[Number(place)]!);
  const night = await playNight({ ...plan, troubles });
  const ends = night.ends.map(({ outcome }) => outcome).join(", ");
  print(`night ${seed} (${plan.job}): ${ends}; ${night.calls} calls, ${night.hours.toFixed(1)} h`);
  troubles.forEach((trouble, place) => print(`  ${place}. ${describe(trouble)}`));
  for (const line of night.story) print(line);
  for (const violation of night.violations) print(`DOES NOT HOLD: ${violation}`);
  return night.violations.length === 0;
}

function tell({ seed, violations, failed }: NightReport, inPanes: boolean): void {
  print(`\nnight ${seed} DOES NOT HOLD: ${violations.join("\n  ")}`);
  for (const line of failed?.story ?? []) print(line);
  print(
    `play it again: deno task test:nights --seed ${seed} --troubles ${failed?.kept.join(",")}${
      inPanes ? " --panes" : ""
    }`,
  );
}

async function playAll(
  { from, seeds, workers, inPanes }: {
    readonly from: number;
    readonly seeds: number;
    readonly workers: number;
    readonly inPanes: boolean;
  },
) {
  let next = from;
  const reports: NightReport[] = [];
  const kinds = new Map<string, number>();
  const beganMs = performance.now();
  const take = (report: NightReport) => {
    reports.push(report);
    const [violation] = report.differs ? ["it played otherwise when it was played again"] : report.violations;
    if (violation === undefined) return;
    const kind = kindOf(violation);
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (kinds.get(kind)! <= MAX_TOLD) tell(report, inPanes);
  };
  await Promise.all(Array.from({ length: workers }, () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
      const give = () => {
        if (next < from + seeds) return worker.postMessage({ seed: next++, inPanes });
        worker.terminate();
        resolve();
      };
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessage = ({ data }) => {
        take(data);
        give();
      };
      give();
    })));
  const seconds = (performance.now() - beganMs) / 1000;
  const ends = Map.groupBy(reports, (report) => report.ends.at(-1) ?? "none");
  const sum = (of: (report: NightReport) => number) => reports.reduce((so, report) => so + of(report), 0);
  const failing = reports.filter(({ violations, differs }) => differs || violations.length > 0);
  print(
    `\n${reports.length} nights in ${seconds.toFixed(0)} s: ${(sum(({ ms }) => ms) / reports.length).toFixed(0)} ms, ` +
      `${(sum(({ calls }) => calls) / reports.length).toFixed(0)} calls and ${
        sum(({ ends }) => ends.length)
      } processes in all; ` +
      `${sum(({ troubles }) => troubles)} troubles, ${sum(({ hours }) => hours).toFixed(0)} simulated hours`,
  );
  print(`ends: ${[...ends].map(([end, all]) => `${all.length} ${end}`).join(", ")}`);
  print(`${failing.length} do not hold`);
  for (const [kind, count] of [...kinds].sort(([, one], [, other]) => other - one)) {
    print(`${String(count).padStart(6)}  ${kind}`);
  }
  return failing.length === 0;
}

const { seed, seeds, from, workers, troubles, panes } = parseArgs(Deno.args, {
  boolean: ["panes"],
  string: ["seed", "seeds", "from", "workers", "troubles"],
});
const inPanes = panes === true;
const holds = seed === undefined
  ? await playAll({ from: Number(from ?? 0), seeds: Number(seeds ?? 2000), workers: Number(workers ?? 2), inPanes })
  : await playOne(Number(seed), { kept: troubles === undefined ? undefined : String(troubles), inPanes });
Deno.exit(holds ? 0 : 1);
