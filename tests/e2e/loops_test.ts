/** Loops of fewer roles: who works, who does not, and what decides. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { reviewProject } from "./review_project.ts";

const LOOPS: readonly (readonly [string, CliName, readonly string[]])[] = [
  ["pair", "codex", ["programmer", "programmer_review"]],
  ["solo", "claude_code", ["programmer"]],
  ["spec-first", "codex", ["tester", "programmer", "programmer_review"]],
  ["analyst, programmer, tester", "codex", ["analyst", "programmer", "tester"]],
];

for (const [loop, provider, roles] of LOOPS) {
  Deno.test(`run --loop ${loop}: real ${CLI_LABELS[provider]}s in panes go on until the project's test command passes`, async () => {
    await using project = await reviewProject({
      provider,
      config: { roles: { programmer: { prompt: "words.md" } } },
      files: { "words.md": "Write in small letters.\n" },
    });
    const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--loop", loop, "--json");
    assertEquals(code, 0, stderr + stdout);
    const events = parseEvents(stdout);
    const all = (type: string) => events.filter((event) => event.type === type);
    assertEquals([...new Set(all("agent_starting").map(({ role }) => role))].sort(), [...roles].sort());
    assertEquals([...new Set(all("turn_started").map(({ role = "" }) => role))], roles);
    const verdicts = all("test_command_finished").map(({ passed }) => passed);
    assertEquals([verdicts.length > 1, verdicts.indexOf(true)], [true, verdicts.length - 1]);
    assertEquals(all("round_finished").map(({ verdict }) => verdict === "PASS"), verdicts);
    assertEquals(await Deno.readTextFile(`${project.sandbox.project}/greeting.txt`), "hello, world\n");
    for (const [name, prompts] of project.model.prompts) {
      assertEquals(
        prompts.every((prompt) => prompt.includes("Write in small letters.")),
        name === "programmer_summary",
      );
    }
    await project.sandbox.assertNothingLeft();
  });
}

Deno.test("run --loop pair without a test command, or from a role that it has not, is refused before anything starts", async () => {
  await using project = await reviewProject({ config: { project_test_cmd: undefined } });
  const refused = await project.run("run", "panewright.jsonc", "--loop", "pair");
  assertEquals(refused.code, 2);
  assertStringIncludes(
    refused.stderr,
    "--loop: is pair, which has no tester: only project_test_cmd can tell there whether the work is done",
  );
  const without = await project.run(
    ...["run", "panewright.jsonc", "--loop", "solo", "--test-cmd", "true", "--start-agent", "tester"],
  );
  assertEquals(without.code, 2);
  assertStringIncludes(without.stderr, "--start-agent: is tester, but the loop solo has only programmer");
});
