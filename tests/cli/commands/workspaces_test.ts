import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openWorkspace } from "../../../lib/workspace/open_workspace.ts";
import { callCli } from "../../support/call_cli.ts";
import { runProgram } from "../../support/program.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** Checkouts of a person, each with a commit, in a state folder of their own. */
async function checkouts(...names: readonly string[]) {
  const dir = await tempDir();
  const stateHome = useStateHome(`${dir.path}/state`);
  for (const name of names) {
    await dir.write({ [`${name}/a.txt`]: "one\n" });
    const script = "git init -q && git add . && git -c user.name=Me -c user.email=me@example.com commit -qm first";
    const { code, stderr } = await runProgram(["sh", "-c", script], {
      cwd: `${dir.path}/${name}`,
      env: { PATH: Deno.env.get("PATH") ?? "", HOME: dir.path },
      timeoutMs: 20_000,
    });
    assertEquals(code, 0, stderr);
  }
  const env = { HOME: dir.path, XDG_STATE_HOME: `${dir.path}/state` };
  return {
    dir,
    call: (name: string, ...args: readonly string[]) => callCli(args, { env, cwd: `${dir.path}/${name}` }),
    open: (name: string, task: string) =>
      openWorkspace(`${dir.path}/${name}`, { task, now: new Date(), signal: new AbortController().signal }),
    async [Symbol.asyncDispose]() {
      stateHome[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("the workspace of a checkout is the one that is meant where there is one only", async () => {
  await using all = await checkouts("shop", "blog");
  const none = await all.call("shop", "diff");
  assertEquals(none.code, 2);
  assertMatch(
    none.stderr,
    /Cannot tell which workspace is meant: \S+shop has none\n {2}There are no workspaces/,
  );
  const workspace = await all.open("shop", "Fix it");
  await Deno.writeTextFile(`${workspace.tree}/a.txt`, "two\n");
  for (const args of [["diff"], ["diff", "fix-it"]]) {
    assertMatch((await all.call("shop", ...args)).stdout, /-one\n\+two\n/);
  }
  assertMatch(
    (await all.call("blog", "diff")).stderr,
    /\S+blog has none\n {2}Name one: fix-it\./,
  );
  await all.open("shop", "Fix it");
  assertMatch((await all.call("shop", "diff")).stderr, /this checkout has 2\n {2}Name one: fix-it, fix-it-2\./);
});

Deno.test("apply, discard and workspaces tell what they did, in words and as JSON", async () => {
  await using all = await checkouts("shop");
  const { tree, workdir } = await all.open("shop", "Fix it");
  const [listed, json] = [await all.call("shop", "workspaces"), await all.call("shop", "workspaces", "--json")];
  assertMatch(listed.stdout, /^WORKSPACE {2}AGE.*\nfix-it/);
  assertEquals(JSON.parse(json.stdout).workdir, workdir);
  assertEquals(
    (await all.call("shop", "diff", "--stat")).stdout.split("\n")[0],
    "No file was changed in the workspace fix-it.",
  );
  await Deno.writeTextFile(`${tree}/a.txt`, "two\n");
  await Deno.writeTextFile(`${tree}/b\u0007.txt`, "b\n");
  assertStringIncludes(
    (await all.call("shop", "diff", "--stat")).stdout,
    "2 files, +2 −1\n  a.txt  +1 −1\n  b\\x07.txt  +1 −0\n",
  );
  const changed = JSON.parse((await all.call("shop", "diff", "--json")).stdout);
  assertEquals([changed.type, changed.files.length, changed.ref], ["workspace_result", 2, "refs/panewright/fix-it"]);
  const branched = await all.call("shop", "apply", "--branch", "fix", "--json");
  assertEquals(JSON.parse(branched.stdout).branch, "fix");
  const applied = await all.call("shop", "apply");
  assertMatch(applied.stdout, /^2 files of fix-it are in \S+shop:\n {2}a\.txt\n/);
  assertMatch((await all.call("shop", "apply")).stdout, /^There is nothing to apply/);
  const gone = await all.call("shop", "discard", "fix-it");
  assertEquals(gone.stdout, "The workspace fix-it is gone; refs/panewright/fix-it keeps what was done in it.\n");
  assertEquals((await all.call("shop", "workspaces")).stdout, "There are no workspaces.\n");
});

Deno.test("what cannot be done with workspaces is told with what can", async () => {
  await using all = await checkouts("shop");
  const { tree } = await all.open("shop", "Fix it");
  for (
    const [args, message] of [
      [
        ["apply", "fix-ti"],
        /Cannot find the workspace "fix-ti" \(did you mean "fix-it"\?\)|Cannot find the workspace "fix-ti"/,
      ],
      [["workspaces", "remove"], /Cannot do "remove" with workspaces/],
      [["workspaces", "list", "fix-it"], /Cannot list "fix-it": list takes no name/],
      [["apply", "fix-it", "--branch", "a..b"], /Cannot make the branch "a\.\.b": git takes no such name/],
      [["discard", "../fix-it"], /Cannot find the workspace "..\/fix-it"/],
    ] as const
  ) {
    const { code, stderr } = await all.call("shop", ...args);
    assertEquals(code, 2, stderr);
    assertMatch(stderr, message);
  }
  await Deno.writeTextFile(`${tree}/a.txt`, "of the agent\n");
  await all.dir.write({ "shop/a.txt": "of the person\n" });
  const { code, stderr } = await all.call("shop", "apply");
  assertEquals(code, 1);
  assertMatch(stderr, /the same lines of a\.txt\n {2}Nothing was written.*panewright apply fix-it --branch fix-it/);
  // What that says works as it is printed.
  assertEquals((await all.call("shop", "apply", "fix-it", "--branch", "fix-it")).code, 0);
  assertEquals(await Deno.readTextFile(`${all.dir.path}/shop/a.txt`), "of the person\n");
});
