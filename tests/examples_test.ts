import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../lib/cli/main.ts";
import { loadConfig } from "../lib/config/load.ts";
import { toRunPlan } from "../lib/config/plan.ts";
import { unwrittenSections } from "../lib/jobs/review_loop/job_template.ts";
import { systemProcessRunner } from "../lib/base/ports/process.ts";
import { fakeIo } from "./support/fake_io.ts";
import { type TempDir, tempDir } from "./support/temp_dir.ts";

const EXAMPLES = new URL("../examples/", import.meta.url).pathname;

/** A copy of an example, with CLIs that are only there to be found. */
async function example(name: string): Promise<TempDir & { readonly project: string }> {
  const dir = await tempDir();
  const project = `${dir.path}/${name}`;
  await systemProcessRunner.run({ argv: ["cp", "-R", `${EXAMPLES}${name}`, project] });
  const programs = ["codex", "claude", "my-agent"];
  await dir.write(Object.fromEntries(programs.map((program) => [`bin/${program}`, "#!/bin/sh\n"])));
  for (const program of programs) await Deno.chmod(`${dir.path}/bin/${program}`, 0o755);
  return { ...dir, project };
}

async function run(dir: TempDir & { readonly project: string }, ...args: readonly string[]) {
  const io = fakeIo({ cwd: dir.project, env: { PATH: `${dir.path}/bin:/usr/bin:/bin` } });
  const code = await runCli(args, io);
  return { code, stdout: io.written.stdout, stderr: io.written.stderr };
}

/** What the project's tests say before any agent has worked. */
async function testsOf({ project }: { readonly project: string }) {
  return await systemProcessRunner.run({ argv: ["sh", "test.sh"], cwd: project });
}

const LOOPS = [["review-loop", "panewright.jsonc"], ["unattended", "panewright.jsonc"], [
  "unattended",
  "sandbox.jsonc",
]];
const PIPELINES = [
  ["pipeline", ["plan", "build"]],
  ["pipeline-with-review", ["implement", "review", "document"]],
  ["ci", ["work"]],
  ["own-agent", ["work"]],
  ["side-by-side", ["work"]],
] as const;

Deno.test("examples/README.md names each example, and each has a test here", async () => {
  const folders = (await Array.fromAsync(Deno.readDir(EXAMPLES))).filter(({ isDirectory }) => isDirectory)
    .map(({ name }) => name).toSorted();
  assertEquals(folders, [...new Set([...LOOPS, ...PIPELINES].map(([name]) => name))].toSorted());
  const index = await Deno.readTextFile(`${EXAMPLES}README.md`);
  for (const name of folders) assertStringIncludes(index, `[${name}](${name}/README.md)`);
});

for (const [name = "", file = ""] of LOOPS) {
  Deno.test(`examples/${name}: ${file} makes a plan with a job and with tests that fail before the work`, async () => {
    await using dir = await example(name);
    const shown = await run(dir, "config", "show", file);
    assertEquals([shown.code, shown.stderr], [0, ""]);
    const loaded = await loadConfig({ cwd: dir.project, path: file, env: () => undefined });
    assertEquals([toRunPlan(loaded).loop.projectTestCmd, unwrittenSections(loaded.job)], [["sh", "test.sh"], []]);
    const policy = await run(dir, "permissions", "test", "--config", file, "--json", "sh test.sh");
    assertEquals(
      JSON.parse(policy.stdout).decision,
      "allow",
      "nobody is asked for what the job tells the tester to run",
    );
    const { code, stdout } = await testsOf(dir);
    assertEquals([code, stdout.trimEnd().split("\n").length], [1, 4]);
  });
}

for (const [name, steps] of PIPELINES) {
  Deno.test(`examples/${name} validates without a warning, and dry-runs with every step`, async () => {
    await using dir = await example(name);
    assertEquals(await run(dir, "validate", "tasks/"), { code: 0, stdout: "0 errors, 0 warnings\n", stderr: "" });
    const preview = await run(dir, "exec", "tasks/", "--dry-run", "--verbose");
    assertEquals([preview.code, preview.stderr], [0, ""]);
    for (const step of steps) assertStringIncludes(preview.stdout, step);
    assertEquals((await testsOf(dir)).code, 0);
  });
}

Deno.test("examples/unattended: the policy decides as its README says", async () => {
  await using dir = await example("unattended");
  const readme = await Deno.readTextFile(`${dir.project}/README.md`);
  const said = [...readme.matchAll(/^panewright permissions test '(.+)' *# (allow|ask|deny)/gm)];
  assert(said.length >= 3);
  for (const [, subject = "", decision] of said) {
    const { stdout } = await run(dir, "permissions", "test", "--json", subject);
    assertEquals(JSON.parse(stdout).decision, decision, subject);
  }
  const subjects = ["git push", "git reset --hard", "git commit -m x", '{"kind":"file_edit","subject":"test.sh"}'];
  const told = await run(dir, "permissions", "test", "--json", ...subjects.slice(0, 3));
  const edit = await run(dir, "permissions", "test", "--json", "--kind", "file_edit", "test.sh");
  const decisions = `${told.stdout}${edit.stdout}`.trimEnd().split("\n").map((line) => JSON.parse(line).decision);
  assertEquals(decisions, ["deny", "deny", "ask", "ask"]);
});

Deno.test("examples/ci: the workflow runs what the README says, with a task that is there", async () => {
  await using dir = await example("ci");
  const workflow = await Deno.readTextFile(`${dir.project}/.github/workflows/tasks.yml`);
  const args = /args: \|\n((?: {12}\S.*\n)+)/.exec(workflow)?.[1]?.trim().split(/\s+/) ?? [];
  const readme = await Deno.readTextFile(`${dir.project}/README.md`);
  const [, command = ""] = /^panewright (.+?) *#/m.exec(readme) ?? [];
  assertEquals(["exec", "tasks/", "--trust", ...args.slice(2)].join(" "), command);
  const preview = await run(dir, ...args, "--dry-run");
  assertEquals([preview.code, preview.stderr], [0, ""]);
});
