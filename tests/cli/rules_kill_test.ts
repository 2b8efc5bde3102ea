/** `panewright rules update` is killed on its way: what was in use stays in use, or the new rules are, each whole. */
import { assertEquals } from "@std/assert";
import { VERSION } from "../../lib/base/version.ts";
import { rulesStage } from "../support/rule_packs.ts";
import { runPanewright } from "../support/run_panewright.ts";

for (const [fault, after] of [["before", 1], ["in", 1], ["after", 2]] as const) {
  Deno.test(`an update that is killed ${fault} the moment that counts`, async () => {
    await using stage = await rulesStage();
    const { call, cwd, home, folder } = stage;
    assertEquals((await call(["rules", "update", "--from", await stage.offer()])).code, 0);
    const next = await stage.offer({ version: `${VERSION}.2` });
    const update = async (env: Readonly<Record<string, string>>) => {
      const permissions = ["--allow-env", "--allow-read", "--allow-write", "--allow-run", "--allow-sys=uid"];
      const options = { cwd, permissions, env: { HOME: home, ...env } };
      return (await runPanewright(["rules", "update", "--from", next], options)).code;
    };

    assertEquals(await update({ PANEWRIGHT_FAULT: `${fault}-rules:1` }), 137);
    assertEquals(await stage.inUse(), `pack ${VERSION}.${after}`);
    assertEquals((await call(["explain", "--provider", "codex", "-"], { stdin: "›" })).code, 0);

    // Nothing is in the way of the next one, and nothing is left lying about.
    assertEquals(await update({}), 0);
    assertEquals(await stage.inUse(), `pack ${VERSION}.2`);
    const rollback = await call(["rules", "rollback"]);
    assertEquals(rollback.stdout, `codex: version ${VERSION}.1 is in use; before, ${VERSION}.2\n`);
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    assertEquals(names, ["installed.json", "keys.json", "lock", "packs"]);
    assertEquals([...Deno.readDirSync(`${folder}/packs`)].length, 2);
  });
}

Deno.test("two updates at the same time: one does its work, the other one says so or finds it done", async () => {
  await using stage = await rulesStage();
  const pack = await stage.offer();
  const done = await Promise.all([1, 2].map(() => stage.call(["rules", "update", "--from", pack])));
  const said = done.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`);
  const expected = / is in use, signed| is in use already|another process changes your rules/;
  for (const each of said) assertEquals(expected.test(each), true, each);
  assertEquals(done.some(({ code }) => code === 0), true, said.join());
  assertEquals(await stage.inUse(), `pack ${VERSION}.1`);
});
