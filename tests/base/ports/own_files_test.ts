import { assertEquals, assertRejects } from "@std/assert";
import { makeFoldersBelow, replaceFile } from "../../../lib/base/ports/own_files.ts";
import { UnreadableFileError } from "../../../lib/base/ports/regular_file.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("folders are made for their owner alone, and a link in the place of one is not followed", async () => {
  await using dir = await tempDir();
  const base = dir.path;
  assertEquals(await makeFoldersBelow(base, "a/b/c"), `${base}/a/b/c`);
  assertEquals(await makeFoldersBelow(base, "a/b/c"), `${base}/a/b/c`, "those that are there are fine");
  for (const path of ["a", "a/b", "a/b/c"]) {
    assertEquals(((await Deno.lstat(`${base}/${path}`)).mode ?? 0) & 0o777, 0o700, path);
  }
  await Deno.mkdir(`${base}/elsewhere`);
  await Deno.symlink("../elsewhere", `${base}/a/link`);
  await Deno.writeTextFile(`${base}/a/file`, "");
  for (const name of ["link", "file"]) {
    await assertRejects(() => makeFoldersBelow(base, `a/${name}/d`), UnreadableFileError, `${base}/a/${name} is`);
  }
  assertEquals(await Array.fromAsync(Deno.readDir(`${base}/elsewhere`)), []);
});

Deno.test("a file is replaced as a whole, and a link in its place is not followed", async () => {
  await using dir = await tempDir();
  await dir.write({ "precious": "precious" });
  await Deno.symlink("precious", `${dir.path}/file`);
  await replaceFile(`${dir.path}/file`, "new");
  const { isSymlink, mode } = await Deno.lstat(`${dir.path}/file`);
  assertEquals({ isSymlink, mode: (mode ?? 0) & 0o777 }, { isSymlink: false, mode: 0o600 });
  assertEquals(await Deno.readTextFile(`${dir.path}/file`), "new");
  assertEquals(await Deno.readTextFile(`${dir.path}/precious`), "precious");
  await replaceFile(`${dir.path}/file`, "newer", { mode: 0o755 });
  assertEquals(((await Deno.lstat(`${dir.path}/file`)).mode ?? 0) & 0o777, 0o755);
  assertEquals((await Array.fromAsync(Deno.readDir(dir.path))).length, 2, "nothing is left over");
});
