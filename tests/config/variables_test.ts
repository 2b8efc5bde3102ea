import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { loadSettings } from "../../lib/config/load.ts";
import { SETTINGS } from "../../lib/config/settings_table.ts";
import { unknownVariables } from "../../lib/config/variables.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { callCli } from "../support/call_cli.ts";
import { tempDir } from "../support/temp_dir.ts";

const SETTING_VARIABLES = SETTINGS.flatMap(({ variables }) => variables);

Deno.test("of two names of a variable, the one with the prefix counts; an empty one does not", async () => {
  await using dir = await tempDir();
  const load = async (env: Record<string, string>) =>
    (await loadSettings({ cwd: dir.path, env: (name) => env[name] })).config.limits.max_rounds;
  assertEquals(await load({ MAX_ROUNDS: "3", PANEWRIGHT_MAX_ROUNDS: "4" }), 4);
  assertEquals(await load({ MAX_ROUNDS: "3", PANEWRIGHT_MAX_ROUNDS: "" }), 3);
  const env: Record<string, string> = { MAX_ROUNDS: "3", PANEWRIGHT_MAX_ROUNDS: "four" };
  const wrong = await assertRejects(() => loadSettings({ cwd: dir.path, env: (name) => env[name] }), UsageError);
  assertStringIncludes(wrong.message, "environment variable PANEWRIGHT_MAX_ROUNDS: must be a number");
});

const COMMANDS = [["run"], ["exec", "task.md"], ["config", "show"], ["permissions", "test", "ls"], ["doctor"], [
  "validate",
]];
for (const args of COMMANDS) {
  Deno.test(`${args.join(" ")} names a misspelt variable with the nearest one, and uses nothing`, async () => {
    await using dir = await tempDir();
    await dir.write({ "task.md": "Do it.", "panewright.jsonc": "{}" });
    const { code, stdout, stderr } = await callCli(args, { cwd: dir.path, env: { PANEWRIGHT_MAX_TURN: "40" } });
    assertEquals(code, args[0] === "doctor" ? 1 : 2);
    assertStringIncludes(
      stdout + stderr,
      "environment variable PANEWRIGHT_MAX_TURN: unknown variable; did you mean PANEWRIGHT_MAX_TURNS?",
    );
  });
}

Deno.test("doctor names a misspelt variable where there is no config file, too", async () => {
  await using dir = await tempDir();
  const { code, stdout } = await callCli(["doctor"], { cwd: dir.path, env: { PANEWRIGHT_MAX_TURN: "40" } });
  assertEquals(code, 1);
  assertStringIncludes(stdout, "did you mean PANEWRIGHT_MAX_TURNS?");
});

Deno.test("a variable that resembles none is told, and used by nobody; an empty one is as if it were not there", async () => {
  await using dir = await tempDir();
  const env = {
    PANEWRIGHT_INSTALLER: "1",
    PANEWRIGHT_TRUST: "1",
    PANEWRIGHT_SESSION_MARK: "x",
    PANEWRIGHT_MAX_TURN: "",
  };
  const { code, stderr } = await callCli(["permissions", "test", "ls"], { cwd: dir.path, env });
  assertEquals({ code, stderr }, {
    code: 0,
    stderr: "warning: environment variable PANEWRIGHT_INSTALLER: unknown variable\n",
  });
});

Deno.test("every variable that the code names is known", async () => {
  const lib = new URL("../../lib", import.meta.url).pathname;
  let found = 0;
  for await (const { path } of walk(lib, { exts: [".ts"], includeDirs: false })) {
    const code = (await Deno.readTextFile(path)).replaceAll(/^ *(\*|\/\/).*$/gm, "");
    for (const [name] of code.matchAll(/(?<=["'`]|\b)PANEWRIGHT_[A-Z][A-Z_]+[A-Z]\b/g)) {
      found++;
      assertEquals(unknownVariables([name], SETTING_VARIABLES), [], `${path}: list it in lib/config/variables.ts`);
    }
  }
  assert(found > 15, `${found} variables`);
});
