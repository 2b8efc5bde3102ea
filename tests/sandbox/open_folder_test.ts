import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { openFolder } from "../../lib/sandbox/open_folder.ts";
import { makePlaceholders } from "../../lib/sandbox/placeholders.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("what keeps settings from being made stays until the last sandbox of a folder is closed", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/work`);
  const [workdir, locks] = [`${dir.path}/work`, `${dir.path}/locks`];
  const make = async () => {
    await makePlaceholders(workdir);
    await Deno.writeTextFile(`${workdir}/.envrc`, "");
    await Deno.chmod(`${workdir}/.envrc`, 0o444);
  };
  const left = async () => [await exists(`${workdir}/.envrc`), await exists(`${workdir}/.claude`)];
  // One that was killed has left them.
  await make();
  const first = await openFolder(workdir, locks);
  assertEquals(await left(), [false, false]);
  await make();
  const second = await openFolder(workdir, locks);
  assertEquals(await left(), [true, true]);
  const told: boolean[] = [];
  const note = (isLast: boolean) => Promise.resolve(void told.push(isLast));
  await first.close(note);
  assertEquals(await left(), [true, true]);
  const third = await openFolder(workdir, locks);
  await second.close(note);
  assertEquals(await left(), [true, true]);
  await third.close(note);
  assertEquals([await left(), told], [[false, false], [false, false, true]]);
  assertEquals([...Deno.readDirSync(locks)], []);
  // One of another folder has nothing to do with it.
  await Deno.mkdir(`${dir.path}/other`);
  const [here, there] = [await openFolder(workdir, locks), await openFolder(`${dir.path}/other`, locks)];
  await here.close(note);
  await there.close(note);
  assertEquals(told.slice(3), [true, true]);
});
