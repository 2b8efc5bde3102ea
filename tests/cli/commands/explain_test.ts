import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import type { Command, ParsedCommand } from "../../../lib/cli/console/command.ts";
import { command as explain } from "../../../lib/cli/commands/explain.ts";
import { command as fixtures } from "../../../lib/cli/commands/fixtures.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import { writePack } from "../../../lib/lab/recordings/pack.ts";
import { fakeIo, type FakeIoOptions } from "../../support/fake_io.ts";

interface Call {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly positionals?: readonly string[];
  readonly json?: boolean;
  readonly io?: FakeIoOptions;
}

async function call(command: Command, { flags = {}, positionals = [], json = false, io: options }: Call) {
  const io = fakeIo(options);
  const global = { json, quiet: false, verbose: false, color: NO_COLORS };
  const code = await command.run({ flags, positionals, global } as ParsedCommand, io);
  return { code, ...io.written };
}

async function inFolder(act: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const WORKING = "› hi\n\n• Working (1s • esc to interrupt)\n\n›\n100% context left\n";

Deno.test("explain --json: one object a line, with the keys that tests from outside rely on", async () => {
  const { code, stdout } = await call(explain, {
    flags: { provider: "codex" },
    json: true,
    io: { stdin: WORKING },
    positionals: ["-"],
  });
  assertEquals(code, 0);
  assertEquals(stdout.trimEnd().split("\n").map((line) => JSON.parse(line)), [{
    type: "explanation",
    v: 1,
    file: "-",
    provider: "codex",
    status: "processing",
    rule: "status-row",
    evidence: [{ row: 2, text: "• Working (1s • esc to interrupt)" }],
    beaten: [
      {
        rule: "interrupt-hint-words",
        status: "processing",
        evidence: [{ row: 2, text: "• Working (1s • esc to interrupt)" }, {
          row: -1,
          text: "the capture has no style",
        }],
      },
      {
        rule: "answered",
        status: "completed",
        evidence: [{ row: 2, text: "• Working (1s • esc to interrupt)" }, { row: 4, text: "›" }],
      },
      {
        rule: "answer-scrolled",
        status: "completed",
        evidence: [{ row: 2, text: "• Working (1s • esc to interrupt)" }, { row: 4, text: "›" }],
      },
      { rule: "composer", status: "idle", evidence: [{ row: 4, text: "›" }] },
    ],
  }]);
});

Deno.test("explain: evidence names the rows of the capture, however long that is", async () => {
  const capture = `${"a build log\n".repeat(12_345)}${WORKING}`;
  const seen = { flags: { provider: "codex", all: true }, io: { stdin: capture } };
  const { evidence, beaten, rules } = JSON.parse((await call(explain, { ...seen, json: true })).stdout);
  const rows = capture.split("\n");
  for (const found of [evidence, ...[...beaten, ...rules].map((each) => each.evidence)].flat()) {
    if (found.row >= 0) assertEquals(rows[found.row], found.text);
  }
  assertStringIncludes((await call(explain, seen)).stdout, "▶ 12347 │ • Working (1s • esc to interrupt)");
});

Deno.test("explain: a picture of the screen with the deciding rows marked", async () => {
  const { stdout } = await call(explain, { flags: { provider: "codex" }, io: { stdin: WORKING } });
  assertEquals(
    stdout,
    [
      "- (codex): processing, rule status-row",
      "  0 │ › hi",
      "    │",
      "▶ 2 │ • Working (1s • esc to interrupt)",
      "    │",
      "  4 │ ›",
      "  5 │ 100% context left",
      "  beaten: interrupt-hint-words (processing)",
      "  beaten: answered (completed)",
      "  beaten: answer-scrolled (completed)",
      "  beaten: composer (idle)",
      "",
      "",
    ].join("\n"),
  );
});

Deno.test("explain: a dialog with its kind, what it is about, its choices with their keys, and its fingerprint", async () => {
  const dialog = [
    "  Would you like to run the following command?",
    "",
    "  $ npm test",
    "",
    "› 1. Yes, proceed (y)",
    "  2. No, and tell Codex what to do differently (esc)",
    "",
    "  Press enter to confirm or esc to cancel",
    "",
  ].join("\n");
  const options = { flags: { provider: "codex" }, io: { stdin: dialog, columns: 100 } };
  const { stdout } = await call(explain, options);
  assertStringIncludes(
    stdout,
    [
      "  dialog (command): Would you like to run the following command?",
      "  about: npm test",
      "  ▶ 1. Yes, proceed (y)",
      "    2. No, and tell Codex what to do differently (esc)",
      '  fingerprint: ["command","Would you like to run the following command?","npm test",',
    ].join("\n"),
  );
  const json = JSON.parse((await call(explain, { ...options, json: true })).stdout).dialog;
  assertEquals([json.kind, json.subject, json.options[0], typeof json.fingerprint], [
    "command",
    "npm test",
    { label: "Yes, proceed", key: "y", number: 1, selected: true },
    "string",
  ]);
});

Deno.test("explain --all: every rule with its verdict", async () => {
  const options = { flags: { provider: "codex", all: true }, io: { stdin: WORKING, columns: 200 } };
  const { stdout } = await call(explain, options);
  assertStringIncludes(stdout, "  1000  process-ended");
  assert(/ {3}800 {2}status-row +processing +decided +row 2: • Working/.test(stdout), stdout);
  assert(/ {3}100 {2}composer +idle +beaten/.test(stdout), stdout);
  const { stdout: json } = await call(explain, { ...options, json: true });
  assert(JSON.parse(json).rules.some(({ verdict }: { verdict: string }) => verdict === "not_met"));
});

Deno.test("explain: no control character of a capture, its title or its name reaches the terminal", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/evil.txt`;
    await Deno.writeTextFile(path, "a\u009b2J\u202eb\n› x\x07\n\n•\u200b hi\n\n›\n100% context left\n");
    await Deno.writeTextFile(`${folder}/evil.json`, JSON.stringify({ title: "⠋ \x1b]0;owned\x07", provider: "codex" }));
    for (const json of [false, true]) {
      const { stdout } = await call(explain, { positionals: [path], json });
      // deno-lint-ignore no-control-regex
      assert(!/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]/.test(stdout), JSON.stringify(stdout));
      assertStringIncludes(stdout, json ? '"status":"processing"' : "processing, rule title-spinner");
    }
  });
});

Deno.test("explain: what the sidecar expects is never used, but its metadata is", async () => {
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.ansi`, WORKING);
    await Deno.writeTextFile(
      `${folder}/a.json`,
      JSON.stringify({ provider: "codex", expect: "completed", command: "bash" }),
    );
    const { stdout } = await call(explain, { positionals: [`${folder}/a.ansi`], json: true });
    assertEquals(JSON.parse(stdout).status, "error");
  });
});

Deno.test("explain: what cannot be explained is told with a remedy", async () => {
  await assertRejects(
    () => call(explain, { io: { stdin: WORKING } }),
    UsageError,
    "it is not known whose screen it is",
  );
  await assertRejects(() => call(explain, { flags: { provider: "codx" } }), UsageError, "no provider has this id");
  await assertRejects(() => call(explain, { io: { terminal: true } }), UsageError, "no capture was given");
  await assertRejects(
    () => call(explain, { flags: { provider: "codex" }, positionals: ["-", "-"], io: { stdin: WORKING } }),
    UsageError,
    "standard input twice",
  );
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.ansi`, WORKING);
    for (const [sidecar, problem] of [["{", "not valid JSON"], ['{"title":1}', '"title" must be a string']] as const) {
      await Deno.writeTextFile(`${folder}/a.json`, sidecar);
      await assertRejects(() => call(explain, { positionals: [`${folder}/a.ansi`] }), UsageError, problem);
    }
  });
  await assertRejects(() => call(explain, { positionals: ["/nowhere.ansi"] }), UsageError, "there is no such file");
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/notes.md`, WORKING);
    const refused = () => call(explain, { positionals: [folder], flags: { provider: "codex" } });
    await assertRejects(refused, UsageError, `Cannot explain ${folder}: no capture is in it`);
  });
  await inFolder(async (folder) => {
    const huge = `${folder}/huge.ansi`;
    await Deno.writeTextFile(huge, "");
    await Deno.truncate(huge, 64 * 1024 ** 2 + 1);
    for (const [path, problem] of [[huge, "it is larger than 64 MiB"], [`/${"n".repeat(5000)}`, "too long"]] as const) {
      const refused = () => call(explain, { positionals: [path], flags: { provider: "codex" } });
      await assertRejects(refused, UsageError, problem);
      await assertRejects(() => call(fixtures, { positionals: ["check", path] }), UsageError, problem);
    }
  });
});

Deno.test("explain: a capture is read alike from a file and from standard input, also with a byte order mark", async () => {
  await inFolder(async (folder) => {
    const capture = "\uFEFF›\n100% context left\n";
    await Deno.writeTextFile(`${folder}/a.txt`, capture);
    const options = { positionals: [`${folder}/a.txt`, "-"], flags: { provider: "codex" }, json: true };
    const { stdout } = await call(explain, { ...options, io: { stdin: capture } });
    assertEquals(stdout.trimEnd().split("\n").map((line) => JSON.parse(line).status), ["idle", "idle"]);
  });
});

Deno.test("explain: what a folder has in place of files is passed over, and a sidecar that is a FIFO or a link is refused", async () => {
  await inFolder(async (folder) => {
    await new Deno.Command("mkfifo", { args: [`${folder}/pipe.ansi`, `${folder}/fifo.json`] }).output();
    await Deno.writeTextFile(`${folder}/a.ansi`, WORKING);
    const flags = { provider: "codex" };
    const { stdout } = await call(explain, { positionals: [folder], flags, json: true });
    assertEquals(JSON.parse(stdout).file, `${folder}/a.ansi`);
    await Deno.symlink("/dev/zero", `${folder}/link.json`);
    for (const [name, problem] of [["fifo", "it is a FIFO"], ["link", "it is a link"]]) {
      await Deno.writeTextFile(`${folder}/${name}.ansi`, WORKING);
      const refused = () => call(explain, { positionals: [`${folder}/${name}.ansi`], flags });
      await assertRejects(refused, UsageError, `Cannot read ${folder}/${name}.json: ${problem}`);
    }
  });
});

Deno.test("fixtures check: our own corpus has no mistake and lacks no class, over time neither", async () => {
  const corpus = new URL("../../../fixtures", import.meta.url).pathname;
  const { code, stdout } = await call(fixtures, { positionals: ["check", corpus], json: true });
  const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals([code, lines.at(-1)], [0, {
    type: "fixtures_result",
    v: 1,
    passed: true,
    mistakes: 0,
    timelineMistakes: 0,
  }]);
  assert(lines.filter(({ type }) => type === "fixtures_version").length >= 12);
  assert(lines.filter(({ type, falseRests }) => type === "fixtures_timeline" && falseRests.length === 0).length >= 2);
});

Deno.test("fixtures check: a timeline by itself is told with its counts", async () => {
  const timeline = new URL("../../../fixtures/timelines/codex-0.169.0-220x50.cast.gz", import.meta.url).pathname;
  const { code, stdout } = await call(fixtures, { positionals: ["check", timeline] });
  assertEquals(code, 0);
  assert(
    /: \d+ frames, \d+ changes, largest lag \d\.\d s, 0 false rests, 0 flaps, 0 late changes\n/.test(stdout),
    stdout,
  );
  assertStringIncludes(stdout, "0 recordings, 0 mistakes; 1 timeline, 0 mistakes");
});

Deno.test("fixtures check: a mistake is shown with what it rests on, and makes exit code 1", async () => {
  await inFolder(async (folder) => {
    const wrong = { name: "wrong", provider: "codex", version: "9.9.9", expect: "idle" as const, ansi: WORKING };
    await Deno.writeFile(`${folder}/9.9.9.ndjson.gz`, await writePack([wrong]));
    const junit = `${folder}/out.xml`;
    const { code, stdout } = await call(fixtures, { positionals: ["check", folder], flags: { junit } });
    assertEquals(code, 1);
    assertStringIncludes(stdout, "codex 9.9.9: 0 of 1 right");
    assertStringIncludes(stdout, "#wrong: expected idle, got processing by status-row\n    row 2: • Working (1s");
    assertStringIncludes(stdout, "codex: the corpus has no recording of processing, streaming");
    assertStringIncludes(
      await Deno.readTextFile(junit),
      '<failure message="expected idle, got processing by status-row">',
    );
  });
});

Deno.test("fixtures: an unknown action and an empty folder are refused", async () => {
  await assertRejects(() => call(fixtures, { positionals: ["chek"] }), UsageError, 'Cannot do "chek" with fixtures');
  await inFolder(async (folder) => {
    await assertRejects(() => call(fixtures, { positionals: ["check", folder] }), UsageError, "it holds no recording");
  });
});

Deno.test("explain, fixtures check and fixture add read screens with the config of the working directory, as a run does", async () => {
  await inFolder(async (folder) => {
    const busy = { id: "busy", status: "error", priority: 2000, region: "status", pattern: "^• Working" };
    const write = (name: string, value: unknown) => Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(value));
    await write("panewright.jsonc", { wd: "not-there", rules: { codex: [busy] } });
    await write("other.jsonc", { layouts: { codex: { composer: { first: "^❱" } } } });
    const explained = async (flags: Readonly<Record<string, unknown>>) => {
      const { stdout } = await call(explain, { flags, json: true, io: { stdin: WORKING, cwd: folder } });
      const { rule, origin } = JSON.parse(stdout);
      return [rule, origin];
    };
    assertEquals(await explained({ provider: "codex" }), ["busy", "panewright.jsonc:1"]);
    assertEquals(await explained({ provider: "codex", config: "other.jsonc" }), [
      "tail-interrupt-hint-words",
      undefined,
    ]);

    await Deno.mkdir(`${folder}/screens`);
    await Deno.writeTextFile(`${folder}/screens/a.txt`, WORKING);
    await write("screens/a.json", { provider: "codex", version: "0.169.0", expect: "error" });
    const check = { flags: { partial: true }, positionals: ["check", `${folder}/screens`], io: { cwd: folder } };
    assertEquals((await call(fixtures, check)).code, 0);
    assertEquals((await call(fixtures, { ...check, io: { cwd: "/" } })).code, 1);

    await write("panewright.jsonc", { rules: { codex: [{ ...busy, pattern: "(" }] } });
    await assertRejects(() => explained({ provider: "codex" }), UsageError, "is not a regular expression");
  });
});
