/**
 * Small projects in three languages, each with a change that its tests check in part: what no test misses is found, what
 * one misses is told by the test's name.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { judged } from "../jobs/evidence/support.ts";
import { runProgram } from "../support/program.ts";

const PROJECTS = new URL("../../fixtures/projects/", import.meta.url);

interface Expected {
  readonly check: string;
  /** By path, what the line has in it that no test misses, or that one does. */
  readonly unnoticed: Readonly<Record<string, readonly string[]>>;
  readonly noticed: Readonly<Record<string, readonly string[]>>;
}

function filesIn(folder: URL, below = ""): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...Deno.readDirSync(new URL(`${below}`, folder))].flatMap(({ isDirectory, name }) =>
      isDirectory
        ? Object.entries(filesIn(folder, `${below}${name}/`))
        : [[`${below}${name}`, Deno.readTextFileSync(new URL(`${below}${name}`, folder))]]
    ),
  );
}

/** What of a place is in the text of a result: the lines that it names. */
function textAt(text: string, lines: string): string {
  const [first = 0, last = first] = lines.split("-").map(Number);
  return text.split("\n").slice(first - 1, last).join("\n");
}

const NEEDED: Readonly<Record<string, readonly [string, ...string[]]>> = {
  csv_js: ["node", "--version"],
  durations_py: ["python3", "-m", "pytest", "--version"],
  versions_go: ["go", "version"],
};

for (const [name, needed] of Object.entries(NEEDED)) {
  const isThere = await runProgram(needed, { cwd: "/", env: { PATH: Deno.env.get("PATH") ?? "" }, timeoutMs: 20_000 })
    .then(({ code }) => code === 0, () => false);
  Deno.test({
    name: `each place of a change that no test misses is found: ${name}${
      isThere ? "" : ` (no ${needed.join(" ")} here)`
    }`,
    ignore: !isThere,
    async fn() {
      const folder = new URL(`${name}/`, PROJECTS);
      const { check, noticed, unnoticed }: Expected = JSON.parse(
        await Deno.readTextFile(new URL("expected.json", folder)),
      );
      const [project, left] = [filesIn(new URL("base/", folder)), filesIn(new URL("result/", folder))];
      const settings = { budgetMinutes: 60, canaries: false };
      const { found, result } = await judged(left, { project, check, settings });
      assertEquals([result.outcome, found?.untried], ["pass", undefined]);
      const told = found?.hunks?.map(({ by = [], lines, noticed, path }) => ({
        ...{ path, noticed, by },
        text: textAt(left[path] ?? "", lines),
      })) ?? [];
      const places = (of: Expected["noticed"]) =>
        Object.entries(of).flatMap(([path, words]) => words.map((word) => ({ path, word })));
      for (const { path, word } of places(unnoticed)) {
        assertEquals(told.find((one) => one.path === path && one.text.includes(word))?.noticed, false, word);
      }
      for (const { path, word } of places(noticed)) {
        const place = told.find((one) => one.path === path && one.text.includes(word));
        assertEquals([place?.noticed, (place?.by.length ?? 0) > 0], [true, true], word);
      }
      assertEquals(told.length, [...places(unnoticed), ...places(noticed)].length, JSON.stringify(told, null, 2));
    },
  });
}
