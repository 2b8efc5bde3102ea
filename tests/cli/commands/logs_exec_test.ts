import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { execProject } from "./exec_project.ts";

Deno.test("logs --follow of an exec: what the agent says and runs, as it happens, and after it", async () => {
  await using project = await execProject();
  await project.holdAgent();
  await using running = project.start("exec", "task.md", "--pipeline", "single", "--json");
  await until(() => running.output, ({ stdout }) => stdout.includes("Looking around."));
  const { panewright: { argv }, path: cwd, env } = project;
  await using following = startProgram([...argv, "logs", "--follow"], { cwd, env });
  await until(() => following.output, ({ stdout }) => stdout.includes(" said: Looking around.\n"));
  const [run] = [...Deno.readDirSync(`${cwd}/.panewright/runs`)];
  const log = `${cwd}/.panewright/runs/${run?.name}/steps/01-only/attempt-1/log.txt`;
  const at = new Date().toISOString();
  const rows = [
    "$ npm test &&",
    "  rm -rf \x1b[2J",
    `${at} exit 1 of npm test &&`,
    "  failed",
    `${at} $ npm run later`,
  ];
  await Deno.writeTextFile(log, `${at} ${rows.join("\n")}\n`, { append: true });
  await until(() => following.output, ({ stdout }) => stdout.includes("npm run later"));
  assertMatch(
    following.output.stdout,
    /Z said: Looking around\.\n\S+Z \$ npm test && rm -rf .*\n\S+Z exit code 1: npm test &&\n\S+Z \$ npm run later\n$/,
  );
  assertEquals(following.output.stdout.includes("\x1b"), false);
  running.kill("SIGTERM");
  assertEquals((await running.ended).code, 143);
  const { code, stdout } = await following.ended;
  assertEquals(code, 0);
  assertMatch(stdout, /INTERRUPTED .*\n.*Resume with: .*\n$/);

  // Afterwards it is told in the same order; without --follow only the records are.
  assertEquals((await project.call("logs", "--follow")).stdout, stdout);
  assertStringIncludes((await project.call("logs")).stdout, "attempt-1/log.txt");
  assertEquals((await project.call("logs", "--verbose")).stdout.includes("npm run later"), false);
});
