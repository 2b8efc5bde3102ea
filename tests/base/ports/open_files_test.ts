import { assertEquals } from "@std/assert";
import { hasFileOpen, listOpenFiles } from "../../../lib/base/ports/process_table.ts";
import { tempDir } from "../../support/temp_dir.ts";

const missing = Deno.build.os === "linux" ? undefined : "there is no /proc";

Deno.test({
  name: "the files that a process has open are known, also by another name",
  ignore: missing !== undefined,
  async fn() {
    await using dir = await tempDir();
    const path = `${dir.path}/a file`;
    await Deno.writeTextFile(path, "");
    await Deno.symlink(path, `${dir.path}/link`);
    assertEquals(await hasFileOpen(Deno.pid, path), false);
    using _file = await Deno.open(path);
    assertEquals((await listOpenFiles([Deno.pid])).includes(await Deno.realPath(path)), true);
    assertEquals(await hasFileOpen(Deno.pid, path), true);
    assertEquals(await hasFileOpen(Deno.pid, `${dir.path}/link`), true);
    assertEquals(await hasFileOpen(Deno.pid, `${dir.path}/none`), false);
    // No process has this id.
    assertEquals(await hasFileOpen(2 ** 22 + 1, path), false);
  },
});
