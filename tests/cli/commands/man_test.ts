import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../lib/cli/command_table.ts";
import { helpOf } from "../../../lib/cli/console/help.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { callCli } from "../../support/call_cli.ts";
import { cleanEnvironment } from "../../support/run_panewright.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { whyMissing } from "../../support/why_missing.ts";

const SHOWN = COMMANDS.filter(({ hidden }) => hidden !== true);
const missing = await whyMissing("groff");
const told = missing === undefined ? "" : ` (not tried: ${missing})`;

/** The page as `man` shows it, and what groff finds wrong with it. */
async function formatted(page: string) {
  return await systemProcessRunner.run({
    argv: ["groff", "-man", "-Tascii", "-P-cbou", "-ww", "-rLL=100n"],
    cwd: "/",
    env: cleanEnvironment(),
    clearEnv: true,
    stdin: page,
  });
}

Deno.test({
  name: `man: every page is right for groff, and has every flag, argument and example${told}`,
  ignore: missing !== undefined,
  async fn() {
    for (const entry of SHOWN) {
      const { code, stdout: page, stderr } = await callCli(["man", entry.name]);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      const { stdout: text, stderr: warnings } = await formatted(page);
      assertEquals(warnings, "", entry.name);
      const help = await helpOf(entry);
      assertStringIncludes(text, `panewright-${entry.name} - ${help.summary}`);
      for (const { name } of help.flags) assertStringIncludes(text, `--${name}`);
      for (const { name } of help.arguments) assertStringIncludes(text, name);
      const words = text.replaceAll(/\s+/g, " ");
      for (const example of help.examples) assertStringIncludes(words, `panewright ${example.command}`);
    }
  },
});

Deno.test({
  name: `man: the page of panewright lists the commands${told}`,
  ignore: missing !== undefined,
  async fn() {
    const { stdout: text, stderr: warnings } = await formatted((await callCli(["man"])).stdout);
    assertEquals(warnings, "");
    for (const { name } of SHOWN) assertStringIncludes(text, `panewright-${name}(1)`);
  },
});

Deno.test("man --to writes a page for each command, and says where it cannot", async () => {
  await using dir = await tempDir();
  const { code, stdout, stderr } = await callCli(["man", "--to", "share/man1"], { cwd: dir.path });
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(stdout, `${SHOWN.length + 1} manual pages written to ${dir.path}/share/man1\n`);
  const files = [...Deno.readDirSync(`${dir.path}/share/man1`)].map(({ name }) => name).sort();
  assertEquals(files, ["panewright.1", ...SHOWN.map(({ name }) => `panewright-${name}.1`)].sort());
  await Deno.writeTextFile(`${dir.path}/file`, "");
  const refused = await callCli(["man", "--to", "file"], { cwd: dir.path });
  assertEquals(refused.code, 1);
  assert(refused.stderr.startsWith(`panewright: Cannot write manual pages to ${dir.path}/file`), refused.stderr);
  assertEquals((await callCli(["man", "rnu"])).code, 2);
  const { stdout: json } = await callCli(["man", "run", "--to", "share", "--json"], { cwd: dir.path });
  assertEquals(JSON.parse(json), { type: "file_written", v: 1, path: `${dir.path}/share/panewright-run.1` });
});
