import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { makeOwnFolder } from "../../../lib/base/ports/state_folder.ts";
import { tempDir } from "../../support/temp_dir.ts";

const mode = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;

Deno.test("a folder of the person's own is made for its owner alone, and one that is there is made so", async () => {
  await using dir = await tempDir();
  makeOwnFolder(`${dir.path}/state/panewright/audit`);
  assertEquals([mode(`${dir.path}/state/panewright`), mode(`${dir.path}/state/panewright/audit`)], [0o700, 0o700]);
  await Deno.chmod(`${dir.path}/state/panewright`, 0o755);
  makeOwnFolder(`${dir.path}/state/panewright`);
  assertEquals(mode(`${dir.path}/state/panewright`), 0o700);
});

Deno.test("a link, a file and a folder that others may write to are refused as a folder of the person's own", async () => {
  await using dir = await tempDir();
  await dir.write({ file: "", "real/x": "" });
  await Deno.symlink(`${dir.path}/real`, `${dir.path}/link`);
  await Deno.mkdir(`${dir.path}/open`);
  await Deno.chmod(`${dir.path}/open`, 0o777);
  for (const [name, reason] of [["link", "is a link"], ["open", "can be written by other users"]] as const) {
    assertStringIncludes(assertThrows(() => makeOwnFolder(`${dir.path}/${name}`), Error).message, reason);
  }
  assertStringIncludes(assertThrows(() => makeOwnFolder(`${dir.path}/file`), Error).message, "is not a folder");
});

Deno.test("a folder of one's own below what is no folder: it is said which path that is", async () => {
  await using dir = await tempDir();
  await Deno.writeTextFile(`${dir.path}/hooks`, "");
  assertThrows(() => makeOwnFolder(`${dir.path}/hooks/run`), Error, `${dir.path}/hooks is not a folder`);
});
