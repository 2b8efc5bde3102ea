import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { execProject } from "./exec_project.ts";

Deno.test("a checkout whose runs are all in workspaces: each command that names no run knows all of them, not those of one", async () => {
  await using project = await execProject();
  const git = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  const begun = await runProgram(["sh", "-c", git], { cwd: project.path, env: project.env, timeoutMs: 20_000 });
  assertEquals(begun.code, 0, begun.stderr);
  assertEquals((await project.run("trust", "--yes")).code, 0);
  await Deno.writeTextFile(`${project.path}/later.md`, "Build it.\n");
  const asking = await project.run("exec", "task.md", "--workspace", "--no-input");
  assertEquals(asking.code, 3, asking.stderr);
  const later = await project.run("exec", "later.md", "--pipeline", "single", "--workspace", "--no-input");
  assertEquals(later.code, 0, later.stderr);

  const runs = (await project.run("runs", "--json")).stdout.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(runs.map(({ state }) => state).toSorted(), ["passed", "waiting"]);
  const { run } = runs.find(({ state }) => state === "waiting");
  assertStringIncludes((await project.run("questions")).stdout, "Which database?");
  assertStringIncludes((await project.run("complete", "--", "answer", "")).stdout, run);
  {
    await using server = project.start("serve", "--port", "0", "--json");
    const told = await until(() => server.output.stdout.split("\n")[0], (line) => line !== "");
    assertEquals(JSON.parse(told ?? "").workdirs, [await Deno.realPath(project.path)]);
  }
  // The newest run, and the newest that is left to do, are two.
  assertMatch((await project.run("status")).stdout, /passed/i);
  const answered = await project.run("answer", "SQLite");
  assertEquals(answered.code, 0, answered.stderr);
  assertStringIncludes(answered.stdout, run);
  const resumed = await project.run("resume", "--no-input");
  assertEquals(resumed.code, 0, resumed.stderr);
  assertStringIncludes(resumed.stderr, `run ${run} resumed`);
  assertMatch((await project.run("resume")).stderr, /every run is over/);
});
