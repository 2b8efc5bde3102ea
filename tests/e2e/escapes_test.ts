import { dirname } from "@std/path/posix";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { listCommandLines } from "../../lib/base/ports/command_lines.ts";
import { openWorkspace } from "../../lib/workspace/open_workspace.ts";
import { ESCAPES } from "../../lib/sandbox/escapes.ts";
import { setEscapeStage } from "../../lib/sandbox/try_escapes.ts";
import { shell } from "./checkouts.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

/** A line of `doctor --json`. */
interface Finding {
  readonly check: string;
  readonly detail: string;
}

/** What a program may do without any sandbox only as root, or with programs and capabilities that a machine may lack. */
const NEEDS_MORE: ReadonlySet<string> = new Set([
  ...["write to /etc", "make a device", "become another user", "mount as it is", "mount a folder from outside"],
  ...["make what it only reads writable again", "change its root", "open a sandbox of its own"],
  ...["write outside through the first process's root", "type into the terminal that it was started in"],
  ...["trace another process", "write outside through a hard link", "reach the address of a cloud's metadata"],
  ...["reach an abstract Unix socket", "reach this machine by the other proxy", "start as many processes as it likes"],
  ...["get the rights of setuid programs", "see another network", "reach this machine past the proxy, by IPv6"],
  ...["reach this machine by the proxy, by IPv6", "read any process's environment"],
]);

Deno.test("doctor --sandbox tries to get out in over thirty ways, each from a real process inside, and none is held by chance", async () => {
  await using sandbox = await createSandbox();
  await Deno.mkdir(`${sandbox.home}/.ssh`);
  await Deno.writeTextFile(`${sandbox.home}/.ssh/id_test`, "a key\n");
  const { argv, env } = await panewrightFromSource();
  const place = { cwd: sandbox.project, env: { ...sandbox.env, ...env }, timeoutMs: 240_000 };
  const { code, stdout, stderr } = await runProgram([...argv, "doctor", "--sandbox", "--json"], place);
  assertEquals(code, 0, stderr + stdout);
  const findings = parseEvents(stdout).map(({ status, ...more }) => ({ status, ...more as unknown as Finding }));
  const held = findings.filter(({ detail }) => detail === "held");
  assert(held.length >= 30, stdout);
  assertEquals(findings.filter(({ status }) => status === "warn").map(({ check }) => check), [
    "sandbox: write into a named pipe outside",
  ]);
  assertStringIncludes(findings.at(-1)?.detail ?? "", `${held.length} ways out held, 0 not held`);
  // Nothing that it tried with is left.
  assertEquals([...Deno.readDirSync(sandbox.home)].map(({ name }) => name).filter((name) => /escape/.test(name)), []);
  assertEquals([...Deno.readDirSync(sandbox.project)].length, 0);
  await sandbox.assertNothingLeft();
});

Deno.test("the same ways lead out where there is no sandbox: what is said to be held would be seen", async () => {
  await using sandbox = await createSandbox();
  const state = `${sandbox.home}/.local/state/panewright`;
  await Deno.mkdir(`${sandbox.home}/.ssh`);
  await Deno.writeTextFile(`${sandbox.home}/.ssh/id_test`, "a key\n");
  await using stage = await setEscapeStage({
    ...{ home: sandbox.home, state, clock: systemClock, signal: new AbortController().signal },
  });
  const confine = (argv: readonly [string, ...string[]]) => Promise.resolve(["env", `HOME=${sandbox.home}`, ...argv]);
  const wrong: string[] = [];
  for (const escape of ESCAPES) {
    const { name, outcome, detail } = await stage.attempt(escape, { confine });
    const isOut = outcome === "not_held" || outcome === "limit";
    const lacks = outcome === "untried" && /^there is no \S+ here$/.test(detail ?? "");
    if (!isOut && !lacks && !NEEDS_MORE.has(name)) wrong.push(`${name}: ${outcome} ${detail ?? ""}`);
  }
  assertEquals(wrong, []);
});

Deno.test("a pipe outside that was written into is told, also where its reader has not come to read it", async () => {
  await using sandbox = await createSandbox();
  const state = `${sandbox.home}/.local/state/panewright`;
  await using stage = await setEscapeStage({
    ...{ home: sandbox.home, state, clock: systemClock, signal: new AbortController().signal },
  });
  const outside = `${dirname(stage.workdir)}/outside`;
  const isReader = async (pid: number) => {
    const env = { PATH: Deno.env.get("PATH") ?? "" };
    const { stdout } = await runProgram(["readlink", `/proc/${pid}/cwd`], { cwd: "/", env, timeoutMs: 20_000 });
    return stdout.trim() === outside;
  };
  const reader = await until(async () => {
    const named = [...await listCommandLines()].filter(([, argv]) => argv.join(" ") === "cat pipe");
    for (const [pid] of named) if (await isReader(pid)) return pid;
    return undefined;
  });
  Deno.kill(reader!, "SIGSTOP");
  const env = { PATH: Deno.env.get("PATH") ?? "" };
  await using holder = startProgram(["sh", "-c", "exec 3<>pipe; echo open; exec sleep 600"], { cwd: outside, env });
  await until(() => holder.output.stdout, (text) => text === "open\n");
  const escape = ESCAPES.find(({ name }) => name === "write into a named pipe outside");
  const { outcome } = await stage.attempt(escape!, { confine: (argv) => Promise.resolve(argv) });
  Deno.kill(reader!, "SIGCONT");
  assertEquals(outcome, "limit");
});

/** What cannot be made inside where it is not there, tried when the file `$1` comes. */
const MAKE_WHEN = 'touch "$0"; until [ -e "$1" ]; do sleep 0.05; done; ' +
  "echo export A=1 > .envrc; mkdir -p .claude/agents; echo x = 1 > .codex; echo '{}' > .mcp.json; :";

/** The processes that hold a sandbox of a folder. */
async function holdersIn(folder: string): Promise<number> {
  const holders = [...await listCommandLines()].filter(([, argv]) => argv.includes("sandbox-host"));
  const folders = holders.map(([pid]) => Deno.readLink(`/proc/${pid}/cwd`).catch(() => "it has ended meanwhile"));
  return (await Promise.all(folders)).filter((one) => one === folder).length;
}

/** Reads what lies in `$1`, writes there and to it, and to the home. */
const WRITES = 'cat "$1/there"; echo mine >"$1-own" && cat "$1-own"; echo x >>"$1/there"; echo y >"$HOME/file"; :';

Deno.test("what programs write to /tmp, whatever TMPDIR says, is their own: what lies there stays as it is", async () => {
  await using sandbox = await createSandbox();
  await using shared = await tempDir();
  const { path: folder } = shared;
  await Deno.writeTextFile(`${folder}/there`, "there\n");
  const { argv, env } = await panewrightFromSource();
  const place = { cwd: sandbox.project, env: { ...sandbox.env, ...env }, timeoutMs: 60_000 };
  const inside = (script: string) =>
    runProgram([...argv, "sandbox", "run", "--", "sh", "-c", script, "sh", folder], place);
  const { stdout, stderr } = await inside(WRITES);
  assertEquals(stdout, "there\nmine\n", stderr);
  assertEquals(await exists(`${folder}-own`), false);
  assertEquals(await Deno.readTextFile(`${folder}/there`), "there\n");
  assertStringIncludes(stderr, `refused: write ${folder}/there; write ${sandbox.home}/file\n`);
  await Deno.writeTextFile(`${sandbox.project}/panewright.jsonc`, '{ "permissions": { "writable": ["/tmp"] } }');
  const named = await inside('echo x >>"$1/there"');
  assertEquals(named.code, 0, named.stderr);
  assertEquals(await Deno.readTextFile(`${folder}/there`), "there\nx\n");
  await sandbox.assertNothingLeft();
});

Deno.test("below the top of a workspace git can be used as at its top, and what git obeys cannot be changed", async () => {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  await Deno.mkdir(`${project}/app`);
  await Deno.writeTextFile(`${project}/app/a.txt`, "a\n");
  await shell(
    project,
    "git init -q . && git add -A && git -c user.name=Me -c user.email=me@example.com commit -qm first",
  );
  const { signal } = new AbortController();
  const { tree, workdir } = await openWorkspace(`${project}/app`, { task: "Move it", now: new Date(), signal });
  const { argv, env } = await panewrightFromSource();
  const place = { cwd: workdir, env: { ...sandbox.env, ...env }, timeoutMs: 60_000 };
  const inside = (script: string) => runProgram([...argv, "sandbox", "run", "--", "sh", "-c", script], place);
  const moved = await inside("git status --short && git mv a.txt b.txt && git stash -q && git stash pop -q");
  assertEquals(moved, { ...moved, code: 0, stdout: "", stderr: "" });
  assertEquals(await shell(tree, "git status --porcelain -- app/a.txt app/b.txt"), " D app/a.txt\nA  app/b.txt\n");
  for (
    const what of ["git config alias.x '!touch out'", "echo touch >../.git/hooks/pre-commit", "rm -r ../.git/hooks"]
  ) {
    assertEquals((await inside(what)).code === 0, false, what);
  }
  assertEquals((await inside("touch ../beside")).code === 0, false);
  await sandbox.assertNothingLeft();
});

Deno.test("git inside sees the files that there are: everything is added, put aside and committed as outside, without a warning", async () => {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  await shell(
    project,
    "git init -q . && git config user.name Me && git config user.email me@example.com && mkdir app && touch app/b",
  );
  await shell(project, "git add -A && git commit -qm first");
  await Deno.writeTextFile(`${project}/.git/info/exclude`, "*.log\n");
  const { argv, env } = await panewrightFromSource();
  const inside = async (script: string, folder = project) => {
    const place = { cwd: folder, env: { ...sandbox.env, ...env }, timeoutMs: 60_000 };
    const { code, stdout, stderr } = await runProgram([...argv, "sandbox", "run", "--", "sh", "-c", script], place);
    return [code, stdout, stderr];
  };
  // What stands there in place of what must not be made can be copied, as all other files.
  const script =
    "cp -r . /tmp/copy && echo a >a.txt; touch a.log; git status --short; git add -A && git commit -qm all && git submodule status";
  assertEquals(await inside(script), [0, "?? a.txt\n", ""]);
  assertEquals((await inside("echo b >b.txt; git stash -qu && git stash pop -q && git add ."))[0], 0);
  assertEquals(await shell(project, "git ls-files"), "a.txt\napp/b\nb.txt\n");
  // What stands in the place of the hooks of a repository below is nobody's, either.
  await shell(project, "git init -q below --template=");
  assertEquals(await inside("git -C below status --short"), [0, "", ""]);
  assertEquals(await exists(`${project}/below/.git/hooks`), false);
  await Deno.remove(`${project}/below`, { recursive: true });
  // What lies above the working directory is read.
  assertEquals(await inside("git status --short", `${project}/app`), [0, "A  ../b.txt\n", ""]);
  assertEquals(await Deno.readTextFile(`${project}/.git/info/exclude`), "*.log\n");
  await sandbox.assertNothingLeft();
});

Deno.test("in a further working tree git can be used as in the first, and what git obeys of the repository cannot be changed", async () => {
  await using sandbox = await createSandbox();
  const { project, root } = sandbox;
  const identity = "git -c user.name=Me -c user.email=me@example.com commit -qm";
  await Deno.writeTextFile(`${project}/a.txt`, "a\n");
  await shell(project, `git init -q . && git add -A && ${identity} first && git worktree add -q ../tree`);
  const { argv, env } = await panewrightFromSource();
  const place = { cwd: `${root}/tree`, env: { ...sandbox.env, ...env }, timeoutMs: 60_000 };
  const inside = (script: string) => runProgram([...argv, "sandbox", "run", "--", "sh", "-c", script], place);
  const moved = await inside(
    `git mv a.txt b.txt && git stash -q && git stash pop -q && git add -A && ${identity} second`,
  );
  assertEquals(moved.code, 0, moved.stderr);
  assertEquals(await shell(place.cwd, "git log --format=%s && git ls-files"), "second\nfirst\nb.txt\n");
  for (
    const what of [
      ...["git config alias.x '!touch out'", `touch ${project}/.git/hooks/pre-commit`, `touch ${project}/b.txt`],
      'rm -r "$(git rev-parse --git-common-dir)"/hooks',
    ]
  ) {
    assertEquals((await inside(what)).code === 0, false, what);
  }
  const led = await inside('echo ../../../../evil > "$(git rev-parse --git-dir)/commondir"');
  assertEquals(led.code === 0, false);
  await sandbox.assertNothingLeft();
});

for (const isKilled of [false, true]) {
  Deno.test(`two sandboxes in one folder: the one that closes first${isKilled ? ", killed," : ""} or opens last takes nothing away from the other`, async () => {
    await using sandbox = await createSandbox();
    const { argv, env } = await panewrightFromSource();
    const place = { cwd: sandbox.project, env: { ...sandbox.env, ...env } };
    const start = (name: string) =>
      startProgram([...argv, "sandbox", "run", "--", "sh", "-c", MAKE_WHEN, `${name}.begun`, `${name}.go`], place);
    const there = (name: string) => until(() => exists(`${sandbox.project}/${name}`));
    const go = (name: string) => Deno.writeTextFile(`${sandbox.project}/${name}.go`, "");
    await using first = start("first");
    await there("first.begun");
    const held = await holdersIn(sandbox.project);
    await using second = start("second");
    await there("second.begun");
    if (isKilled) first.kill("SIGKILL");
    else await go("first");
    assertEquals((await first.ended).code === 0, !isKilled);
    await until(() => holdersIn(sandbox.project), (count) => count === held);
    await using third = start("third");
    await there("third.begun");
    await go("second");
    await go("third");
    assertEquals([(await second.ended).code, (await third.ended).code], [0, 0]);
    const left = [...Deno.readDirSync(sandbox.project)].map(({ name }) => name).filter((name) => name.startsWith("."));
    assertEquals(left, []);
    await sandbox.assertNothingLeft();
  });
}
