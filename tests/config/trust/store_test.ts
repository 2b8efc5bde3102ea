import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { changedFiles, changesSince, examineConfig, trustedConfig } from "../../../lib/config/trust/examine.ts";
import { changeTrust, readTrust, type TrustedConfig, trustStorePath } from "../../../lib/config/trust/store.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import { tempDir } from "../../support/temp_dir.ts";

const ENTRY: TrustedConfig = { trustedAt: "2026-11-20T08:00:00.000Z", files: { "panewright.jsonc": "" }, items: {} };
const mode = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("trust is kept in a file of the person's own, and leaves nothing else behind", async () => {
  await using dir = await tempDir();
  const path = trustStorePath((name) => ({ XDG_STATE_HOME: dir.path })[name])!;
  assertEquals(readTrust(path), {});
  await changeTrust(path, () => ({ "/a/panewright.jsonc": ENTRY }));
  assertEquals([mode(path), mode(`${dir.path}/panewright`)], [0o600, 0o700]);
  assertEquals(readTrust(path), { "/a/panewright.jsonc": ENTRY });
  await changeTrust(path, (configs) => ({ ...configs, "/b/panewright.jsonc": ENTRY }));
  assertEquals(Object.keys(readTrust(path)), ["/a/panewright.jsonc", "/b/panewright.jsonc"]);
  assertEquals([...Deno.readDirSync(`${dir.path}/panewright`)].map(({ name }) => name), ["trust.json"]);
});

Deno.test("a store that another could have made says nothing: link, FIFO, folder as a link, rights of others, damage", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/panewright`, { mode: 0o700 });
  const path = `${dir.path}/panewright/trust.json`;
  const refuse = async (reason: string) => {
    const { message } = assertThrows(() => readTrust(path), UsageError);
    assertStringIncludes(message, reason);
    await assertRejects(() => changeTrust(path, () => ({})), UsageError, reason);
  };
  await dir.write({ elsewhere: JSON.stringify({ version: 1, configs: { "/a": ENTRY } }) });
  await Deno.symlink(`${dir.path}/elsewhere`, path);
  await refuse("is a link");
  await Deno.remove(path);
  await new Deno.Command("mkfifo", { args: ["-m", "600", path] }).output();
  await refuse("it is a FIFO");
  await Deno.remove(path);
  await Deno.copyFile(`${dir.path}/elsewhere`, path);
  await Deno.chmod(path, 0o666);
  await refuse("can be written by other users");
  await Deno.chmod(path, 0o600);
  assertEquals(Object.keys(readTrust(path)), ["/a"]);
  for (const text of ["{", '{"version":2,"configs":{}}', '{"version":1,"configs":{"relative":{}}}']) {
    await Deno.writeTextFile(path, text);
    await refuse("it is damaged");
  }
  await Deno.rename(`${dir.path}/panewright`, `${dir.path}/real`);
  await Deno.symlink(`${dir.path}/real`, `${dir.path}/panewright`);
  await refuse("is a link");
});

Deno.test("a change of any file that a config names is a change, and so is one that appears; but of the job, which is data", async () => {
  await using dir = await tempDir();
  const config = {
    prompt_file: "job.md",
    rules_file: "rules.jsonc",
    project_test_cmd: "make",
    pipelines: { main: [{ name: "a", prompt: "../a.md", check: { type: "none" } }] },
  };
  await dir.write({
    "c/panewright.jsonc": JSON.stringify(config),
    "c/job.md": "Job.",
    "c/rules.jsonc": "{}",
  });
  const path = `${dir.path}/c/panewright.jsonc`;
  const trusted = await trustedConfig(await examineConfig(path), new Date());
  assertEquals(Object.keys(trusted.files), ["panewright.jsonc", "rules.jsonc", "../a.md"]);
  const changes = async () => await changesSince(trusted, await examineConfig(path));
  assertEquals(await changes(), { items: [], gone: [], files: [] });
  for (const [file, text] of [["c/job.md", "Other."], ["c/rules.jsonc", "{} "], ["a.md", "Plan."]] as const) {
    await dir.write({ [file]: text });
  }
  assertEquals((await changes()).files, ["rules.jsonc", "../a.md"]);
  const { project_test_cmd: _, ...others } = config;
  await dir.write({ "c/panewright.jsonc": JSON.stringify({ ...others, permissions: { lift_builtin: ["git_push"] } }) });
  await assertRejects(changes, UsageError, "permissions.lift_builtin[0]");
  await dir.write({ "c/panewright.jsonc": JSON.stringify({ ...others, wd: ".." }) });
  const { items, gone, files } = await changes();
  assertEquals([items.map(({ key, isNew }) => [key, isNew]), gone], [[["wd", true]], ["project_test_cmd"]]);
  assertEquals(files, ["panewright.jsonc", "rules.jsonc", "../a.md"]);
});

Deno.test("a file that nobody trusted is changed, one that the person is still to write is not", () => {
  const trusted = { ...ENTRY, files: { "panewright.jsonc": "aa", "job.md": null } };
  assertEquals(changedFiles(trusted, { "panewright.jsonc": "aa", "job.md": "bb" }), []);
  assertEquals(changedFiles(trusted, { "__proto__x": "aa", "constructor": "bb" }), ["__proto__x", "constructor"]);
  assertEquals(changedFiles(undefined, { "panewright.jsonc": "aa" }), ["panewright.jsonc"]);
});
