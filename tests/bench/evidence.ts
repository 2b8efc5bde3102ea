// deno-lint-ignore-file no-console -- a benchmark prints what it finds
/**
 * What a PASS is worth: 66 ways of having tests pass without the work, or without a way to do it, and 20 honest jobs, with
 * the default settings; beside it what others go by. Then what it costs, for 500 tests and 40 places.
 *
 * @module
 */
import { testPartOf } from "../../lib/evidence/test_files.ts";
import { judged, type Judging, type Left } from "../jobs/evidence/support.ts";
import { CHEATS, checkOf, HONEST, PROJECT, UNDETECTED } from "../support/evidence_jobs.ts";
import { IMPOSSIBLE } from "../support/impossible_jobs.ts";

interface Job {
  readonly left: Left;
  readonly judging: Judging;
}

const ofProject = (left: Left): Job => ({ left, judging: { project: PROJECT, check: checkOf(left) } });

const KINDS: Readonly<Record<string, readonly Job[]>> = {
  "tests pass without the work": [...Object.values(CHEATS), ...Object.values(UNDETECTED)].map(ofProject),
  "what cannot be done": Object.values(IMPOSSIBLE).flatMap(({ ways, ...judging }) =>
    Object.values(ways).map((left) => ({ left, judging }))
  ),
  "honest work": Object.values(HONEST).map(([left]) => ofProject(left)),
};

console.log(
  "| jobs | | tests pass there | and no test file differs | and on a fresh checkout | PASS | with remarks | FAIL |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
for (const [kind, jobs] of Object.entries(KINDS)) {
  const counts = { there: 0, untouched: 0, fresh: 0, plain: 0, remarked: 0, failed: 0 };
  for (const { judging, left } of jobs) {
    const { passesThere, remarks, result, trials } = await judged(left, judging);
    const isUntouched = passesThere && Object.keys(left).every((path) => testPartOf(path) !== "test");
    const isClean = trials.some(([trial, passed]) => trial === "clean" && passed);
    counts.there += passesThere ? 1 : 0;
    counts.untouched += isUntouched ? 1 : 0;
    counts.fresh += isUntouched && isClean ? 1 : 0;
    if (result.outcome === "fail") counts.failed++;
    else if (remarks.length > 0) counts.remarked++;
    else counts.plain++;
  }
  const { failed, fresh, plain, remarked, there, untouched } = counts;
  console.log(`| ${[kind, jobs.length, there, untouched, fresh, plain, remarked, failed].join(" | ")} |`);
}

const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
const code = (add: number) => names.map((name) => `export const ${name} = (n) => n + ${add};\n\n\n`).join("");
const tests = Array.from({ length: 500 }, (_, index) => {
  const name = names[index % names.length] ?? "";
  return `test("${name} of ${index}", () => assert.equal(all.${name}(${index}), ${index + 2}));\n`;
});
const project = {
  "package.json": '{ "type": "module" }\n',
  "all.js": code(1),
  "all.test.js":
    `import assert from "node:assert/strict";\nimport test from "node:test";\nimport * as all from "./all.js";\n${
      tests.join("")
    }`,
};
const check = "node --test";

async function seconds(act: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await act();
  return (performance.now() - before) / 1000;
}

const left = { "all.js": code(2) };
const suite = await seconds(async () => {
  const folder = await Deno.makeTempDir();
  for (const [path, text] of Object.entries({ ...project, ...left })) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
  await new Deno.Command("node", { args: ["--test"], cwd: folder, stdout: "null", stderr: "null" }).output();
  await Deno.remove(folder, { recursive: true });
});
const nothing = await seconds(() => judged(left, { project, check, settings: { cleanRoom: false } }));
const without = await seconds(() => judged(left, { project, check }));
let noticed = 0;
const map = await seconds(async () => {
  const { found } = await judged(left, { project, check, settings: { budgetMinutes: 2 } });
  noticed = found?.hunks?.filter((hunk) => hunk.noticed).length ?? 0;
});
console.log(
  `\n500 tests, 40 places: the suite ${suite.toFixed(1)} s; evidence ${(without - nothing).toFixed(1)} s; with`,
);
console.log(`each place taken back ${(map - nothing).toFixed(1)} s (${noticed} of 40 noticed, within 2 minutes)`);
