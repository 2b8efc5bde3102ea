import { assertEquals, assertStringIncludes } from "@std/assert";
import { shellJoin } from "../../lib/shell/mod.ts";
import { readMarkdown } from "../support/markdown.ts";
import { panewrightFromSource } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { answerOf, JOB, reviewProject } from "./review_project.ts";
import { createReviewModel } from "./review_model.ts";

const README = new URL("../../README.md", import.meta.url);

Deno.test("README.md's commands for an own job, as they stand, take a project with real agents to PASS", async () => {
  const readme = await Deno.readTextFile(README);
  const section = readme.split(/^## /m).find((part) => part.startsWith("Run your own job")) ?? "";
  const [commands] = readMarkdown(section).blocks;
  assertEquals([commands?.language, commands?.text.trim().split("\n").length], ["sh", 4]);

  const panewright = await panewrightFromSource();
  // The programmer's third change, the first one that is right: rounds are the subject of other tests.
  const { respond } = createReviewModel((name, turn) => answerOf(name, name === "programmer_summary" ? 3 : turn));
  await using project = await reviewProject({ panewright, respond });
  const { sandbox: { root, project: folder }, env } = project;
  // A project as a person has it, who knows nothing of panewright.
  for (const name of ["panewright.jsonc", "job.md"]) await Deno.remove(`${folder}/${name}`);
  await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ scripts: { test: "sh check.sh" } }));
  await Deno.mkdir(`${root}/bin`);
  await script(`${root}/bin/panewright`, `exec ${shellJoin(panewright.argv)} "$@"`);
  await Deno.writeTextFile(`${root}/job`, JOB);
  await script(`${root}/bin/editor`, `cp '${root}/job' "$1"`);

  const { code, stdout, stderr } = await runProgram(["sh", "-e", "-c", commands?.text ?? ""], {
    cwd: folder,
    // Nobody who begins has told panewright to trust everything.
    env: { ...env, PANEWRIGHT_TRUST: "0", PATH: `${root}/bin:${env["PATH"]}`, EDITOR: "editor" },
    timeoutMs: 120_000,
  });
  assertEquals(code, 0, stdout + stderr);
  assertStringIncludes(stderr, "project tests: npm test\n");
  assertStringIncludes(stdout, "✓ PASS  ");
  for (const role of ["analyst", "analyst_review", "programmer", "programmer_review", "tester"]) {
    assertStringIncludes(stderr, `${role}: `);
  }
  // Neither colour nor cursor movement where stderr is no terminal.
  assertEquals(stderr.includes("\x1b"), false);
  assertEquals(await Deno.readTextFile(`${folder}/greeting.txt`), "hello, world\n");
  await project.sandbox.assertNothingLeft();
});

async function script(path: string, command: string): Promise<void> {
  await Deno.writeTextFile(path, `#!/bin/sh\n${command}\n`, { mode: 0o755 });
}
