import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

async function project(files: Readonly<Record<string, string>>): Promise<TempDir> {
  const dir = await tempDir();
  await dir.write({ "job.md": FLAG_JOB, "bin/codex": "#!/bin/sh\n", ...files });
  await Deno.chmod(`${dir.path}/bin/codex`, 0o755);
  return dir;
}

/** What a command says of the configuration, a line each, without its head, its end and the rows of the file. */
async function said(dir: TempDir, args: readonly string[]): Promise<readonly string[]> {
  const io = fakeIo({ cwd: dir.path, env: { PATH: `${dir.path}/bin` } });
  assertEquals(await runCli(args, io), 2);
  const lines = `${io.written.stdout}${io.written.stderr}`.replaceAll(dir.path, "DIR").trimEnd().split("\n")
    .filter((line) => !/^ *(?:\d+ )?\|/.test(line));
  return args[0] === "validate" ? lines.slice(0, -1) : lines.slice(1, -1).map((line) => line.trim());
}

async function toldOf(config: string, args: readonly string[]): Promise<readonly string[]> {
  await using dir = await project({ "panewright.jsonc": config });
  return await said(dir, args);
}

const STEP = `"name": "a", "prompt": "self", "check": { "type": "none" }`;
const CHECK = `"check": { "type": "none" }`;

for (
  const [config, message] of [
    [`{ "pipelines": { "m": [{ "name": "a", "promt": "self", ${CHECK} }] } }`, 'unknown key "promt" in pipelines.m[0]'],
    [`{ "pipelines": { "m": [{ "nmae": "a", "prompt": "self", ${CHECK} }] } }`, 'unknown key "nmae" in pipelines.m[0]'],
    [`{ "pipelines": { "m": [{ "name": "a", "prompt": "self", "chek": [] }] } }`, 'unknown key "chek"'],
    [`{ "piplines": { "m": [{ ${STEP} }] } }`, 'unknown key "piplines"; did you mean "pipelines"?'],
    [`{ "pipelines": { "m": {} } }`, "pipelines.m must be an array, but is an object"],
    [`{ "pipelines": { "m": [{ ${STEP} }] }, "exec": { "default_answer": "" } }`, "must not be empty"],
    [
      `{ "pipelines": { "m": [{ "name": "a", "prompt": "self", "check": { "type": "shell", "command": "\\t" } }] } }`,
      "pipelines.m[0].check.command must not be blank",
    ],
    [`{ "pipelines": { "m": [{ ${STEP}, "provider": "replya" }] } }`, "must be one of codex, claude_code, "],
  ] as const
) {
  Deno.test(`validate tells one mistake of a pipeline once: ${message}`, async () => {
    const lines = await toldOf(config, ["validate"]);
    assertEquals(lines.length, 1, lines.join("\n"));
    assertStringIncludes(lines[0] ?? "", message);
  });
}

for (
  const [config, message] of [
    ['{ "promt_file": "job.md" }', 'unknown key "promt_file"; did you mean "prompt_file"?'],
    ['{ "limits": { "prompt_file": "job.md" } }', 'unknown key "prompt_file" in limits; its place is prompt_file.'],
    ['{ "prompt": "Do it.", "prompt_file": 5 }', "prompt_file must be a string, but is 5"],
    [
      '{ "prompt_file": "job.md", "limits": { "max_cost": 5 }, "price": {} }',
      'unknown key "price"; did you mean "prices"?',
    ],
    ['{ "prompt_file": "job.md", "notifications": { "ntfy_url": "ntfy.sh" } }', "must be a web address"],
    ['{ "prompt_file": "job.md", "project_test_cmd": "" }', "project_test_cmd must not be empty"],
    [
      '{ "prompt_file": "job.md", "project_test_cmd": "  " }',
      'project_test_cmd must not be blank, but is the string "  "',
    ],
    ['{ "prompt_file": "job.md", "a\\nb": 1 }', 'unknown key "a\\nb". Allowed here: '],
    ['{ prompt_file: "job.md" }', 'panewright.jsonc:1:3: quote the key: "prompt_file"'],
    ["", "panewright.jsonc:1:1: a config file must hold one object: { … }"],
    ["// nothing but a comment\n", "a config file must hold one object: { … }"],
    ["null", "a config file must hold one object: { … }"],
    ["provider: codex\nprompt_file: job.md\n", "a config file must hold one object: { … }"],
    ['{ "prompt_file": "job.md", "limits": { "max_rounds": 1e99 } }', "must be at most 1000000, but is 1e+99"],
    ['{ "prompt_file": "job.md", "limits": { "max_rounds": NaN } }', '"NaN" is not a JSON value'],
    ['{ "prompt_file": job.md }', '1:18: "job.md" is not a JSON value: a string needs double quotes'],
  ] as const
) {
  Deno.test(`config show tells one mistake once: ${message}`, async () => {
    const lines = await toldOf(config, ["config", "show"]);
    assertEquals(lines.length, 1, lines.join("\n"));
    assertStringIncludes(lines[0] ?? "", message);
  });
}

Deno.test("the keys that a place may have are listed once, with the first that is not known there", async () => {
  const lines = await toldOf(
    `{
  "prompt_file": "job.md",
  "tmux": { "colour": true, "sokcet": "a" },
  "roles": { "tester": { "modle": "x" }, "analyst": { "modle": "y" } },
}`,
    ["config", "show"],
  );
  assertEquals(lines, [
    'panewright.jsonc:3:13: unknown key "colour" in tmux. Allowed here: socket, session, cols, rows',
    'panewright.jsonc:3:29: unknown key "sokcet" in tmux; did you mean "socket"?',
    'panewright.jsonc:4:26: unknown key "modle" in roles.tester; did you mean "model"? Allowed here: provider, command, ' +
    "args, env, model, profile, limits",
    'panewright.jsonc:4:55: unknown key "modle" in roles.analyst; did you mean "model"?',
  ]);
});

Deno.test("of more than a hundred mistakes the first hundred are told", async () => {
  const keys = Array.from({ length: 5000 }, (_, index) => `"key${index}": 1`).join(",\n");
  const lines = await toldOf(`{ "prompt_file": "job.md",\n${keys} }`, ["config", "show"]);
  assertEquals(lines.length, 100);
  const codes = Array.from(
    { length: 150 },
    (_, index) => `{ "name": "s${index}", "prompt": "p${index}.md", ${CHECK} }`,
  );
  const told = await toldOf(`{ "pipelines": { "m": [${codes.join(",")}] } }`, ["validate"]);
  assertEquals([told.length, told.at(-1)], [101, "error: and 50 more"]);
});

/** What may stand in the place of a file that a configuration is made of. */
const HOSTILE: readonly {
  readonly what: string;
  readonly make: (path: string) => Promise<unknown>;
  readonly problem: string;
}[] = [
  {
    what: "a FIFO",
    make: (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
    problem: "it is a FIFO",
  },
  { what: "a folder", make: (path) => Deno.mkdir(path), problem: "it is a folder" },
  { what: "a link", make: (path) => Deno.symlink("/etc/hostname", path), problem: "it is a link" },
  {
    what: "a file of more than 1 MiB",
    make: (path) => Deno.writeTextFile(path, " ".repeat(1024 * 1024 + 1)),
    problem: "it is larger than 1 MiB",
  },
  {
    what: "Latin-1",
    make: (path) => Deno.writeFile(path, Uint8Array.from([0x7b, 0x0a, 0x22, 0xe9, 0x22, 0x7d])),
    problem: "it is not UTF-8 text: byte 0xE9 in line 2, column 2",
  },
  {
    what: "UTF-16",
    make: (path) => Deno.writeFile(path, Uint8Array.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0])),
    problem: "it is not UTF-8 text: it is UTF-16; save it as UTF-8",
  },
];

for (const { what, make, problem } of HOSTILE) {
  Deno.test(`${what} in the place of the config, the job, a prompt or the rules is named and not read`, async () => {
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      ["panewright.jsonc", "", ["config", "show"]],
      ["job.md", '{ "prompt_file": "job.md" }', ["config", "show"]],
      ["rules.jsonc", '{ "prompt_file": "job.md", "rules_file": "rules.jsonc" }', ["config", "show"]],
      ["p.md", `{ "pipelines": { "m": [{ "name": "a", "prompt": "p.md", ${CHECK} }] } }`, ["validate"]],
      ["policy.jsonc", "", ["permissions", "test", "--config", "policy.jsonc", "ls"]],
    ];
    for (const [file, config, args] of cases) {
      await using dir = await project({ "panewright.jsonc": config });
      await Deno.remove(`${dir.path}/${file}`).catch(() => {});
      await make(`${dir.path}/${file}`);
      const io = fakeIo({ cwd: dir.path, env: { PATH: `${dir.path}/bin` } });
      assertEquals(await runCli(args, io), 2, file);
      const text = `${io.written.stdout}${io.written.stderr}`;
      assertStringIncludes(text, problem, file);
      assertStringIncludes(text, file);
      assert(!text.includes("error is unexpected") && !text.includes("init"), text);
    }
  });
}

Deno.test("what is nested very deep is named with its place, in the config and in the rules", async () => {
  const deep = '{"a":'.repeat(150_000);
  const problem = "1:321: nothing may be nested more than 64 levels deep";
  assertEquals(await toldOf(deep, ["config", "show"]), [`panewright.jsonc:${problem}`]);
  await using dir = await project({
    "panewright.jsonc": '{ "prompt_file": "job.md", "rules_file": "r.jsonc" }',
    "r.jsonc": deep,
  });
  assertEquals(await said(dir, ["config", "show"]), [`r.jsonc:${problem}`]);
});
