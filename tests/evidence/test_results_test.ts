import { assertEquals } from "@std/assert";
import { resultsIn } from "../../lib/evidence/test_results.ts";

const FOLDER = new URL("../../fixtures/test_runners/", import.meta.url);

for (const { name } of [...Deno.readDirSync(FOLDER)].filter(({ name }) => name.endsWith(".txt"))) {
  Deno.test(`what a runner tells of its tests is read by name: ${name}`, async () => {
    const { tests, total } = resultsIn(await Deno.readTextFile(new URL(name, FOLDER)))!;
    const expected = new URL(name.replace(".txt", ".json"), FOLDER);
    const read = { total, tests: Object.fromEntries(tests) };
    if (Deno.env.get("UPDATE_RESULTS") !== undefined) {
      await Deno.writeTextFile(expected, JSON.stringify(read, null, 2) + "\n");
    }
    assertEquals(read, JSON.parse(await Deno.readTextFile(expected)));
  });
}
