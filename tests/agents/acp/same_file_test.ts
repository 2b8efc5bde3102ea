import { assertEquals } from "@std/assert";
import { sameFileIn } from "../../../lib/agents/acp/same_file.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a file is the same one by whatever path an agent tells it", async () => {
  await using dir = await tempDir();
  const home = `${dir.path}/home`;
  const workdir = `${dir.path}/work`;
  for (const folder of [home, workdir]) await Deno.mkdir(folder);
  await Deno.symlink(workdir, `${dir.path}/link`);
  const isSame = sameFileIn({ workdir, env: { HOME: home } });
  const file = `${workdir}/new/a.txt`;
  for (const path of ["new/a.txt", "./new/../new/a.txt", `${dir.path}/link/new/a.txt`, file]) {
    assertEquals(isSame(file, path), true, path);
  }
  assertEquals(isSame("~/b", `${home}/b`), true);
  for (const path of ["a.txt", `${dir.path}/link/new/b.txt`, "~/new/a.txt", "new"]) {
    assertEquals(isSame(file, path), false, path);
  }
});
