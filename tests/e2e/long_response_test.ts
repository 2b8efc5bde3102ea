import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { passAfter, setUpFailureStage } from "./failures_stage.ts";

/** Of a report this is the beginning, and the end with a verdict that is its own. */
const REPORT = Array.from({ length: 3000 }, (_, line) => `Report line ${line}: nothing was to be done.`).join("\n");

/** Its two files have names without slash and extension. */
const REVIEW = [
  "REVIEW_RESULT: APPROVED",
  "REVIEW_NOTES:",
  "- The plan is complete and correct.",
  "- I opened Makefile and Учёба.",
  "- Keep Makefile as it is.",
].join("\n");

Deno.test("a whole run: of a very long report the others get its ends and its file, and names that exist are evidence", async () => {
  const respond = (response: string) => [{ think: 100 }, { respond: response }, { stream: "Done." }];
  await using stage = await setUpFailureStage({
    tester: passAfter(100),
    others: { programmer: respond(REPORT), programmer_review: respond(REVIEW) },
    config: {
      start_agent: "programmer",
      limits: {
        max_rounds: 1,
        max_review_cycles: 1,
        at_review_limit: "fail",
        min_review_cycles_before_approval: 1,
        max_agent_restarts: 0,
      },
    },
  });
  const { project } = stage.sandbox;
  await Deno.writeTextFile(`${project}/Makefile`, "all:\n");
  await Deno.writeTextFile(`${project}/Учёба`, "");
  await using run = stage.run();
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  const received = run.facts().filter(({ type }) => type === "response_received");
  assertEquals(received.map(({ names }) => names), [
    undefined,
    { files: ["Makefile", "Учёба"], folders: [] },
    undefined,
  ]);

  const file = String(received[0]?.["archivedAs"]);
  assert(file.startsWith(`${project}/`));
  assertEquals(await Deno.readTextFile(file), REPORT);
  const folder = await run.folder();
  for (const turn of ["r1-programmer_review-c1", "r1-tester"]) {
    const prompt = await Deno.readTextFile(`${folder}/messages/${turn}.md`);
    assertLess(prompt.length, 26_000, turn);
    assertStringIncludes(prompt, `OUTPUT OF THE PROGRAMMER, condensed; read what is missing in ${file}`);
    assertStringIncludes(prompt, "Report line 0:");
    assertStringIncludes(prompt, "Report line 2999:");
    assertStringIncludes(prompt, " lines left out, ");
  }
  await stage.sandbox.assertNothingLeft();
});
