import { assert, assertEquals } from "@std/assert";
import { isOwn, mountsOf, ownFolderAt, ownFolders, readingMounts } from "../../lib/sandbox/own_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("/tmp is a program's own unless it may write there outside", () => {
  assert(ownFolders(["/home/me/project"]).includes("/tmp"));
  assert(!ownFolders(["/home/me/project", "/tmp"]).includes("/tmp"));
  assertEquals(ownFolders(["/"]), []);
});

Deno.test("its own folders are mounted right above the whole tree, below all that the library mounts", async () => {
  await using dir = await tempDir();
  const { path } = dir;
  await dir.write({ "a file": "", "work/x": "" });
  await Deno.symlink("work", `${path}/link`);
  const folder = ownFolderAt(path, [`${path}/work/bin`]);
  assertEquals(folder.entries[0], { path: `${path}/work` });
  assertEquals(
    readingMounts(`bwrap --ro-bind / / --bind ${path}/work ${path}/work -- sh`),
    `bwrap --ro-bind / / --args 8 --bind ${path}/work ${path}/work -- sh`,
  );
  const words = mountsOf([folder]).split("\0");
  assertEquals(words.slice(0, 5), ["--tmpfs", path, "--ro-bind-try", `${path}/work`, `${path}/work`]);
  const said = words.join(" ");
  assert(said.includes(` --ro-bind-try ${path}/a file ${path}/a file `), said);
  assert(said.includes(` --symlink work ${path}/link `), said);
  assertEquals(readingMounts("sh -c 'a command of another form'"), "sh -c 'a command of another form'");
});

Deno.test("what is written to such a folder is refused only where something lay before", async () => {
  await using dir = await tempDir();
  const { path } = dir;
  await dir.write({ "there/x": "" });
  const own = [ownFolderAt(path, [])];
  assertEquals(
    [`${path}/new`, `${path}/there/x`, `${path}/there`, `${path}-other`].map((one) => isOwn(one, own)),
    [true, false, false, false],
  );
});
