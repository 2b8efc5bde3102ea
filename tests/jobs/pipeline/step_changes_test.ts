import { describeRecord } from "../../../lib/journal/describe.ts";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { callCli } from "../../support/call_cli.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { type Act, asks, cast, only, resumeIn, runIn, says, step } from "./support.ts";

async function git(dir: TempDir, ...args: readonly string[]): Promise<string> {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  const { code, stdout, stderr } = await systemProcessRunner.run({
    argv: ["git", ...identity, ...args],
    cwd: dir.path,
  });
  assertEquals(code, 0, stderr);
  return stdout;
}

/** A repository with a clean, a changed and an untracked file. */
async function repository(): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "clean.txt": "one\n", "changed.txt": "one\n", "gone.txt": "one\n", ".gitignore": ".env\n" });
  await dir.write({ "task.md": "Work." });
  await git(dir, "init", "--quiet");
  await git(dir, "add", "--all");
  await git(dir, "commit", "--quiet", "--message", "begin");
  await dir.write({ "changed.txt": "two\n", "untracked.txt": "one\n", ".env": "KEY=1\n" });
  return dir;
}

const changes = (dir: TempDir, then: Act = says()): Act => async (request) => {
  await dir.write({ "clean.txt": "three\n", "changed.txt": "three\n", "untracked.txt": "three\n" });
  await dir.write({ "new.txt": "new\n", ".env": "KEY=hunter2\n" });
  await Deno.remove(`${dir.path}/gone.txt`);
  return await then(request);
};

/** The lines of a patch that name files, or show what was there or is. */
function essence(patch: string): readonly string[] {
  return patch.split("\n").filter((line) => /^(?:diff|[-+](?![-+]))/.test(line));
}

const ALL = [
  ...["diff --git a/changed.txt b/changed.txt", "-two", "+three"],
  ...["diff --git a/clean.txt b/clean.txt", "-one", "+three"],
  ...["diff --git a/gone.txt b/gone.txt", "-one"],
  ...["diff --git a/new.txt b/new.txt", "+new"],
  ...["diff --git a/untracked.txt b/untracked.txt", "-one", "+three"],
];

const FILES = [".env", "changed.txt", "clean.txt", "gone.txt", "new.txt", "untracked.txt"];

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).toSorted();

for (const outcome of ["pass", "fail"] as const) {
  Deno.test(`a step that ends in ${outcome} leaves a patch and a list of files, without what git ignores`, async () => {
    await using dir = await repository();
    const before = await git(dir, "count-objects");
    const missing = { type: "fileExists", paths: ["never"] } as const;
    const checks = outcome === "pass" ? [{ type: "none" } as const] : [missing];
    const { report, events } = await runIn(dir, [step("a", { checks })], cast(changes(dir)));
    assertEquals(report.outcome, outcome);
    const folder = `${report.folder.stepsDir}/01-a`;
    assertEquals(essence(await Deno.readTextFile(`${folder}/diff.patch`)), ALL);
    assertEquals(await Deno.readTextFile(`${folder}/files.txt`), `${FILES.join("\n")}\n`);
    assertEquals(await git(dir, "count-objects"), before);
    // A failed step may be tried again: then what its files were is still needed.
    const kept = outcome === "pass" ? [] : ["files-before.json"];
    assertEquals(names(folder), ["attempt-1", "diff.patch", ...kept, "files.txt"]);
    const [told] = only(events, "files_changed");
    assertEquals([told?.files, told?.folder, told?.hasPatch], [FILES, "steps/01-a", true]);
    assertEquals(describeRecord(told!).map(({ text }) => text), [
      "changed 6 files: .env, changed.txt, clean.txt, gone.txt, new.txt and 1 more",
    ]);
  });
}

Deno.test("the patch of a step is what git can apply: modes, links, names with blanks, and no line end at the end", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await dir.write({ "with blank.txt": "no line end", "clean.txt": "ünï\n" });
    await Deno.chmod(`${dir.path}/clean.txt`, 0o755);
    await Deno.symlink("clean.txt", `${dir.path}/link`);
    return await says()(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  await git(dir, "checkout", "--quiet", "clean.txt");
  for (const name of ["link", "with blank.txt"]) await Deno.remove(`${dir.path}/${name}`);
  await git(dir, "apply", `${report.folder.stepsDir}/01-a/diff.patch`);
  assertEquals(await Deno.readTextFile(`${dir.path}/clean.txt`), "ünï\n");
  assertEquals(((await Deno.stat(`${dir.path}/clean.txt`)).mode ?? 0) & 0o111, 0o111);
  assertEquals(await Deno.readLink(`${dir.path}/link`), "clean.txt");
  assertEquals(await Deno.readTextFile(`${dir.path}/with blank.txt`), "no line end");
});

Deno.test("a commit in a repository below, and a large file that is removed, leave the patch as it is", async () => {
  await using dir = await repository();
  const below = { ...dir, path: `${dir.path}/lib` };
  await dir.write({ "lib/x.txt": "one\n", "large.txt": "0123456789\n".repeat(1_000_000) });
  await git(dir, "add", "large.txt");
  await git(dir, "commit", "--quiet", "--message", "large");
  const commit = async () => {
    await git(below, "add", "--all");
    await git(below, "commit", "--quiet", "--message", "below");
  };
  await git(below, "init", "--quiet");
  await commit();
  const act: Act = async (request) => {
    await dir.write({ "lib/x.txt": "three\n", "sub/.GIT": "" });
    await commit();
    await Deno.remove(`${dir.path}/large.txt`);
    return await changes(dir)(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  const patch = await Deno.readTextFile(`${report.folder.stepsDir}/01-a/diff.patch`);
  const names = essence(patch).filter((line) => line.startsWith("diff"));
  assertEquals(
    names,
    [...ALL.filter((line) => line.startsWith("diff")), "diff --git a/lib/x.txt b/lib/x.txt"].toSorted(),
  );
});

Deno.test("an agent that leads git elsewhere does not lose the list of what it has changed", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await git(dir, "config", "core.worktree", `${dir.path}/sub`);
    return await changes(dir)(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  const listed = await Deno.readTextFile(`${report.folder.stepsDir}/01-a/files.txt`);
  assertEquals(listed.trim().split("\n"), [".env", ".git/config", ...FILES.slice(1)]);
});

Deno.test("a run that waits keeps no contents; the patch after it shows what git has", async () => {
  await using dir = await repository();
  const limited = [step("a")];
  const waiting = await runIn(dir, limited, cast(asks("Which?")));
  assertEquals(waiting.report.outcome, "waiting");
  const { folder } = waiting.report;
  assertEquals(names(`${folder.stepsDir}/01-a`), ["attempt-1", "files-before.json"]);
  const { report } = await resumeIn(dir, limited, {
    ...cast(changes(dir)),
    run: folder.id,
    person: () => Promise.resolve("this"),
  });
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(await Deno.readTextFile(`${folder.stepsDir}/01-a/files.txt`), `${FILES.join("\n")}\n`);
  const shown = essence(await Deno.readTextFile(`${folder.stepsDir}/01-a/diff.patch`));
  assertEquals(shown, ALL.filter((_, at) => at >= 3 && at < 10));
});

Deno.test("what a process that was killed has left of a patch and of notes is removed by the one that resumes", async () => {
  await using dir = await repository();
  const limited = [step("a", { retry: 1, checks: [{ type: "fileExists", paths: ["clean.txt"] }] })];
  const { report: { folder } } = await runIn(dir, limited, cast(asks("Which?")));
  const own = `${folder.stepsDir}/01-a`;
  await Deno.mkdir(`${own}/patch-1234/git/objects`, { recursive: true });
  await Deno.symlink(dir.path, `${own}/patch-link`);
  for (const name of ["files-before.json", "diff.patch", "files.txt"]) {
    await Deno.writeTextFile(`${own}/${name}.${crypto.randomUUID()}`, "half");
  }
  const resumed = { ...cast(changes(dir)), run: folder.id, person: () => Promise.resolve("this") };
  assertEquals((await resumeIn(dir, limited, resumed)).report.outcome, "pass");
  assertEquals(names(own), ["attempt-1", "attempt-2", "diff.patch", "files.txt"]);
  assertEquals(await Deno.readTextFile(`${dir.path}/clean.txt`), "three\n");
});

Deno.test("a program that is left at once removes contents and git's scratch folder first", async () => {
  await using dir = await repository();
  const acts = new Set<() => void>();
  let left: readonly string[] = [];
  const act: Act = async (request) => {
    const own = `${request.stepFolder}/..`;
    await Deno.mkdir(`${own}/patch-1234/git`, { recursive: true });
    assertEquals(names(own), ["attempt-1", "files-before", "files-before.json", "patch-1234"]);
    for (const each of acts) each();
    left = names(own);
    return await says()(request);
  };
  const onForcedExit = (each: () => void) => {
    acts.add(each);
    return () => void acts.delete(each);
  };
  await runIn(dir, [step("a")], { ...cast(act), onForcedExit });
  assertEquals(left, ["attempt-1", "files-before.json"]);
  assertEquals(acts.size, 0);
});

Deno.test("what an agent has put where contents are kept is not followed", async () => {
  await using dir = await repository();
  await using elsewhere = await tempDir();
  const act: Act = async (request) => {
    const next = `${request.stepFolder}/../../02-b`;
    await Deno.mkdir(next);
    await Deno.symlink(elsewhere.path, `${next}/files-before`);
    return await says()(request);
  };
  const { report } = await runIn(dir, [step("a"), step("b")], cast(act, changes(dir)));
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(names(elsewhere.path), []);
  assertEquals(essence(await Deno.readTextFile(`${report.folder.stepsDir}/02-b/diff.patch`)), ALL);
});

Deno.test("without git there is a patch, too, whatever names there are", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work.", "a.txt": "one\n" });
  const act: Act = async (request) => {
    await dir.write({ "a.txt": "two\n", "sub/.git/config": "", "sub/.GIT": "", "git~1": "1\n", ".git\u200c": "1\n" });
    return await says()(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  const patch = await Deno.readTextFile(`${report.folder.stepsDir}/01-a/diff.patch`);
  assertEquals(essence(patch).toSorted(), [
    "+1",
    "+1",
    "+two",
    "-one",
    'diff --git "a/.git\\342\\200\\214" "b/.git\\342\\200\\214"',
    "diff --git a/a.txt b/a.txt",
    "diff --git a/git~1 b/git~1",
  ]);
});

Deno.test("in the list, each file is one line, whatever its name", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await dir.write({ "two\nlines \x1b[2J": "", "two words": "" });
    return await says()(request);
  };
  const { report } = await runIn(dir, [step("a")], cast(act));
  const listed = await Deno.readTextFile(`${report.folder.stepsDir}/01-a/files.txt`);
  assertEquals(listed, '"two\\nlines \\u001b[2J"\ntwo words\n');
});

Deno.test("panewright logs names what a step has changed, and where its patch is", async () => {
  await using dir = await repository();
  const { report } = await runIn(dir, [step("a")], cast(changes(dir)));
  const { code, stdout } = await callCli(["logs"], { cwd: dir.path });
  assertEquals(code, 0);
  assertStringIncludes(stdout, "changed 6 files: .env, changed.txt");
  assertStringIncludes(stdout, `what it changed is in ${report.folder.stepsDir}/01-a/diff.patch`);
});

Deno.test("a step that changes nothing leaves an empty list", async () => {
  await using dir = await repository();
  const { report, events } = await runIn(dir, [step("a")], cast(says()));
  assertEquals(await Deno.readTextFile(`${report.folder.stepsDir}/01-a/files.txt`), "");
  assertStringIncludes(describeRecord(only(events, "files_changed")[0]!)[0]?.text ?? "", "no file was changed");
});
