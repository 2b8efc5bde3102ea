/** A run that the system's own timers begin. What at is given is carried out here. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { runProgram } from "../support/program.ts";
import { until } from "../support/until.ts";
import { reviewProject } from "./review_project.ts";

const AT = '#!/bin/sh\ncat >"$HOME/at.script"\necho "job 3 at Wed Dec  2 02:00:00 2026" >&2\n';

Deno.test("run --at: five real Codexes in panes, begun by a timer with none of this environment, to a PASS", async () => {
  await using project = await reviewProject();
  const { home, root } = project.sandbox;
  await Deno.mkdir(`${root}/timers`);
  await Deno.writeTextFile(`${root}/timers/at`, AT, { mode: 0o755 });
  const PATH = `${root}/timers:${project.env["PATH"]}`;
  const run = (...args: readonly string[]) =>
    runProgram([...project.argv, "run", ...args], {
      cwd: project.sandbox.project,
      env: { ...project.env, PATH },
      timeoutMs: 60_000,
    });
  const missing = await run("gone.jsonc", "--at", "02:00");
  assertEquals([missing.code, await exists(`${home}/at.script`)], [2, false], missing.stderr);
  const planned = await run("--at", "02:00", "--keep-env", "OPENAI_API_KEY");
  assertEquals(planned.code, 0, planned.stderr);
  assertStringIncludes(planned.stderr, "atrm 3");
  assertEquals([project.replies(), await exists(`${project.sandbox.project}/.panewright/runs`)], [0, false]);

  const script = await Deno.readTextFile(`${home}/at.script`);
  const { code, stderr } = await runProgram(["/bin/sh", "-c", script], { cwd: "/", env: {}, timeoutMs: 60_000 });
  assertEquals([code, stderr], [0, ""]);
  const { state } = await until(
    async () => JSON.parse((await project.run("show", project.runId(), "--json")).stdout),
    ({ state }) => state !== "running" && state !== "empty",
  );
  assertEquals(state, "passed");
});
