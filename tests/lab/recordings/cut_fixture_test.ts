import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import { readCapture, readCorpus } from "../../../lib/lab/recordings/corpus.ts";
import { cutFixture, frameAt } from "../../../lib/lab/recordings/cut_fixture.ts";
import type { Timeline } from "../../../lib/lab/recordings/timeline.ts";
import { encodeTimeline, timelineOf } from "./support.ts";

const WORKING = "› do it\n\n• Working (1s • esc to interrupt)\n\n› Ask Codex to do anything";
const DONE = "› do it\n\n• done\n\n  Worked for 1s • 05:50\n\n› Ask Codex to do anything";
const SESSION = timelineOf([[1, WORKING], [3.5, DONE]], 6);

Deno.test("a fixture is what was shown at a time: the last frame before it", () => {
  for (const [at, shown] of [[1, WORKING], [3.499, WORKING], [3.5, DONE], [6, DONE]] as const) {
    assertEquals(frameAt(SESSION, at).capture, shown);
  }
  for (const at of [0.9, 6.1]) {
    assertThrows(() => frameAt(SESSION, at), UsageError, `at ${at} s: the recording runs from 1 s to 6 s`);
  }
  assertThrows(() => frameAt({ ...SESSION, frames: [] }, 1), UsageError, "is empty");
});

Deno.test("the version of the CLI must be known, from the recording or from the person", () => {
  const { version: _, ...header } = SESSION.header;
  const options = { atSeconds: 1, expect: "processing" } as const;
  assertThrows(() => cutFixture({ ...SESSION, header }, options), UsageError, "version");
  assertEquals(cutFixture({ ...SESSION, header }, { ...options, version: "9.9.9" }).version, "9.9.9");
});

Deno.test("fixture add writes a capture and a sidecar that the corpus reads, and stays silent when the rules agree", async () => {
  await using cli = await project(SESSION);
  const { code, stdout, stderr } = await cli.run(
    "add",
    "s.cast",
    "--at",
    "2",
    "--expect",
    "processing",
    "--note",
    "mine",
  );
  assertEquals([code, stderr], [0, ""]);
  const path = `${cli.dir}/fixtures/screens/codex/0.169.0/processing-80x4-2s.ansi`;
  assertEquals(stdout, `${path}\n`);
  const recording = await readCapture(path);
  assertEquals(recording, {
    name: "processing-80x4-2s",
    provider: "codex",
    version: "0.169.0",
    expect: "processing",
    cols: 80,
    rows: 4,
    note: "mine",
    ansi: WORKING,
  });
  const found: string[] = [];
  for await (const { file } of readCorpus(`${cli.dir}/fixtures`)) found.push(file);
  assertEquals(found, [path]);
});

Deno.test("fixture add warns when the rules see another status, and writes the fixture all the same", async () => {
  await using cli = await project(SESSION);
  const { code, stderr } = await cli.run(
    "add",
    "s.cast",
    "--at",
    "2",
    "--expect",
    "idle",
    "--name",
    "wrong",
    "--dir",
    "f",
  );
  assertEquals(code, 0);
  assertStringIncludes(stderr, "The rules see processing (");
  assertStringIncludes(stderr, "not idle");
  assertEquals((await readCapture(`${cli.dir}/f/wrong.ansi`)).expect, "idle");
});

Deno.test("fixture add overwrites nothing, and leaves no half of a fixture behind", async () => {
  await using cli = await project(SESSION);
  const args = ["add", "s.cast", "--at", "2", "--expect", "processing", "--name", "a", "--dir", "f"];
  assertEquals((await cli.run(...args)).code, 0);
  const again = await cli.run(...args);
  assertEquals(again.code, 2);
  assertStringIncludes(again.stderr, "it exists already");
  await Deno.remove(`${cli.dir}/f/a.json`);
  assertEquals((await cli.run(...args)).code, 2);
  assertEquals([...Deno.readDirSync(`${cli.dir}/f`)].map(({ name }) => name), ["a.ansi"]);
});

Deno.test("fixture add takes out what is private also from recordings of others", async () => {
  await using cli = await project(timelineOf([[0, `${WORKING}\n  key sk-abcdefghijklmnop /home/jane/x`]], 1));
  assertEquals(
    (await cli.run("add", "s.cast", "--at", "0", "--expect", "processing", "--name", "a", "--dir", "f")).code,
    0,
  );
  assertStringIncludes(await Deno.readTextFile(`${cli.dir}/f/a.ansi`), "  key redactedxxxxxxxxxxx /home/user/x");
});

Deno.test("fixture add --not-alone says that no screen can tell, and --json what the rules see", async () => {
  await using cli = await project(SESSION);
  const { stdout } = await cli.run(
    "add",
    "s.cast",
    "--at",
    "4",
    "--expect",
    "processing",
    "--not-alone",
    "--dir",
    "f",
    "--json",
  );
  const said = JSON.parse(stdout);
  assertEquals([said.expect, said.status, said.file], [
    "processing",
    "completed",
    `${cli.dir}/f/processing-80x4-4s.ansi`,
  ]);
  assertEquals((await readCapture(said.file)).alone, false);
});

for (
  const [problem, args, message] of [
    ["another action", ["remove", "s.cast"], 'there is only "fixture add"'],
    ["no recording", ["add"], "the argument FILE is missing"],
    ["no time", ["add", "s.cast", "--expect", "idle"], "--at is missing"],
    ["no status", ["add", "s.cast", "--at", "1"], "--expect is missing"],
    ["a status that does not exist", ["add", "s.cast", "--at", "1", "--expect", "busy"], "--expect"],
    [
      "a name that leaves the folder",
      ["add", "s.cast", "--at", "1", "--expect", "idle", "--name", "../x"],
      "Cannot name a fixture",
    ],
    ["a time after the end", ["add", "s.cast", "--at", "99", "--expect", "idle"], "from 1 s to 6 s"],
    ["a recording that is not there", ["add", "no.cast", "--at", "1", "--expect", "idle"], "no.cast"],
    [
      "a version that is no name",
      ["add", "s.cast", "--at", "1", "--expect", "idle", "--cli-version", "../1"],
      "Cannot make a folder",
    ],
  ] as const
) {
  Deno.test(`fixture with ${problem} is wrong usage, and writes nothing`, async () => {
    await using cli = await project(SESSION);
    const { code, stderr } = await cli.run(...args);
    assertEquals(code, 2, stderr);
    assertStringIncludes(stderr, message);
    assertEquals([...Deno.readDirSync(cli.dir)].map(({ name }) => name), ["s.cast"]);
  });
}

/** A folder with the recording `s.cast`, and the command `fixture` in it. */
async function project(timeline: Timeline) {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/s.cast`, encodeTimeline(timeline));
  return {
    dir,
    async run(...args: string[]) {
      const io = fakeIo({ cwd: dir });
      const code = await runCli(["fixture", ...args], io);
      assert(!io.written.stderr.includes("This error is unexpected"), io.written.stderr);
      return { code, ...io.written };
    },
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

Deno.test("fixture add --config reads the screen with one's own rules as well", async () => {
  await using cli = await project(SESSION);
  const rule = { id: "mine", status: "error", region: "transcript", pattern: "^› do it$", priority: 950 };
  await Deno.writeTextFile(`${cli.dir}/mine.jsonc`, JSON.stringify({ rules: { codex: [rule] } }));
  const where = ["--at", "2", "--expect", "error", "--dir", "f", "--json"];
  const { stdout } = await cli.run("add", "s.cast", ...where, "--config", "mine.jsonc");
  assertEquals([JSON.parse(stdout).status, JSON.parse(stdout).rule], ["error", "mine"]);
});
