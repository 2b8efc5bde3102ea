/** Loops of fewer roles: who works, who does not, and what decides. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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

Deno.test("run: roles of a configuration's own, a Codex that designs and a Claude Code that reviews, in panes of their own", async () => {
  await using project = await reviewProject({
    also: ["claude_code"],
    config: {
      loop: "designer, programmer, security",
      roles: {
        designer: { gives: "work", prompt: "designer.md" },
        security: { reviews: "programmer", prompt: "security.md", provider: "claude_code" },
      },
      permissions: { deny: [{ command: "curl **", roles: ["security"] }] },
    },
    files: { "designer.md": "Draw it first.\n", "security.md": "Look for holes.\n" },
  });
  const shown = await project.run("show-roles", "panewright.jsonc");
  assertEquals([shown.code, shown.stderr], [0, ""]);
  assertMatch(shown.stdout, /2 {2}programmer .*\n {2}3 {2}security +claude_code, pane +REVISE: programmer/);
  const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
  assertEquals(code, 0, stderr + stdout);
  const events = parseEvents(stdout);
  const turns = events.filter(({ type }) => type === "turn_started").map(({ role = "" }) => role);
  assertEquals(turns.slice(0, 5), ["designer", "programmer", "security", "programmer", "security"]);
  const starts = stdout.split("\n").filter((line) => line.includes('"agent_starting"')).map((line) => JSON.parse(line));
  assertEquals(starts.map(({ role, provider }) => `${role}: ${provider}`).sort(), [
    "designer: codex",
    "programmer: codex",
    "security: claude_code",
  ]);
  assertEquals([...project.model.prompts.keys()].sort(), [
    "designer_response",
    "programmer_summary",
    "security_response",
  ]);
  const told = (name: string) => project.model.prompts.get(name)![0]!;
  assertStringIncludes(told("designer_response"), "Draw it first.");
  assertStringIncludes(told("programmer_summary"), "OUTPUT OF THE DESIGNER");
  assertStringIncludes(told("security_response"), "Look for holes.");
  assertEquals(await Deno.readTextFile(`${project.sandbox.project}/greeting.txt`), "hello, world\n");
  const status = await project.run("status", "--json");
  assertEquals(JSON.parse(status.stdout.split("\n")[0]!).progress.roles, ["designer", "programmer", "security"]);
  await project.sandbox.assertNothingLeft();
});
