import { assertEquals, assertNotMatch, assertStringIncludes } from "@std/assert";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import { command } from "../../../lib/cli/commands/validate.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const GLOBAL = { json: false, quiet: false, verbose: false, color: NO_COLORS };

/** A row of the file below a mistake. */
const EXCERPT = /^ +(?:\d+ )?\|/;

async function validate(
  dir: TempDir,
  config: unknown,
  options: { json?: boolean; path?: string; files?: string[] } = {},
) {
  const text = typeof config === "string" ? config : JSON.stringify(config);
  await dir.write({ "panewright.jsonc": text, "bin/codex": "", "bin/claude": "", "plan.md": "Plan." });
  for (const program of ["codex", "claude"]) await Deno.chmod(`${dir.path}/bin/${program}`, 0o755);
  const io = fakeIo({ cwd: dir.path, env: { PATH: options.path ?? `${dir.path}/bin` } });
  const code = await command.run(
    { flags: {}, positionals: options.files ?? [], global: { ...GLOBAL, json: options.json ?? false } },
    io,
  );
  const rows = io.written.stdout.trimEnd().split("\n").map((line) => line.replaceAll(dir.path, "DIR"));
  return { code, rows, lines: rows.filter((row) => !EXCERPT.test(row)) };
}

const STEP = { name: "a", prompt: "self", check: { type: "none" } };

Deno.test("seed 004: autonomyLevel with Codex gives no warning; fileAccess with Codex keeps its own", async () => {
  await using dir = await tempDir();
  const steps = [
    { ...STEP, autonomy_level: 3 },
    { ...STEP, name: "b", file_access: { allow_write: ["src/**"] } },
    { ...STEP, name: "c", provider: "claude_code", autonomy_level: 5 },
    { ...STEP, name: "d", provider: "claude_code", file_access: { allow_write: ["src/**"] } },
  ];
  const { code, lines } = await validate(dir, { provider: "codex", autonomy_level: 4, pipelines: { main: steps } });
  assertEquals(code, 0);
  assertEquals(lines.length, 3);
  assertStringIncludes(lines[0] ?? "", "warning: panewright.jsonc:1:");
  assertStringIncludes(
    lines[0] ?? "",
    "pipelines.main[1].file_access is enforced for codex from 0.130.0 on, for its file",
  );
  assertNotMatch(lines.join("\n"), /autonomy/);
  assertStringIncludes(
    lines[1] ?? "",
    "pipelines.main[3].file_access is enforced for claude_code from 2.1.72 on, for its file tools",
  );
  assertEquals(lines[2], "0 errors, 2 warnings");
});

/** What is said first of a config where the Codex of a version is there. */
async function toldOf(version: string, config: Readonly<Record<string, unknown>>): Promise<string> {
  await using dir = await tempDir();
  await dir.write({
    "npm/bin/codex.js": "",
    "npm/package.json": JSON.stringify({ name: "@openai/codex", version }),
    "package.json": JSON.stringify({ name: "the-project", version: "1.0.0" }),
  });
  await Deno.chmod(`${dir.path}/npm/bin/codex.js`, 0o755);
  await Deno.mkdir(`${dir.path}/links`);
  await Deno.symlink("../npm/bin/codex.js", `${dir.path}/links/codex`);
  return (await validate(dir, config, { path: `${dir.path}/links` })).lines[0] ?? "";
}

Deno.test("rules that only hooks can keep are a mistake where the CLI which is there has none", async () => {
  const told = (version: string, deny: readonly unknown[]) =>
    toldOf(version, { pipelines: { main: [STEP] }, permissions: { deny } });
  const without =
    "pipelines.main[0] cannot keep the entries of permissions.deny and permissions.ask with codex 0.53.0, " +
    "only from 0.130.0 on";
  assertStringIncludes(await told("0.53.0", ["git push"]), without);
  assertStringIncludes(await told("0.53.0", [{ path: "secrets/**" }]), without);
  assertEquals(await told("0.169.0", ["git push"]), "0 errors, 0 warnings");
  const others = [{ kinds: ["command"] }, { command: "git push", providers: ["claude_code"] }];
  assertEquals(await told("0.53.0", others), "0 errors, 0 warnings");
});

Deno.test("the warning about fileAccess is that of the Codex which is there", async () => {
  const steps = [{ ...STEP, file_access: { allow_write: ["src/**"] } }];
  const told = (version: string) => toldOf(version, { pipelines: { main: steps } });
  assertStringIncludes(await told("0.169.0"), "file_access is enforced for codex 0.169.0, for its file tools and for");
  assertStringIncludes(
    await told("0.53.0-linux-x64"),
    "file_access is not enforced for codex 0.53.0, only from 0.130.0 on: nothing is prevented",
  );
});

Deno.test("the warning about fileAccess names an argument that takes the place of the hooks", async () => {
  await using dir = await tempDir();
  const steps = [{ ...STEP, provider: "claude_code", file_access: { allow_write: ["src/**"] } }];
  const providers = { claude_code: { args: ["--settings", "mine.json"] } };
  const { lines } = await validate(dir, { pipelines: { main: steps }, providers });
  assertStringIncludes(
    lines[0] ?? "",
    "file_access is not enforced for claude_code: its argument --settings replaces our hooks; nothing is prevented",
  );
});

Deno.test("below a mistake stands its row of the file, with marks below what is meant and without secrets", async () => {
  await using dir = await tempDir();
  const config = '{\n\t"provider": "codexx", "a": "sk-proj-abcdefghijklmnopqrstuvwxyz012345"\n}';
  const { rows } = await validate(dir, config);
  assertEquals(rows.slice(1, 4), [
    "      |",
    '    2 |  "provider": "codexx", "a": "redactedxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"',
    "      |  ^^^^^^^^^^",
  ]);
  const long = await validate(dir, `{ "provider": "codexx", "a": "${"x".repeat(2000)}" }`);
  assertEquals(long.rows, long.lines);
});

Deno.test("all that is wrong is told at once, each with file, line and key", async () => {
  await using dir = await tempDir();
  const { code, lines } = await validate(
    dir,
    `{
  "default_pipeline": "mian",
  "pipelines": {
    "main": [
      { "prompt": "plan.md", "check": { "type": "none" } },
      { "name": "b", "check": { "type": "none" } },
      { "name": "c", "prompt": "self" },
      { "name": "d", "prompt": "self", "check": { "type": "file_exists" } },
      { "name": "e", "prompt": "self", "check": { "type": "none" }, "retry": "3" },
      { "name": "f", "prompt": "self", "check": { "type": "none" }, "file_access": { "allow_write": ["/etc/**"] } },
      { "name": "g", "prompt": "gone.md", "check": { "type": "none" }, "autonomy_level": 6 },
      { "name": "g", "prompt": "self", "check": [], "command": ["/nope"] },
      { "name": "h", "prompt": "self", "check": 1, "file_access": { "allowWrite": [] } },
    ],
    "empty": [],
  },
}`,
  );
  assertEquals(code, 2);
  assertEquals(lines, [
    'error: panewright.jsonc:2:3: default_pipeline is "mian", but there is no such pipeline (did you mean "main"?)',
    "error: panewright.jsonc:5:7: pipelines.main[0].name is missing",
    "error: panewright.jsonc:6:7: pipelines.main[1].prompt is missing",
    "error: panewright.jsonc:7:7: pipelines.main[2].check is missing",
    'error: panewright.jsonc:8:51: pipelines.main[3].check.type must be one of none, review, fileExists, shell, but is the string "file_exists"; did you mean "fileExists"?',
    'error: panewright.jsonc:9:69: pipelines.main[4].retry must be a number, but is the string "3"',
    "error: panewright.jsonc:10:102: pipelines.main[5].file_access.allow_write[0] is not a path relative to the working directory",
    "error: panewright.jsonc:11:22: pipelines.main[6].prompt names DIR/gone.md, but there is no such file",
    "error: panewright.jsonc:11:72: pipelines.main[6].autonomy_level must be one of 0, 1, 2, 3, 4, 5, but is 6",
    'error: panewright.jsonc:12:9: pipelines.main[7].name is "g", which is the name of an earlier step',
    "error: panewright.jsonc:12:40: pipelines.main[7].check must not be empty",
    'error: panewright.jsonc:12:53: pipelines.main[7].command cannot be run: there is no program "/nope"',
    "error: panewright.jsonc:13:40: pipelines.main[8].check must be an object or an array of objects, but is 1",
    'error: panewright.jsonc:13:69: unknown key "allowWrite" in pipelines.main[8].file_access; did you mean "allow_write"? Allowed here: allow_write',
    "error: panewright.jsonc:15:5: pipelines.empty must not be empty",
    "warning: panewright.jsonc:10:69: pipelines.main[5].file_access is enforced for codex from 0.130.0 on, for its file tools and for files that its shell commands name plainly: what else they write is found after the step",
    "warning: panewright.jsonc:13:52: pipelines.main[8].file_access is enforced for codex from 0.130.0 on, for its file tools and for files that its shell commands name plainly: what else they write is found after the step",
    "15 errors, 2 warnings",
  ]);
});

Deno.test("next: names of steps that are not there, a fail that nothing leads to, and circles without an end are mistakes", async () => {
  await using dir = await tempDir();
  const shell = { type: "shell", command: "true" };
  const check = (steps: readonly object[]) =>
    validate(dir, { pipelines: { main: steps.map((step) => ({ ...STEP, check: shell, ...step })) } });
  const { code, lines } = await check([
    { name: "implement", check: { type: "none" }, next: { fail: "review" } },
    { name: "review", check: { type: "review" }, next: { pass: "documnet", fail: "end" } },
    { name: "document", next: { pass: "end", fial: "review" } },
  ]);
  assertEquals(code, 2);
  assertEquals(lines.map((line) => line.replace(/^error: panewright.jsonc:\d+:\d+: pipelines.main/, "")), [
    "[0].next.fail has no effect: the step has no check that can say no",
    '[1].next.pass is "documnet", but the pipeline has no such step (did you mean "document"?)',
    '[1].next.fail cannot be "end": without it, the task fails and ends',
    'error: panewright.jsonc:1:307: unknown key "fial" in pipelines.main[2].next; did you mean "fail"? Allowed here: pass, fail',
    "4 errors, 0 warnings",
  ]);
  const endless = await check([
    { name: "implement" },
    { name: "review", next: { fail: "fix" } },
    { name: "fix", next: { pass: "review" } },
  ]);
  assertStringIncludes(
    endless.lines[0] ?? "",
    `main[0] leads to no end: after "implement", steps only lead to each other`,
  );
  const never = await check([{ name: "a", next: { pass: "c" } }, { name: "b" }, { name: "c" }]);
  assertStringIncludes(never.lines[0] ?? "", 'main[1] is never begun: no step leads to "b"');
  const both = await check([{ name: "a", next: { pass: "end" } }, { name: "end" }]);
  assertStringIncludes(both.lines[0] ?? "", 'is "end", which would be the step of that name and the end of the task');
  const empty = await check([{ name: "a", next: {} }]);
  assertStringIncludes(empty.lines[0] ?? "", "main[0].next names no step: it needs pass, fail or both");
  const right = await check([
    { name: "implement" },
    { name: "review", check: { type: "review" }, next: { pass: "end", fail: "fix" } },
    { name: "fix", next: { pass: "review" } },
  ]);
  assertEquals(right.lines, ["0 errors, 0 warnings"]);
});

Deno.test("what prompts refer to: unknown steps and fields, and steps that may come later, are mistakes with line and name", async () => {
  await using dir = await tempDir();
  await dir.write({
    "right.md": "{{steps.plan.final}} {{ steps.plan.files }} ${{ steps.nope.outputs.x }} {{ name }} {{{steps}}}",
    "wrong.md":
      "Follow it.\n{{steps.paln.final}}\n{{steps.plan.fianl}} {{steps.plan}}\n{{step.plan.final}}\n{{steps.build.final}}",
    "early.md": "{{steps.build.final}}",
  });
  const { code, lines } = await validate(dir, {
    pipelines: {
      main: [
        { ...STEP, name: "plan", prompt: "early.md" },
        { ...STEP, name: "build", prompt: "wrong.md" },
        { ...STEP, name: "last", prompt: "right.md" },
      ],
      loop: [
        { ...STEP, name: "plan", check: { type: "fileExists", path: "x" }, next: { pass: "last" } },
        { ...STEP, name: "last", prompt: "early.md", check: { type: "review" }, next: { pass: "end", fail: "build" } },
        { ...STEP, name: "build", next: { pass: "last" } },
      ],
    },
  });
  assertEquals(code, 2);
  const start = /^error: panewright.jsonc:\d+:\d+: pipelines\./;
  assertEquals(lines.map((line) => line.replace(start, "")), [
    'main[0].prompt names DIR/early.md, whose line 1 has {{steps.build.final}}: step "build" is not always done before "plan" begins',
    'main[1].prompt names DIR/wrong.md, whose line 2 has {{steps.paln.final}}: the pipeline has no step "paln" (did you mean "plan"?)',
    'main[1].prompt names DIR/wrong.md, whose line 3 has {{steps.plan.fianl}}: a step has no "fianl", but final or files (did you mean "final"?)',
    "main[1].prompt names DIR/wrong.md, whose line 3 has {{steps.plan}}: it must end with .final or .files",
    'main[1].prompt names DIR/wrong.md, whose line 4 has {{step.plan.final}}: it must begin with "steps"',
    "main[1].prompt names DIR/wrong.md, whose line 5 has {{steps.build.final}}: a step cannot refer to itself",
    'loop[1].prompt names DIR/early.md, whose line 1 has {{steps.build.final}}: step "build" is not always done before "last" begins',
    "7 errors, 0 warnings",
  ]);
});

Deno.test("a program that is not on PATH, and the provider replay, cannot run a step", async () => {
  await using dir = await tempDir();
  const none = await validate(dir, { pipelines: { main: [STEP] } }, { path: `${dir.path}/empty` });
  assertEquals(
    none.lines[0],
    'error: panewright.jsonc:1:23: pipelines.main[0] cannot be run: there is no program "codex" on PATH',
  );
  const own = await validate(dir, {
    provider: "claude_code",
    pipelines: { main: [{ ...STEP, env: { PATH: `${dir.path}/bin` } }] },
  }, { path: "/nonexistent" });
  assertEquals(own.code, 0);
  const replay = await validate(dir, { provider: "replay", pipelines: { main: [STEP] } });
  assertStringIncludes(replay.lines[0] ?? "", "needs codex or claude_code");
});

Deno.test("a configuration without a job is none without pipelines, and broken JSON is one problem", async () => {
  await using dir = await tempDir();
  assertEquals(
    (await validate(dir, {})).lines[0],
    "error: there is no job: prompt_file or prompt must be given",
  );
  const broken = await validate(dir, '{\n "pipelines": {\n');
  assertEquals([broken.code, broken.lines.length], [2, 2]);
  assertStringIncludes(broken.lines[0] ?? "", "error: panewright.jsonc:");
});

Deno.test("--json gives one object for each thing that is wrong, and one for all", async () => {
  await using dir = await tempDir();
  const { code, lines } = await validate(dir, '{ "pipelines": {},\n  "autonomy_level": 9 }', { json: true });
  assertEquals(code, 2);
  assertEquals(lines.map((line) => JSON.parse(line)), [
    {
      type: "problem",
      v: 1,
      level: "error",
      where: "panewright.jsonc:2:3",
      message: "autonomy_level must be one of 0, 1, 2, 3, 4, 5, but is 9",
      line: 2,
      column: 3,
    },
    {
      type: "problem",
      v: 1,
      level: "error",
      where: "",
      message: "there is no job: prompt_file or prompt must be given",
    },
    { type: "validated", v: 1, errors: 2, warnings: 0 },
  ]);
});

Deno.test("tasks and folders of tasks are checked with the configuration: front matter, pipelines, texts", async () => {
  await using dir = await tempDir();
  await dir.write({
    "t/10.md": "---\npipeline: mian\n---\nWork.",
    "t/2.md": "---\npipelin: main\nautonomy_level: 7\n---\n",
    "good.md": "---\npipeline: main\n---\nWork.",
  });
  const config = { pipelines: { main: [STEP] } };
  const { code, rows, lines } = await validate(dir, config, { files: ["t", "good.md"] });
  assertEquals(code, 2);
  assertEquals(lines, [
    "error: t/2.md: it has no text: write in it what to do",
    'error: t/2.md:2: unknown key "pipelin"; did you mean "pipeline"? Allowed here: pipeline, autonomy_level',
    'error: t/2.md:3: autonomy_level must be a whole number from 0 to 5, but is "7"',
    'error: t/10.md:2: its front matter names "mian", and there is no such pipeline (did you mean "main"?). The pipelines are main.',
    "4 errors, 0 warnings",
  ]);
  assertEquals(rows.filter((row) => EXCERPT.test(row) && /\d|\^/.test(row)), [
    "    2 | pipelin: main",
    "      | ^^^^^^^",
    "    3 | autonomy_level: 7",
    "      |                 ^",
    "    2 | pipeline: mian",
    "      |           ^^^^",
  ]);
  assertEquals((await validate(dir, config, { files: ["good.md", "panewright.jsonc"] })).code, 0);
});

Deno.test("tasks are checked although the configuration, or another task, has mistakes", async () => {
  await using dir = await tempDir();
  await dir.write({ "t/1.md": "---\npipelin: main\n---\nWork.", "t/notes.txt": "", "none/x.txt": "" });
  await Deno.symlink("notes.txt", `${dir.path}/t/2.md`);
  const config = { pipelines: { main: [STEP] }, default_pipeline: "mian" };
  const { code, lines } = await validate(dir, config, { files: ["gone.md", "t", "none"] });
  assertEquals(code, 2);
  assertEquals(lines.map((line) => line.replace(/ \(did you mean.*/, "")), [
    'error: panewright.jsonc:1:78: default_pipeline is "mian", but there is no such pipeline',
    "error: gone.md: there is no such file or folder",
    "error: none: it has no tasks",
    'error: t/1.md:2: unknown key "pipelin"; did you mean "pipeline"? Allowed here: pipeline, autonomy_level',
    "error: t/2.md: Cannot read DIR/t/2.md: it is a link",
    "5 errors, 0 warnings",
  ]);
});
