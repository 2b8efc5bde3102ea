import { assertEquals, assertStringIncludes } from "@std/assert";
import { loadSettings } from "../../../lib/config/load.ts";
import { runCli } from "../../../lib/cli/main.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { runPanewright } from "../../support/run_panewright.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const CONFIG = `{
  "roles": { "tester": { "provider": "claude_code" } },
  "permissions": {
    "auto_accept": true,
    "deny": ["git push", { "kinds": ["file_edit"], "roles": ["tester"] }],
    "ask": [{ "command": "npm publish **", "providers": ["claude_code"] }],
  },
}`;

async function test(dir: TempDir, args: readonly string[]) {
  const io = fakeIo({ cwd: dir.path });
  const code = await runCli(["permissions", "test", ...args], io);
  return { code, ...io.written };
}

Deno.test("permissions test says what would happen, and which rule decides", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": CONFIG });
  const { code, stdout, stderr } = await runPanewright(["permissions", "test", "make && git push origin"], {
    cwd: dir.path,
    permissions: ["--allow-env", `--allow-read=${dir.path}`],
  });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(
    stdout,
    `deny  make && git push origin
  The policy denies the command pattern "git push".
  rule: permissions.deny[0]; command dialog of programmer (codex)
`,
  );
});

Deno.test("permissions test takes role, kind and provider into account", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": CONFIG });
  const rule = async (...args: string[]) => JSON.parse((await test(dir, [...args, "--json"])).stdout).rule;
  assertEquals(await rule("git pushd"), "default");
  assertEquals(await rule("src/a.ts", "--kind", "file_edit"), "default");
  assertEquals(await rule("src/a.ts", "--kind", "file_edit", "--role", "tester"), "permissions.deny[1]");
  assertEquals(await rule("npm publish"), "default");
  assertEquals(await rule("npm publish", "--role", "tester"), "permissions.ask[0]");
  assertEquals(await rule("npm publish", "--provider", "claude_code"), "permissions.ask[0]");
  assertEquals(await rule("x", "--kind", "trust"), "never:trust");
  assertEquals(await rule("rm -rf /"), "builtin:rm_outside_workdir");
});

Deno.test("permissions test --json has the verdict and what it is about", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": CONFIG });
  const { stdout } = await test(dir, ["sudo x", "--json"]);
  assertEquals(JSON.parse(stdout), {
    type: "permission_decision",
    v: 1,
    decision: "deny",
    rule: "builtin:sudo",
    reason: "The built-in rule sudo denies it: acts as another user: sudo.",
    kind: "command",
    subject: "sudo x",
  });
});

Deno.test("permissions test --json --null reads subjects separated by NUL, and answers in their order", async () => {
  await using dir = await tempDir();
  await dir.write({ "policy.jsonc": CONFIG });
  const subjects = [
    "git push\norigin",
    '{"kind":"file_edit","subject":"/etc/hosts"}',
    "{ ls; }",
    '{"subject":"sudo x"}',
    "",
    "echo 漢字 | cat",
  ];
  const { code, stdout, stderr } = await runPanewright(
    ["permissions", "test", "--json", "--null", "--config", "policy.jsonc"],
    { cwd: dir.path, stdin: `${subjects.join("\0")}\0`, permissions: ["--allow-env", `--allow-read=${dir.path}`] },
  );
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.map(({ decision, rule, subject }) => [decision, rule, subject]), [
    ["deny", "permissions.deny[0]", "git push\norigin"],
    ["deny", "builtin:write_outside_workdir", "/etc/hosts"],
    ["allow", "default", "{ ls; }"],
    ["deny", "builtin:sudo", "sudo x"],
    ["ask", "uncertain", ""],
    ["allow", "default", "echo 漢字 | cat"],
  ]);
  assertEquals(answers.every(({ reason }) => typeof reason === "string" && reason !== ""), true);
});

Deno.test("permissions test reads one subject a line without --null, and takes several as arguments", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": CONFIG });
  const io = fakeIo({ cwd: dir.path, stdin: "npm test\nsudo x" });
  assertEquals(await runCli(["permissions", "test"], io), 0);
  const decisions = (text: string) => text.split("\n").filter((line) => /^\w/.test(line));
  assertEquals(decisions(io.written.stdout), ["allow  npm test", "deny  sudo x"]);
  assertEquals(decisions((await test(dir, ["npm test", "sudo x"])).stdout), ["allow  npm test", "deny  sudo x"]);
});

Deno.test("permissions test names the record that it cannot use", async () => {
  await using dir = await tempDir();
  for (
    const [record, problem] of [
      ['{"kind":"file_edti","subject":"a"}', 'record 2 of standard input: its kind "file_edti" is not one of'],
      ['{"kind":"command"}', "record 2 of standard input: its subject is not a string"],
    ] as const
  ) {
    const io = fakeIo({ cwd: dir.path, stdin: `ls\0${record}` });
    assertEquals(await runCli(["permissions", "test", "--null"], io), 2);
    assertStringIncludes(io.written.stderr, problem);
    assertEquals(io.written.stdout, "");
  }
  assertEquals((await test(dir, ["ls", "--null"])).code, 2);
});

Deno.test("permissions test: everyday commands need no person with allow_everyday, which init offers", async () => {
  await using dir = await tempDir();
  const permissions = { default: "ask", allow_everyday: true, writable: ["/tmp"] };
  await dir.write({ "policy.jsonc": JSON.stringify({ permissions }) });
  const commands = [
    "npm test > /tmp/out.txt",
    "npm test 2>&1 | tee /tmp/out.txt",
    'mkdir -p "$PWD/dist" src/{a,b}',
    "find . -name '*.pyc' -delete",
    'rm -rf "$PWD/dist"',
    "find src -exec rm {} +",
    "CI=1 npm test",
    "git --no-pager diff",
    "set -e; npm test",
    "((i++))",
    '"$HOME/.cargo/bin/cargo" test',
    "git -c core.pager=cat diff",
    "git commit -m \"$(cat <<'EOF'\nFix it\n\nIt was broken.\nEOF\n)\"",
    'while IFS= read -r line; do echo "$line"; done < notes.md',
    "cat <<'EOF' > notes.md\n$(not run)\nEOF",
    'for f in src/*.ts; do wc -l "$f"; done',
    "cp src/a.{ts,js} dist/",
    "git ls-files | xargs wc -l",
  ];
  const io = fakeIo({ cwd: dir.path, stdin: commands.join("\0"), env: { HOME: "/home/me" } });
  assertEquals(await runCli(["permissions", "test", "--json", "--null", "--config", "policy.jsonc"], io), 0);
  const answers = io.written.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.filter(({ decision }) => decision !== "allow"), []);
  assertEquals(answers.length, commands.length);
});

Deno.test("permissions test names the record that is not UTF-8, and takes any text for a command", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": CONFIG });
  const bytes = new Uint8Array([...new TextEncoder().encode("ls\0echo \u00e4\0a"), 0xff, 0, 0x62]);
  const io = { ...fakeIo({ cwd: dir.path }), readStdin: () => Promise.resolve(bytes) };
  assertEquals(await runCli(["permissions", "test", "--null"], io), 2);
  assertStringIncludes(io.written.stderr, "Cannot use record 3 of standard input: it is not UTF-8 text");
  assertEquals(io.written.stdout, "");
  const decisions = async (stdin: string) => {
    const given = fakeIo({ cwd: dir.path, stdin });
    assertEquals(await runCli(["permissions", "test", "--null", "--json"], given), 0);
    return given.written.stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line))
      .map(({ decision, subject }) => [decision, subject]);
  };
  assertEquals(await decisions(""), []);
  assertEquals(await decisions("\0"), [["ask", ""]]);
  assertEquals(await decisions(`{}\0{"a":1}\0null\0\ufeffls`), [
    ["allow", "{}"],
    ["allow", '{"a":1}'],
    ["allow", "null"],
    ["ask", "\ufeffls"],
  ]);
  assertEquals(await decisions('{"subject":"echo \\ud800"}'), [["ask", "echo \ud800"]]);
  const many = Array.from({ length: 1000 }, (_, index) => `echo ${index}`);
  assertEquals(await decisions(many.join("\0")), many.map((subject) => ["allow", subject]));
});

Deno.test("permissions test needs no config, and says that nothing is sent while the switch is off", async () => {
  await using dir = await tempDir();
  const { code, stdout } = await test(dir, ["npm \x1b[2Jtest"]);
  assertEquals(code, 0);
  assertStringIncludes(stdout, "ask  npm \\x1b[2Jtest\n");
  assertStringIncludes(stdout, "auto_accept is off");
  await dir.write({ "dry.jsonc": '{ "permissions": { "auto_accept": true, "dry_run": true } }' });
  assertStringIncludes((await test(dir, ["ls", "--config", "dry.jsonc"])).stdout, "dry_run is on");
});

Deno.test("permissions refuses what it does not know", async () => {
  await using dir = await tempDir();
  const io = fakeIo({ cwd: dir.path });
  assertEquals(await runCli(["permissions", "tset", "ls"], io), 2);
  assertStringIncludes(io.written.stderr, '(did you mean "test"?)');
  assertStringIncludes((await test(dir, ["ls", "--kind", "comand"])).stderr, 'did you mean "command"?');
  await dir.write({ "panewright.jsonc": '{ "permissions": { "deny": ["a; b"] } }' });
  const wrong = await test(dir, ["ls"]);
  assertEquals(wrong.code, 2);
  assertStringIncludes(wrong.stderr, "panewright.jsonc:1:29: permissions.deny[0] is not a command pattern");
});

Deno.test("permissions list prints what allow_everyday accepts, in the form of an allow list", async () => {
  const listed = async (...args: readonly string[]) => {
    const io = fakeIo();
    assertEquals(await runCli(["permissions", "list", ...args], io), 0, io.written.stderr);
    return io.written.stdout;
  };
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": `{ "permissions": { "default": "ask", "allow": ${await listed()} } }` });
  const { permissions } = (await loadSettings({ cwd: dir.path, env: () => undefined })).config;
  const asObjects = permissions.allow.map((rule) => typeof rule === "string" ? { command: rule } : rule);
  const rules = asObjects.map((rule) => ({ type: "allow_rule", v: 1, ...rule }));
  assertEquals((await listed("--json")).trimEnd().split("\n").map((line) => JSON.parse(line)), rules);
  await dir.write({
    "panewright.jsonc": '{ "permissions": { "allow_everyday": true, "allow": ["x"], "deny": ["ls"] } }',
  });
  const verdicts = await test(dir, ["npm test", "curl x", "x", "ls", "--json"]);
  const told = verdicts.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(told.map(({ decision }) => decision), ["allow", "ask", "allow", "deny"]);
});
