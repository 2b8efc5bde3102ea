import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { processesWith } from "../agents/process/support.ts";
import { pipelineProject } from "./pipeline_project.ts";

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`CI, ${provider}: it asks, exits with 3, and stores .panewright; another machine with a checkout answers and goes on`, async () => {
    // What the CLI's session knew is not on the other machine: the run begins a new one, whatever is set.
    await using project = await pipelineProject({ provider, resume: "native" });
    const { root, project: folder } = project.sandbox;
    const git = (...args: readonly string[]) => shell("git", "-C", folder, ...args);
    await git("add", "--all");
    await git("-c", "user.name=CI", "-c", "user.email=ci@example.com", "commit", "--quiet", "--message=Start");
    const asked = await project.run("exec", "task.md", "--no-input", "--json");
    assertEquals(asked.code, 3, asked.stderr);
    const run = /"runId":"([^"]+)"/.exec(asked.stdout)?.[1] ?? "";
    await shell("tar", "-C", folder, "-czf", `${root}/run.tgz`, ".panewright");

    const checkout = `${root}/elsewhere/code/shop`;
    await shell("git", "clone", "--quiet", folder, checkout);
    await Deno.remove(folder, { recursive: true });
    const call = await project.elsewhere(checkout);
    await shell("tar", "-C", checkout, "-xzf", `${root}/run.tgz`);
    assertStringIncludes((await call("questions")).stdout, "Which database?");
    const answered = await call("answer", run, "--question", "q1", "PostgreSQL", "--trust");
    assertEquals(answered.code, 0, answered.stderr);
    const resumed = await call("resume", run, "--trust", "--no-input");
    assertEquals(resumed.code, 0, resumed.stderr);
    assertMatch(resumed.stdout, /^✓ PASS +/m);
    assertStringIncludes(resumed.stderr, `it was carried here from ${folder}`);

    assertEquals(await Deno.readTextFile(`${checkout}/database.txt`), "PostgreSQL\n");
    const [, , continued = ""] = project.prompts;
    for (const text of ["Store the users", "Which database?", "PostgreSQL", `The project was in ${folder} before`]) {
      assertStringIncludes(continued, text);
    }
    assertEquals(project.prompts.length, 4);
    // The first machine is gone for good.
    assertEquals(await exists(folder), false);
    const journal = await Deno.readTextFile(`${checkout}/.panewright/runs/${run}/journal.ndjson`);
    assertNotMatch(
      journal.slice(journal.indexOf('"run_resumed"')).replace(/"carriedFrom":"[^"]*"/, ""),
      RegExp(folder),
    );
    assertEquals(await processesWith(root), []);
  });
}

/** Calls a program that must succeed. */
async function shell(...argv: readonly [string, ...string[]]): Promise<void> {
  const { code, stderr } = await systemProcessRunner.run({ argv });
  assertEquals(code, 0, stderr);
}
