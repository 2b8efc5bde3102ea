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
  await dir.write({ "a file": "", "made/x": "" });
  await Deno.symlink("made", `${path}/link`);
  const folder = ownFolderAt(path, [`${path}/made/bin`]);
  assertEquals(folder.entries[0], { path: `${path}/made` });
  assertEquals(
    readingMounts(`bwrap --ro-bind / / --bind ${path}/made ${path}/made -- sh`),
    `bwrap --ro-bind / / --args 8 --bind ${path}/made ${path}/made -- sh`,
  );
  const words = mountsOf([folder]).split("\0");
  assertEquals(words.slice(0, 5), ["--tmpfs", path, "--ro-bind-try", `${path}/made`, `${path}/made`]);
  const said = words.join(" ");
  assert(said.includes(` --ro-bind-try ${path}/a file ${path}/a file `), said);
  assert(said.includes(` --symlink made ${path}/link `), said);
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
