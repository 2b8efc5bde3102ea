import { assertEquals, assertMatch } from "@std/assert";
import { exists } from "@std/fs";
import { runProgram } from "../../support/program.ts";
import { execProject } from "./exec_project.ts";

Deno.test("each turn in a workspace can be looked at and undone, and an undo can be undone", async () => {
  await using project = await execProject();
  const { env, path } = project;
  const git = "git init -q -b main && git add -A && git -c user.name=A -c user.email=a@example.com commit -qm first";
  assertEquals((await runProgram(["sh", "-c", git], { cwd: path, env, timeoutMs: 20_000 })).code, 0);
  const ran = await project.run("exec", "Build a login.", "--workspace", "--no-input");
  assertEquals(ran.code, 0, ran.stderr);
  const { name, workdir } = JSON.parse((await project.run("workspaces", "--json")).stdout);
  const there = async () =>
    (await Promise.all([1, 2, 3].map(async (at) => await exists(`${workdir}/done-${at}`) ? at : []))).flat();

  const turns = await project.run("diff", name, "--turns");
  assertMatch(turns.stdout, /^ +1 {2}first, attempt 1 +\S+\n +2 {2}build, attempt 1 .*\n +3 {2}last, attempt 1 .*\n$/);
  const told = JSON.parse((await project.run("diff", name, "--turn", "2", "--json")).stdout);
  assertEquals([told.type, told.number, told.patch.startsWith("diff --git ")], ["workspace_turn", 2, true]);
  const second = await project.run("diff", name, "--turn", "2");
  assertEquals([second.stdout.includes("b/done-2"), second.stdout.includes("b/done-1")], [true, false]);
  await Deno.writeTextFile(`${workdir}/.panewright/kept.txt`, "ignored\n");

  const undone = await project.run("undo", name);
  assertMatch(undone.stdout, /^The files of \S+ are as they were after turn 2\.\n/);
  assertEquals(await there(), [1, 2]);
  assertEquals((await project.run("undo", name)).code, 0);
  assertEquals(await there(), [1, 2, 3]);
  // What a person has made in it is not lost either.
  await Deno.writeTextFile(`${workdir}/own.txt`, "mine\n");
  const begin = await project.run("undo", name, "--turn", "0");
  assertMatch(begin.stdout, /^The files of \S+ are as they were at the beginning\.\nNo file was changed/);
  assertEquals([await there(), await exists(`${workdir}/own.txt`)], [[], false]);
  assertEquals((await project.run("undo", name)).code, 0);
  assertEquals([await there(), await Deno.readTextFile(`${workdir}/own.txt`)], [[1, 2, 3], "mine\n"]);
  assertEquals(await exists(`${workdir}/.panewright/kept.txt`), true);

  const forked = await project.run("fork", name, "Another way, please", "--turn", "1", "--no-input");
  assertEquals(forked.code, 0, forked.stderr);
  const other = JSON.parse((await project.run("workspaces", "--json")).stdout.trim().split("\n").at(-1) ?? "");
  assertEquals(other.name, `${name}-2`);
  assertMatch((await project.prompts()).join("\n"), /Another way, please/);
  const changed = await project.run("diff", other.name, "--stat");
  // What was there after that turn, and what was done from there: not what other turns had made.
  assertEquals(["done-1", "done-2", "done-4"].map((file) => changed.stdout.includes(file)), [true, false, true]);
  assertEquals(await there(), [1, 2, 3]);

  // What git ignores by now, and no commit has, is in nobody's way.
  await Deno.writeTextFile(`${workdir}/.gitignore`, "done-3\n");
  await Deno.remove(`${workdir}/done-3`);
  assertEquals((await project.run("undo", name, "--turn", "2")).code, 0);
  await Deno.writeTextFile(`${workdir}/.gitignore`, "done-3\n");
  await Deno.writeTextFile(`${workdir}/done-3`, "no commit has this\n");
  const inTheWay = await project.run("undo", name, "--turn", "3");
  assertEquals(
    [inTheWay.code, await Deno.readTextFile(`${workdir}/done-3`)],
    [2, "no commit has this\n"],
    inTheWay.stderr,
  );
  assertMatch(inTheWay.stderr, /done-3/);

  const none = await project.run("undo", name, "--turn", "99");
  assertEquals(none.code, 2);
  assertMatch(none.stderr, /^panewright: Cannot find turn 99 of \S+: turns that have changed a file are 1, 2, 3/);
});
