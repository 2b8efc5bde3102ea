import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname } from "@std/path/posix";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { EVIDENCE_SETTINGS } from "../../../lib/evidence/settings.ts";
import { withNotes } from "../../../lib/jobs/evidence/noted.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
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

Deno.test("apply --hunks: a person takes some of the places that were changed; a second one shows those that are left", async () => {
  await using all = await checkouts("shop");
  const lines = (change: Readonly<Record<number, string>>) =>
    Array.from({ length: 30 }, (_, at) => `${change[at] ?? `line ${at}`}\n`).join("");
  await all.dir.write({ "shop/a.txt": lines({}) });
  const { tree } = await all.open("shop", "Fix it");
  await Deno.writeTextFile(`${tree}/a.txt`, lines({ 2: "TWO", 15: "fünfzehn", 28: "END" }));
  // No UTF-8, and no text.
  await Deno.writeFile(`${tree}/latin.txt`, Uint8Array.of(0xe4, 0x81, 10));
  await Deno.writeFile(`${tree}/pixel.bin`, Uint8Array.of(0, 1, 2, 0xff));
  await Deno.writeTextFile(`${tree}/b.txt`, "esc\x1b[2J\n");
  const call = (keys: readonly (string | undefined)[]) => {
    const io = { env: { HOME: all.dir.path, XDG_STATE_HOME: `${all.dir.path}/state`, NO_COLOR: "1" } };
    return callCli(["apply", "--hunks"], { ...io, cwd: `${all.dir.path}/shop`, terminal: true, keys });
  };
  // The first and the third of a.txt, not b.txt; help on the way; the two others.
  const first = await call(["y\n", "n\n", "what\n", "y\n", "n\n", "y\n", "y\n"]);
  assertEquals(first.code, 0, first.stderr);
  assertMatch(first.stdout, /a\.txt\n@@[^]*-line 15\n\+fünfzehn\n/);
  assertMatch(first.stdout, /b\.txt \(new file\)\n@@[^]*\+esc\\x1b\[2J\n/);
  assertStringIncludes(first.stdout, "pixel.bin (new file)\nno text: the file as a whole\n");
  assertStringIncludes(first.stderr, "(2/6) Take it into your checkout? [y,n,a,d,q,?] ");
  assertMatch(first.stdout, /3 files of fix-it are in \S+shop:\n {2}a\.txt\n {2}latin\.txt\n {2}pixel\.bin\n$/);
  const there = (name: string) => Deno.readFile(`${all.dir.path}/shop/${name}`);
  assertEquals(new TextDecoder().decode(await there("a.txt")), lines({ 2: "TWO", 28: "END" }));
  assertEquals([...await there("latin.txt")], [0xe4, 0x81, 10]);
  assertEquals([...await there("pixel.bin")], [0, 1, 2, 0xff]);
  // Ctrl-D is no yes.
  const second = await call([undefined]);
  assertEquals([second.code, second.stdout.endsWith("\nNothing was written.\n")], [0, true]);
  assertEquals(second.stdout.match(/^@@/gm)?.length, 1);
  const third = await call(["a\n", "q\n"]);
  assertEquals(third.code, 0);
  assertEquals(new TextDecoder().decode(await there("a.txt")), lines({ 2: "TWO", 15: "fünfzehn", 28: "END" }));
});

Deno.test("apply --hunks: what the lines of a place do not show is said of its file: executable, a link", async () => {
  await using all = await checkouts("shop");
  const { tree } = await all.open("shop", "Fix it");
  await Deno.chmod(`${tree}/a.txt`, 0o755);
  await Deno.writeTextFile(`${tree}/run.sh`, "true\n", { mode: 0o755 });
  await Deno.symlink("/etc/passwd", `${tree}/words`);
  const io = { env: { HOME: all.dir.path, XDG_STATE_HOME: `${all.dir.path}/state`, NO_COLOR: "1" } };
  const keys = ["n\n", "n\n", "n\n"];
  const { stdout } = await callCli(["apply", "--hunks"], { ...io, cwd: `${all.dir.path}/shop`, terminal: true, keys });
  assertStringIncludes(stdout, "\na.txt (executable)\nnothing of its content: the file as a whole\n");
  assertStringIncludes(stdout, "\nrun.sh (new file, executable)\n@@");
  assertStringIncludes(stdout, "\nwords (new file, a link)\n@@");
});

Deno.test("apply --hunks: what an agent writes after a carriage return is no other place, and no other file", async () => {
  await using all = await checkouts("shop");
  const { tree } = await all.open("shop", "Fix it");
  const tricky = "one\rdiff --git a/x b/x\r@@ -1 +1 @@\rtwo\n";
  await Deno.writeTextFile(`${tree}/a.txt`, tricky);
  const io = { env: { HOME: all.dir.path, XDG_STATE_HOME: `${all.dir.path}/state`, NO_COLOR: "1" } };
  const said = await callCli(["apply", "--hunks"], {
    ...io,
    cwd: `${all.dir.path}/shop`,
    terminal: true,
    keys: ["y\n"],
  });
  assertEquals([said.code, said.stderr], [0, "(1/1) Take it into your checkout? [y,n,a,d,q,?] "]);
  assertEquals(await Deno.readTextFile(`${all.dir.path}/shop/a.txt`), tricky);
});

Deno.test("apply --hunks asks a person: without a terminal, or with a branch, it is refused", async () => {
  await using all = await checkouts("shop");
  await all.open("shop", "Fix it");
  assertMatch((await all.call("shop", "apply", "--hunks")).stderr, /it asks a person at a terminal, and there is none/);
  const { code, stderr } = await all.call("shop", "apply", "--hunks", "--branch", "x");
  assertEquals(code, 2);
  assertMatch(stderr, /Cannot use --hunks with --branch/);
});

Deno.test("diff shows what a run in the checkout itself has changed from its beginning to its end, whatever ended it", async () => {
  await using all = await checkouts("shop");
  const shop = `${all.dir.path}/shop`;
  await all.dir.write({ "shop/mine.txt": "in no commit yet\n" });
  const folder = await createRunFolder(shop, { now: new Date() });
  await Deno.writeTextFile(folder.journalPath, "");
  const { signal } = new AbortController();
  const about = { folder, signal, wallClock: () => new Date() };
  const plan = { workdir: shop, evidence: defaultsOf(EVIDENCE_SETTINGS) };
  await assertRejects(
    () =>
      withNotes(about, { plan, isNew: true }, async (noted) => {
        await noted;
        await all.dir.write({ "shop/a.txt": "two\n" });
        throw new Error("stopped");
      }),
    Error,
    "stopped",
  );
  await all.dir.write({ "shop/a.txt": "three\n" });
  for (const args of [["diff"], ["diff", folder.id]]) {
    assertMatch((await all.call("shop", ...args)).stdout, /^diff --git a\/a\.txt[^]*-one\n\+two\n$/);
  }
  assertEquals(
    (await all.call("shop", "diff", "--stat")).stdout,
    "Changed in the checkout: 1 file, +1 −1\n  a.txt  +1 −1\n",
  );
  const { commit: _, ...told } = JSON.parse((await all.call("shop", "diff", "--json")).stdout);
  const files = [{ path: "a.txt", added: 1, removed: 1 }];
  assertEquals(told, { type: "workspace_result", v: 1, name: folder.id, files, inner: [] });
  const { code, stderr } = await all.call("shop", "diff", "--turns");
  assertEquals(code, 2);
  assertMatch(stderr, /Cannot show that of run .*: it worked in the checkout itself/);
  await withNotes(about, { plan, isNew: false }, async () => {
    // While it is at work, it is what there is now, also where the code as it was is tried meanwhile.
    const { base, name } = JSON.parse(await Deno.readTextFile(`${dirname(folder.journalPath)}/checkout.json`));
    await openWorkspace(shop, { at: base, task: "x", now: new Date(), signal, partOf: { target: name, as: "base" } });
    assertMatch((await all.call("shop", "diff")).stdout, /-one\n\+three\n$/);
    return { outcome: "fail", reason: "no" };
  });
  assertMatch((await all.call("shop", "diff")).stdout, /-one\n\+three\n$/);
});

Deno.test("diff NAME OTHER shows what two workspaces of a repository differ in", async () => {
  await using all = await checkouts("shop", "blog");
  const [one, two] = [await all.open("shop", "One"), await all.open("shop", "Two")];
  await Deno.writeTextFile(`${one.tree}/a.txt`, "first\n");
  await Deno.writeTextFile(`${two.tree}/a.txt`, "second\n");
  assertMatch((await all.call("shop", "diff", "one", "two")).stdout, /-first\n\+second\n/);
  await all.open("blog", "Else");
  assertMatch((await all.call("shop", "diff", "one", "else")).stderr, /they are of different repositories/);
  assertMatch(
    (await all.call("shop", "diff", "one", "two", "--turns")).stderr,
    /--turn, --turns, --stat and --json are of one/,
  );
});

Deno.test("workspaces tells how much each takes", async () => {
  await using all = await checkouts("shop");
  const { tree } = await all.open("shop", "Fix it");
  await Deno.writeFile(`${tree}/large.bin`, new Uint8Array(3 * 1024 ** 2));
  const { bytes } = JSON.parse((await all.call("shop", "workspaces", "--json")).stdout);
  assertEquals(bytes > 3 * 1024 ** 2 && bytes < 4 * 1024 ** 2, true, `${bytes}`);
  assertMatch((await all.call("shop", "workspaces")).stdout, /^fix-it +\d+ s +3\.\d MiB /m);
});
