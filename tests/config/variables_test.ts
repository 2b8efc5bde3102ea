import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import { SETTINGS } from "../../lib/config/settings_table.ts";
import { unknownVariables } from "../../lib/config/variables.ts";
import { callCli } from "../support/call_cli.ts";
import { tempDir } from "../support/temp_dir.ts";

const SETTING_VARIABLES = SETTINGS.flatMap(({ variables }) => variables);

Deno.test("doctor names a misspelt variable where there is no config file, too", async () => {
  await using dir = await tempDir();
  const { code, stdout } = await callCli(["doctor"], { cwd: dir.path, env: { PANEWRIGHT_MAX_TURN: "40" } });
  assertEquals(code, 1);
  assertStringIncludes(stdout, "did you mean PANEWRIGHT_MAX_TURNS?");
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
