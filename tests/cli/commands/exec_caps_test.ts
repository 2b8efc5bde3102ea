import { assertEquals, assertStringIncludes } from "@std/assert";
import { execProject } from "./exec_project.ts";

Deno.test("max_tokens with a model that never finishes: the agent is ended, exit code 3, and --raise continues", async () => {
  await using project = await execProject();
  // Codex' own record of each reply; after the third it works on without an end, unless the project has a file `go`.
  const fake = `${project.sandbox.root}/bin/fake-codex`;
  const usage = `{\\"input_tokens\\":90,\\"cached_input_tokens\\":50,\\"output_tokens\\":10}`;
  const reply = `record token_usage_record "{\\"response_id\\":\\"r$it\\",\\"usage\\":${usage}}"`;
  const spins = `[ -e go ] || { for it in 1 2 3; do ${reply}; done; exec sleep 36000; }\ntouch "done-$number"`;
  const script = await Deno.readTextFile(fake);
  await Deno.writeTextFile(fake, script.replace('touch "done-$number"', () => spins));
  await Deno.writeTextFile(`${project.path}/task.md`, "Build.\n");
  const config = JSON.parse(await Deno.readTextFile(`${project.path}/panewright.jsonc`));
  const limits = { max_tokens: 250 };
  await Deno.writeTextFile(`${project.path}/panewright.jsonc`, JSON.stringify({ ...config, limits }));

  const capped = await project.run("exec", "task.md", "--pipeline", "single", "--json");
  assertEquals(capped.code, 3, capped.stderr);
  assertStringIncludes(capped.stderr, "Cannot continue: the cap max_tokens (250) is reached");
  const facts = capped.stdout.trim().split("\n").map((line) => JSON.parse(line));
  const end = facts.find(({ type }) => type === "run_finished");
  assertEquals(Object.values(end.usage), [{ inputTokens: 270, cachedInputTokens: 150, outputTokens: 30 }]);
  await project.sandbox.assertNothingLeft();

  await Deno.writeTextFile(`${project.path}/go`, "");
  const again = await project.run("resume", "--json");
  assertEquals([again.code, (await project.args()).length], [3, 1], again.stderr);
  const raised = await project.run("resume", "--json", "--raise", "max_tokens=600");
  assertEquals([raised.code, (await project.args()).length], [0, 2], raised.stderr);
});
