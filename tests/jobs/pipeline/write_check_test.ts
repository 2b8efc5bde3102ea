import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/ports/process.ts";
import { snapshotTree, writesOutside } from "../../../lib/jobs/pipeline/git_writes.ts";
import { globProblem, mayWrite } from "../../../lib/jobs/pipeline/write_globs.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, asks, cast, only, runIn, says, step } from "./support.ts";

async function git(dir: TempDir, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  const { code, stdout, stderr } = await systemProcessRunner.run({
    argv: ["git", ...identity, ...args],
    cwd: dir.path,
  });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** A repository that is not clean: a changed, an untracked and an ignored file. */
async function repository(): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "src/a.ts": "1", "docs/x.md": "1", "task.md": "Work.", ".gitignore": "ignored/\n.panewright/\n" });
  await git(dir, "init", "--quiet");
  await git(dir, "add", "--all");
  await git(dir, "commit", "--quiet", "--message", "begin");
  await dir.write({ "docs/x.md": "dirty before", "left-over.txt": "untracked before", "ignored/z": "1" });
  return dir;
}

const writes = (files: Readonly<Record<string, string>>, dir: TempDir): Act => async (request) => {
  await dir.write(files);
  return await says()(request);
};

Deno.test("a step that writes only what it may passes, in a directory that was not clean", async () => {
  await using dir = await repository();
  const objects = await git(dir, "count-objects");
  const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], {
    ...cast(writes({ "src/a.ts": "2", "src/deep/b.ts": "new", "ignored/z": "2" }, dir)),
  });
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(only(events, "writes_checked").map(({ outside }) => outside), [[]]);
  // Nothing of the repository was touched by the check itself: its index is as it was.
  assertEquals(await git(dir, "status", "--porcelain"), ` M docs/x.md\n M src/a.ts\n?? left-over.txt\n?? src/deep/\n`);
  assertEquals(await git(dir, "count-objects"), objects);
  assertEquals([...Deno.readDirSync(`${report.folder.stepsDir}/01-a`)].map(({ name }) => name), ["attempt-1"]);
});

Deno.test("files changed, made, deleted or committed outside of allow_write fail the step, and the next attempt is told", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await dir.write({ "docs/x.md": "changed once more", "new.txt": "x", "src/a.ts": "2" });
    await Deno.remove(`${dir.path}/left-over.txt`);
    await git(dir, "add", "--all");
    await git(dir, "commit", "--quiet", "--message", "hidden in a commit");
    return await says()(request);
  };
  const undo: Act = async (request) => {
    await dir.write({ "docs/x.md": "dirty before", "left-over.txt": "untracked before" });
    await Deno.remove(`${dir.path}/new.txt`);
    return await says()(request);
  };
  const agents = cast(act, undo);
  const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/"], retry: 1 })], agents);
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(only(events, "writes_checked").map(({ outside, enforced }) => [outside, enforced]), [
    [["docs/x.md", "left-over.txt", "new.txt"], true],
    [[], true],
  ]);
  assertStringIncludes(agents.requests[0]?.prompt ?? "", "src/\n");
  assertStringIncludes(
    agents.requests[1]?.prompt ?? "",
    "it changed files outside of allow_write: docs/x.md, left-over.txt, new.txt",
  );
});

Deno.test("writes outside of allow_write fail the step, or are a warning where that is set", async () => {
  for (const [writesOutside, outcome] of [["fail", "fail"], ["warn", "pass"]] as const) {
    await using dir = await repository();
    const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], {
      ...cast(writes({ "other.txt": "x" }, dir)),
      settings: { writesOutside },
    });
    assertEquals(report.outcome, outcome);
    assertEquals(only(events, "writes_checked").map(({ outside }) => outside), [["other.txt"]]);
  }
});

Deno.test("what was written before a question counts after the answer", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await dir.write({ "other.txt": "x" });
    return await asks("Which?")(request);
  };
  const { report } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], {
    ...cast(act, says()),
    person: () => Promise.resolve("this"),
  });
  assertEquals(report.outcome, "fail");
  assertStringIncludes(report.reason, "other.txt");
});

Deno.test("while another run was at work in the directory, writes outside are a warning: whose they are cannot be told", async () => {
  await using dir = await repository();
  const limited = [step("a", { allowWrite: ["src/**"] })];
  const other: Act = async (request) => {
    await runIn(dir, [step("b")], cast(writes({ "by-the-other.txt": "x" }, dir)));
    return await says()(request);
  };
  const { report, events } = await runIn(dir, limited, cast(other));
  assertEquals(report.outcome, "pass");
  const [checked] = only(events, "writes_checked");
  assertEquals([checked?.outside, checked?.enforced], [["by-the-other.txt"], false]);
  assertStringIncludes(checked?.note ?? "", "another run was at work");
  // One that has ended before does not matter.
  const alone = await runIn(dir, limited, cast(writes({ "mine.txt": "x" }, dir)));
  assertEquals(alone.report.outcome, "fail");
});

Deno.test("without a git repository writes cannot be checked: a warning, and the step goes on", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work." });
  const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(writes({ "x": "1" }, dir)));
  assertEquals(report.outcome, "pass");
  assertStringIncludes(only(events, "warning")[0]?.message ?? "", "file_access cannot be checked");
});

Deno.test("in a folder of a repository, paths start from the folder, and files above it are outside", async () => {
  await using dir = await repository();
  const options = { workdir: `${dir.path}/src`, scratch: `${dir.path}/.panewright/scratch` };
  const baseline = await snapshotTree(options);
  assert(baseline !== undefined);
  await dir.write({ "src/a.ts": "2", "src/b.ts": "2", "docs/y.md": "2" });
  assertEquals(await writesOutside({ ...options, baseline, allowWrite: ["a.ts"] }), ["../docs/y.md", "b.ts"]);
});

Deno.test("globs: a star stays within a part, two stars do not, and nothing leads out", () => {
  const matches = (glob: string, path: string) => mayWrite(path, [glob]);
  const yes: [string, string][] = [
    ["**", "a/b/c"],
    ["src/**", "src/a"],
    ["src/**/x.ts", "src/x.ts"],
    ["src/**/x.ts", "src/a/b/x.ts"],
    ["./src/", "src/a/b"],
    ["*.md", "README.md"],
    ["a?c", "abc"],
    ["**/*_test.ts", "tests/a/b_test.ts"],
    ["a*b*c", "aXbXbYc"],
    ["[x].ts", "[x].ts"],
  ];
  const no: [string, string][] = [
    ["src/**", "src"],
    ["src/*", "src/a/b"],
    ["*.md", "docs/x.md"],
    ["src", "src/a"],
    ["a?c", "a/c"],
    ["**", "../x"],
    ["src/**", "src/../../etc/passwd"],
    ["[x].ts", "x.ts"],
    ["A", "a"],
  ];
  for (const [glob, path] of yes) assert(matches(glob, path), `${glob} must match ${path}`);
  for (const [glob, path] of no) assert(!matches(glob, path), `${glob} must not match ${path}`);
  assertEquals(
    ["/abs", "~/x", "a/../b", "!x", " "].map((glob) => globProblem(glob) === undefined),
    Array(5).fill(false),
  );
});

Deno.test("a hostile name is not what a hostile glob means", () => {
  assert(!mayWrite(`${"a".repeat(20_000)}b`, [`${"*a".repeat(30)}c`]));
  assert(!mayWrite(`${"a/".repeat(3000)}b`, [`${"**/a/".repeat(30)}c`]));
});
