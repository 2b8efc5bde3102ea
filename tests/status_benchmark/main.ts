/**
 * The benchmark of docs/status-benchmark.md.
 *
 * - `deno task benchmark:status` scores panewright's rules and writes the document's tables.
 * - `--export FILE` writes the screens, without their truth, as NDJSON.
 * - `--predictions FILE` scores what any tool made of them.
 */
import { parseArgs } from "@std/cli/parse-args";
import { withTables } from "../support/document_tables.ts";
import { matrices, PAGE, pageTables, scoreTable, type Told } from "./page.ts";
import { exported, readSamples, toldByRules } from "./samples.ts";
import { parsePredictions } from "./score.ts";

async function main(): Promise<void> {
  const args = parseArgs(Deno.args, { string: ["export", "predictions"] });
  const samples = await readSamples();
  if (args["export"] !== undefined) {
    const path = String(args["export"]);
    await Deno.writeTextFile(path, exported(samples).map((screen) => `${JSON.stringify(screen)}\n`).join(""));
    print(`${path}: ${samples.length} screens`);
    return;
  }
  if (args["predictions"] !== undefined) {
    const path = String(args["predictions"]);
    const statuses = parsePredictions(await Deno.readTextFile(path), samples);
    const missing = samples.filter(({ id, alone }) => alone && !statuses.has(id)).length;
    printScore({ tool: path.split("/").at(-1) ?? path, statuses });
    if (missing > 0) print(`\n${missing} screens have no prediction; they count as unknown.`);
    return;
  }
  await Deno.writeTextFile(PAGE, await withTables(await Deno.readTextFile(PAGE), pageTables(samples)));
  printScore({ tool: "panewright", statuses: toldByRules(samples) });

  function printScore(told: Told): void {
    print(`${scoreTable(samples, [told])}\n\n${matrices(samples, told)}`);
  }
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) await main();
