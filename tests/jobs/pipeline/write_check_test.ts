import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { RuntimeError } from "../../../lib/base/errors.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { globProblem, mayWrite } from "../../../lib/jobs/pipeline/write_globs.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { type Act, asks, cast, only, resumeIn, runIn, says, step } from "./support.ts";

async function git(dir: TempDir, ...args: string[]): Promise<string> {
  return await gitWith({}, dir, ...args);
}

async function gitWith(env: Readonly<Record<string, string>>, dir: TempDir, ...args: string[]): Promise<string> {
  const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
  const { code, stdout, stderr } = await systemProcessRunner.run({
    argv: ["git", ...identity, ...args],
    cwd: dir.path,
    env,
  });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** A repository that is not clean: a changed, an untracked and an ignored file. */
async function repository(): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({
    "src/a.ts": "1",
    "docs/x.md": "1",
    "task.md": "Work.",
    ".gitignore": "ignored/\n.env\n.panewright/\n",
  });
  await git(dir, "init", "--quiet", "--template=");
  await git(dir, "add", "--all");
  await git(dir, "commit", "--quiet", "--message", "begin");
  await dir.write({
    "docs/x.md": "dirty before",
    "left-over.txt": "untracked before",
    "ignored/z": "1",
    ".env": "KEY=1",
  });
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
    ...cast(writes({ "src/a.ts": "2", "src/deep/b.ts": "new" }, dir)),
  });
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(only(events, "writes_checked").map(({ outside }) => outside), [[]]);
  // Nothing of the repository was touched by the check itself: its index is as it was.
  assertEquals(await git(dir, "status", "--porcelain"), ` M docs/x.md\n M src/a.ts\n?? left-over.txt\n?? src/deep/\n`);
  assertEquals(await git(dir, "count-objects"), objects);
  assertEquals([...Deno.readDirSync(`${report.folder.stepsDir}/01-a`)].map(({ name }) => name).toSorted(), [
    "attempt-1",
    "diff.patch",
    "files.txt",
  ]);
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

/** Ways to write elsewhere than in src/, and what is found of each. */
const EVASIONS: Readonly<
  Record<
    string,
    readonly [
      evade: (dir: TempDir) => Promise<unknown>,
      found: readonly string[],
      prepare?: (dir: TempDir) => Promise<unknown>,
    ]
  >
> = {
  "a nested repository": [
    async (dir) => {
      await dir.write({ "vendor/lib/x.ts": "1" });
      await git(dir, "init", "--quiet", "--template=", "vendor/lib");
    },
    ["vendor/lib/.git/HEAD", "vendor/lib/.git/config", "vendor/lib/x.ts"],
  ],
  "a folder that is only called .git": [
    (dir) => dir.write({ "docs/.git/payload": "1", "docs/.git/objects/payload": "1" }),
    ["docs/.git/objects/payload", "docs/.git/payload"],
  ],
  "core.bare": [
    async (dir) => {
      await git(dir, "config", "core.bare", "true");
      await dir.write({ "other.txt": "1" });
    },
    [".git/config", "other.txt"],
  ],
  "a .gitignore that ignores all": [
    (dir) => dir.write({ ".gitignore": "*\n", "other.txt": "1" }),
    [".gitignore", "other.txt"],
  ],
  ".git/info/exclude": [
    (dir) => dir.write({ ".git/info/exclude": "*\n", "other.txt": "1" }),
    [".git/info/exclude", "other.txt"],
  ],
  "skip-worktree, of an earlier step": [
    (dir) => dir.write({ "docs/x.md": "hidden" }),
    ["docs/x.md"],
    (dir) => git(dir, "update-index", "--skip-worktree", "docs/x.md"),
  ],
  "assume-unchanged, of an earlier step": [
    (dir) => dir.write({ "docs/x.md": "hidden" }),
    ["docs/x.md"],
    (dir) => git(dir, "update-index", "--assume-unchanged", "docs/x.md"),
  ],
  "a hook": [
    (dir) => dir.write({ ".git/hooks/pre-commit": "#!/bin/sh\ntouch ran\n" }),
    [".git/hooks/pre-commit"],
  ],
  "git's configuration": [(dir) => git(dir, "config", "alias.st", "!touch ran"), [".git/config"]],
  "an ignored file": [(dir) => dir.write({ ".env": "KEY=other" }), [".env"]],
  "an ignored file of the same size and time": [
    async (dir) => {
      const { mtime } = await Deno.stat(`${dir.path}/.env`);
      await dir.write({ ".env": "KEY=2" });
      await Deno.utime(`${dir.path}/.env`, mtime!, mtime!);
    },
    [".env"],
  ],
  "a new ignored file, and one removed": [
    async (dir) => {
      await dir.write({ "ignored/new": "1" });
      await Deno.remove(`${dir.path}/.env`);
    },
    [".env", "ignored/new"],
  ],
  "a link in the place of a folder": [
    async (dir) => {
      await Deno.rename(`${dir.path}/src`, `${dir.path}/docs/src`);
      await Deno.symlink("docs/src", `${dir.path}/src`);
    },
    ["docs/src/a.ts", "src"],
  ],
  "another folder that git is led to": [
    (dir) => dir.write({ ".git/commondir": "../src/git\n", "src/git/config": "", "src/git/hooks/post-commit": "" }),
    [".git/commondir"],
  ],
  "another repository in the place of this one": [
    async (dir) => {
      await Deno.rename(`${dir.path}/.git`, `${dir.path}/src/git`);
      await Deno.writeTextFile(`${dir.path}/.git`, "gitdir: src/git\n");
    },
    [".git", ".git/config", ".git/hooks/post-commit", ".git/info/exclude"],
  ],
  "another name of a file": [
    async (dir) => {
      await Deno.link(`${dir.path}/.env`, `${dir.path}/src/env`);
      await dir.write({ "src/env": "KEY=2" });
      await Deno.remove(`${dir.path}/src/env`);
    },
    [".env"],
  ],
  "core.worktree": [
    async (dir) => {
      await git(dir, "config", "core.worktree", `${dir.path}/src`);
      await dir.write({ "other.txt": "1" });
    },
    [".git/config", "other.txt"],
  ],
  "what looks like another run": [
    (dir) => dir.write({ ".panewright/runs/20260101-000000-abcd/journal.ndjson": "", "other.txt": "1" }),
    ["other.txt"],
  ],
};

for (const [name, [evade, found, prepare]] of Object.entries(EVASIONS)) {
  Deno.test(`file_access is not evaded by ${name}`, async () => {
    await using dir = await repository();
    await prepare?.(dir);
    // Hooks and info are not there where git was set up without its templates.
    await dir.write({ ".git/info/exclude": "", ".git/hooks/post-commit": "" });
    const act: Act = async (request) => {
      await evade(dir);
      return await says()(request);
    };
    const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(act));
    assertEquals(only(events, "writes_checked").map(({ outside }) => outside), [found]);
    assertEquals(report.outcome, "fail");
  });
}

Deno.test("all files may be written: the repository's hooks and configuration still may not, unless a glob names .git", async () => {
  const act = async (dir: TempDir, allowWrite: readonly string[]) => {
    const agents = cast(writes({ ".git/hooks/pre-commit": "#!/bin/sh\n", "other.txt": "1" }, dir));
    return (await runIn(dir, [step("a", { allowWrite })], agents)).report;
  };
  await using dir = await repository();
  const { outcome, reason } = await act(dir, ["**"]);
  assertEquals(outcome, "fail");
  assertStringIncludes(reason, "it changed files outside of allow_write: .git/hooks/pre-commit");
  await Deno.remove(`${dir.path}/.git/hooks/pre-commit`);
  assertEquals((await act(dir, ["**", ".git/hooks/*"])).outcome, "pass");
});

Deno.test("a commit is not a change, and neither is what commands of git refresh", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    await dir.write({ "src/a.ts": "2" });
    await git(dir, "commit", "--quiet", "--all", "--message", "work");
    await git(dir, "gc", "--quiet");
    await git(dir, "status");
    return await says()(request);
  };
  const { report } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(act));
  assertEquals(report.outcome, "pass", report.reason);
});

Deno.test("the check runs nothing of the repository: no filter, no hook, no file system monitor", async () => {
  await using dir = await repository();
  const spy = `${dir.path}/ignored/spy`;
  const ran = `${dir.path}/src/ran`;
  await dir.write({
    "ignored/spy": `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`,
    ".gitattributes": "* filter=spy diff=spy\n",
  });
  await Deno.chmod(spy, 0o755);
  for (const name of ["filter.spy.clean", "filter.spy.process", "diff.spy.textconv", "core.fsmonitor"]) {
    await git(dir, "config", name, spy);
  }
  await Deno.mkdir(`${dir.path}/ignored/hooks`);
  for (const hook of ["post-index-change", "pre-auto-gc", "reference-transaction"]) {
    await Deno.copyFile(spy, `${dir.path}/ignored/hooks/${hook}`);
  }
  await git(dir, "config", "core.hooksPath", "ignored/hooks");
  const { report } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(writes({ "src/a.ts": "2" }, dir)));
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(await Deno.readTextFile(ran).catch(() => "nothing ran"), "nothing ran");
});

Deno.test("what the files were is not taken from a note that the agent could have written", async () => {
  await using dir = await repository();
  const act: Act = async (request) => {
    const note = `${request.stepFolder}/../files-before.json`;
    await dir.write({ "other.txt": "1" });
    await Deno.writeTextFile(note, (await Deno.readTextFile(note)).replace('"docs/x.md"', '"other.txt"'));
    return await says()(request);
  };
  const { report, events } = await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(act));
  assertEquals(report.outcome, "fail");
  assertStringIncludes(report.reason, "cannot tell which files it changed: the note of what the files were");
  assertEquals(only(events, "writes_checked").map(({ outside, enforced }) => [outside, enforced]), [[[], true]]);
});

Deno.test("while another run was at work in the directory, it is not known whose the changes are: the step fails", async () => {
  await using dir = await repository();
  const limited = [step("a", { allowWrite: ["src/**"] })];
  const other: Act = async (request) => {
    await runIn(dir, [step("b")], cast(writes({ "by-the-other.txt": "x" }, dir)));
    return await says()(request);
  };
  const { report, events } = await runIn(dir, limited, cast(other));
  const [checked] = only(events, "writes_checked");
  assertEquals([checked?.outside, checked?.enforced], [["by-the-other.txt"], true]);
  assertStringIncludes(report.reason, "by-the-other.txt (another run was at work");
  // One that has ended before is not named.
  const alone = await runIn(dir, limited, cast(writes({ "mine.txt": "x" }, dir)));
  assertEquals(alone.report.reason.includes("another run"), false);
});

Deno.test("what a person changes before a step is resumed counts, and it is told what to do then", async () => {
  await using dir = await repository();
  const limited = [step("a", { allowWrite: ["src/**"] })];
  const { report: { folder, reason } } = await runIn(dir, limited, cast(writes({ "other.txt": "" }, dir)));
  assertEquals(reason.includes("resumed"), false);
  await Deno.remove(`${dir.path}/other.txt`);
  await dir.write({ "panewright.jsonc": "{}" });
  const { report } = await resumeIn(dir, limited, { ...cast(says()), run: folder.id });
  assertStringIncludes(report.reason, "panewright.jsonc (changes made before the run was resumed count as well; ");
  await Deno.remove(`${dir.path}/panewright.jsonc`);
  assertEquals((await resumeIn(dir, limited, { ...cast(says()), run: folder.id })).report.outcome, "pass");
});

Deno.test("without a git repository writes are checked, too", async () => {
  await using dir = await tempDir();
  await dir.write({ "task.md": "Work.", "src/a.ts": "1", "b.txt": "1" });
  const run = async (files: Readonly<Record<string, string>>) =>
    (await runIn(dir, [step("a", { allowWrite: ["src/**"] })], cast(writes(files, dir)))).report;
  assertEquals((await run({ "src/a.ts": "2", "b.txt": "1" })).outcome, "pass");
  assertStringIncludes((await run({ "b.txt": "2", "c.txt": "" })).reason, "b.txt, c.txt");
});

Deno.test("files that cannot be told before the step: no agent is started, or there is a warning where that is set", async () => {
  await using dir = await repository();
  const limited = [step("a", { allowWrite: ["src/**"] })];
  // git names its folders a line each, so this one cannot be told from two.
  const odd = { ...dir, path: `${dir.path}/two\nlines` };
  await Deno.mkdir(odd.path);
  await Deno.writeTextFile(`${odd.path}/task.md`, "Work.");
  await git(odd, "init", "--quiet");
  const agents = cast(says());
  await assertRejects(
    () => runIn(odd, limited, agents),
    RuntimeError,
    'Cannot start step "a": file_access cannot be checked',
  );
  assertEquals(agents.requests.length, 0);
  const { report, events } = await runIn(odd, limited, { ...cast(says()), settings: { writesOutside: "warn" } });
  assertEquals(report.outcome, "pass");
  assertStringIncludes(only(events, "warning")[0]?.message ?? "", "file_access cannot be checked");
});

Deno.test("in a folder of a repository, paths start from the folder, and files above it are outside", async () => {
  await using dir = await repository();
  const app: TempDir = { ...dir, path: `${dir.path}/src`, [Symbol.asyncDispose]: () => Promise.resolve() };
  await dir.write({ "src/task.md": "Work." });
  const changes = writes({ "src/a.ts": "2", "src/b.ts": "2", "docs/y.md": "2", ".git/hooks/pre-commit": "" }, dir);
  const { events } = await runIn(app, [step("a", { allowWrite: ["a.ts"] })], cast(changes));
  assertEquals(only(events, "writes_checked").map(({ outside }) => outside), [
    ["../.git/hooks/pre-commit", "../docs/y.md", "b.ts"],
  ]);
});

Deno.test("in a folder of a repository of which git does not tell, no agent is started: files above it are outside", async () => {
  await using dir = await repository();
  const app: TempDir = { ...dir, path: `${dir.path}/src`, [Symbol.asyncDispose]: () => Promise.resolve() };
  await dir.write({ "src/task.md": "Work." });
  await git(dir, "config", "core.bare", "true");
  const agents = cast(says());
  await assertRejects(() => runIn(app, [step("a", { allowWrite: ["a.ts"] })], agents), RuntimeError, dir.path);
  assertEquals(agents.requests.length, 0);
});

Deno.test("in a second working tree, the hooks and configuration that it shares are outside", async () => {
  await using dir = await repository();
  await using place = await tempDir();
  await git(dir, "worktree", "add", "--quiet", `${place.path}/tree`);
  const tree: TempDir = { ...place, path: `${place.path}/tree` };
  const changes = writes({ ".git/hooks/pre-commit": "#!/bin/sh\n", "docs/elsewhere.md": "" }, dir);
  const { report } = await runIn(tree, [step("a", { allowWrite: ["**"] })], cast(changes));
  assertStringIncludes(report.reason, "/.git/hooks/pre-commit");
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

/** Gives a run's first step the baseline that earlier versions noted: a tree of git's, in objects of their own. */
async function makeOlder(dir: TempDir, { stepsDir, journalPath }: RunFolder): Promise<void> {
  const own = `${stepsDir}/01-a`;
  const objects = `${own}/git/objects`;
  await Deno.mkdir(objects, { recursive: true });
  const env = {
    GIT_INDEX_FILE: `${own}/git/index`,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: `${dir.path}/.git/objects`,
  };
  await gitWith(env, dir, "add", "--all", "--", ":/");
  const tree = (await gitWith(env, dir, "write-tree")).trim();
  await Deno.remove(`${own}/files-before.json`);
  // Earlier versions chained no lines.
  const journal = (await Deno.readTextFile(journalPath)).replaceAll(/"prev":"[0-9a-f]+",/g, "");
  await Deno.writeTextFile(journalPath, journal.replace(/"baseline":"[0-9a-f]+"/, `"baseline":"${tree}"`));
}

for (
  const [what, written, outside] of [
    ["writes what it may", { "src/a.ts": "2" }, []],
    ["writes elsewhere", { "docs/x.md": "2", "new.txt": "", "src/a.ts": "2" }, ["docs/x.md", "new.txt"]],
  ] as const
) {
  Deno.test(`a step that an earlier version has begun, and that ${what}, is resumed`, async () => {
    await using dir = await repository();
    await dir.write({ "two words.txt": "1", "src/run.sh": "" });
    await Deno.chmod(`${dir.path}/src/run.sh`, 0o755);
    await Deno.symlink("a.ts", `${dir.path}/src/link`);
    await dir.write({ "gone.txt": "1" });
    await git(dir, "add", "gone.txt");
    await Deno.remove(`${dir.path}/gone.txt`);
    const limited = [step("a", { allowWrite: ["src/**"] })];
    const { report: { folder } } = await runIn(dir, limited, cast(asks("Which?")));
    await makeOlder(dir, folder);
    const person = () => Promise.resolve("this");
    const { report, events } = await resumeIn(dir, limited, { ...cast(writes(written, dir)), run: folder.id, person });
    assertEquals(only(events, "writes_checked").map((checked) => [checked.outside, checked.untold]), [
      [outside, undefined],
    ]);
    assertEquals(report.outcome, outside.length === 0 ? "pass" : "fail");
    assertEquals(only(events, "files_changed").map(({ files, hasPatch }) => [files, hasPatch]), [
      [Object.keys(written).toSorted(), true],
    ]);
    assertEquals(await exists(`${folder.stepsDir}/01-a/git`), outside.length > 0);
  });
}
