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

const CHECK = `"check": { "type": "none" }`;

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
