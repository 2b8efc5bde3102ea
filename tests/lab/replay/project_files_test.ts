import { assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../../lib/base/errors.ts";
import { renameProjectFile, writeProjectFile } from "../../../lib/lab/replay/project_files.ts";
import { tempDir } from "../../support/temp_dir.ts";

async function withFolders(act: (folders: { workdir: string; outside: string }) => Promise<void>) {
  await using root = await tempDir();
  const workdir = `${root.path}/work`;
  const outside = `${root.path}/outside`;
  await Deno.mkdir(workdir);
  await Deno.mkdir(outside);
  await act({ workdir, outside });
}

Deno.test("a project file is written with the folders on the way to it", () =>
  withFolders(async ({ workdir }) => {
    await writeProjectFile(workdir, "a/b/c.txt", { text: "one" });
    await writeProjectFile(workdir, `${workdir}/a/b/c.txt`, { text: " two", append: true });
    assertEquals(await Deno.readTextFile(`${workdir}/a/b/c.txt`), "one two");
    await renameProjectFile(workdir, { from: "a/b/c.txt", to: "d.txt" });
    assertEquals(await Deno.readTextFile(`${workdir}/d.txt`), "one two");
  }));

Deno.test("a path that leaves the working directory is refused", () =>
  withFolders(async ({ workdir, outside }) => {
    for (const path of ["../outside/x", `${outside}/x`, "..", ".", "a/../../outside/x", `${workdir}-not/x`]) {
      await assertRejects(
        () => writeProjectFile(workdir, path, { text: "x" }),
        RuntimeError,
        "leaves the working directory",
      );
    }
    await writeProjectFile(workdir, "x", { text: "x" });
    await assertRejects(() => renameProjectFile(workdir, { from: "x", to: "../outside/x" }), RuntimeError, "leaves");
    assertEquals([...Deno.readDirSync(outside)], []);
  }));

Deno.test("a symbolic link that leads out of the working directory is refused, as a folder and as a file", () =>
  withFolders(async ({ workdir, outside }) => {
    await Deno.symlink(outside, `${workdir}/link`);
    await Deno.symlink(`${outside}/file`, `${workdir}/file`);
    for (const path of ["link/x", "link/new/x", "file"]) {
      await assertRejects(
        () => writeProjectFile(workdir, path, { text: "x" }),
        RuntimeError,
        "leaves the working directory",
      );
    }
    assertEquals([...Deno.readDirSync(outside)], []);
  }));

Deno.test("a working directory that is itself a symbolic link can be written to", () =>
  withFolders(async ({ workdir, outside }) => {
    await Deno.symlink(workdir, `${outside}/alias`);
    await writeProjectFile(`${outside}/alias`, "x", { text: "x" });
    assertEquals(await Deno.readTextFile(`${workdir}/x`), "x");
  }));
