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

Deno.test("permissions test knows the folders that are there: git in another repository is asked about", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": '{ "permissions": { "allow_everyday": true, "default": "ask" } }',
    "packages/api/a.ts": "",
    "vendor/lib/.git/config": "",
    "bare/HEAD": "",
  });
  const commands = ["cd packages/api", "cd vendor/lib", "cd bare", "cd missing"].map((cd) => `${cd} && git status`);
  const { code, stdout } = await test(dir, ["--json", ...commands]);
  assertEquals(code, 0);
  const answers = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.map(({ decision }) => decision), ["allow", "ask", "ask", "ask"]);
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

Deno.test("permissions test --as answers as that way would", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{ "permissions": { "deny": ["git push"], "allow": ["npm test"] } }' });
  const answer = async (args: readonly string[], subject: string) => {
    const { code, stdout, stderr } = await test(dir, [...args, "--json", subject]);
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    const { decision, rule } = JSON.parse(stdout);
    return `${decision} ${rule}`;
  };
  const step = ["--as", "step"];
  assertEquals(await answer(step, "git push"), "deny permissions.deny[0]");
  assertEquals(await answer(step, "sudo -n true"), "deny builtin:sudo");
  assertEquals(await answer(step, "env -S 'git push'"), "ask uncertain");
  assertEquals(await answer(step, "npm run build"), "allow left_to_cli");
  assertEquals(await answer(["--as", "process"], "npm run build"), "allow left_to_cli");
  assertEquals(await answer([...step, "--provider", "claude_code"], "npm run build"), "ask switch_off");
  assertEquals(await answer(["--as", "pane"], "npm run build"), "ask switch_off");
  assertEquals(await answer(["--as", "pane"], "git push"), "deny permissions.deny[0]");
  assertEquals(await answer(["--as", "acp", "--provider", "gemini"], "git push"), "ask switch_off");
  assertEquals(await answer([...step, "--provider", "gemini"], "git push"), "ask switch_off");
  await dir.write({ "panewright.jsonc": '{ "permissions": { "auto_accept": true, "deny": ["git push"] } }' });
  assertEquals(await answer(["--as", "acp", "--provider", "gemini"], "git push"), "deny permissions.deny[0]");
  for (
    const [args, problem] of [
      [["--as", "acp"], "Cannot answer as acp: codex is driven by pane or process"],
      [["--as", "pane", "--provider", "gemini"], "Cannot answer as pane: gemini is driven by acp"],
      [["--as", "step", "--role", "tester"], "Cannot answer as a step for a role: a step has none"],
    ] as const
  ) {
    const { code, stderr } = await test(dir, [...args, "ls"]);
    assertEquals(code, 2);
    assertStringIncludes(stderr, problem);
  }
});
