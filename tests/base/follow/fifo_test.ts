import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { startProgram } from "../../support/program.ts";
import { cleanEnvironment, panewrightArgv } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const DRIVER = new URL("./fifo_driver.ts", import.meta.url).pathname;

for (const what of ["responses", "spool", "asks"]) {
  Deno.test(`a FIFO in a folder that is watched stops nothing: ${what}`, async () => {
    await using dir = await tempDir();
    const [deno, ...rest] = panewrightArgv(["--permission-set=tests"]);
    await using program = startProgram([deno, ...rest.slice(0, -1), DRIVER, what, dir.path], {
      cwd: dir.path,
      env: cleanEnvironment(),
    });
    let ended = false;
    program.ended.then(() => ended = true);
    await until(() => ended, Boolean, () => `${what}: ${JSON.stringify(program.output)}`);
    assertEquals((await program.ended).stdout, "done\n", program.output.stderr);
  });
}

Deno.test("only session logs are watched with Deno.watchFs, which opens what it tells of", async () => {
  const files = await Array.fromAsync(
    walk(new URL("../../../lib", import.meta.url), { exts: ["ts"] }),
    ({ path }) => path,
  );
  const users = files.filter((path) => Deno.readTextFileSync(path).includes("Deno.watchFs("));
  assertEquals(users.map((path) => path.split("/").at(-1)), ["log_watch.ts"]);
});
