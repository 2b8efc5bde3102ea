import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import {
  isPlaceholder,
  makePlaceholders,
  removePlaceholderFolder,
  removePlaceholders,
} from "../../lib/sandbox/placeholders.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("the folder that has to be there while a sandbox is open is gone afterwards, unless it was there or holds something", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/.claude`;
  await makePlaceholders(dir.path);
  await makePlaceholders(dir.path);
  assertEquals(await exists(folder), true);
  await removePlaceholderFolder(dir.path);
  assertEquals(await exists(folder), false);
  await Deno.mkdir(folder);
  await makePlaceholders(dir.path);
  await removePlaceholderFolder(dir.path);
  assertEquals(await exists(folder), true);
  await Deno.writeTextFile(`${folder}/settings.json`, "{}");
  await Deno.chmod(folder, 0o555);
  await removePlaceholderFolder(dir.path);
  assertEquals(await exists(`${folder}/settings.json`), true);
  await Deno.chmod(folder, 0o755);
});

Deno.test("what a killed sandbox has left in place of settings is removed; a person's own file is none", async () => {
  await using dir = await tempDir();
  await dir.write({ ".codex": "", "panewright.jsonc": "", ".envrc": "export A=1\n" });
  for (const name of [".codex", ".envrc"]) await Deno.chmod(`${dir.path}/${name}`, 0o444);
  assertEquals(isPlaceholder(`${dir.path}/.codex`, Deno.lstatSync(`${dir.path}/.codex`)), true);
  await removePlaceholders(dir.path);
  assertEquals([...Deno.readDirSync(dir.path)].map(({ name }) => name).sort(), [".envrc", "panewright.jsonc"]);
});
