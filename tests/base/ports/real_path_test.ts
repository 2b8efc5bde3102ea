import { assertEquals } from "@std/assert";
import { realPathSnapshot } from "../../../lib/base/ports/real_path.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a path is resolved as far as it exists, through links, also those that lead to nothing", async () => {
  await using dir = await tempDir();
  const root = Deno.realPathSync(dir.path);
  await dir.write({ "a/file": "x" });
  Deno.symlinkSync(`${root}/a`, `${root}/link`);
  Deno.symlinkSync("missing/there", `${root}/dangling`);
  Deno.symlinkSync("circle", `${root}/circle`);
  const real = (path: string) => realPathSnapshot()(`${root}/${path}`)?.replace(root, "");
  assertEquals(real("link/file"), "/a/file");
  assertEquals(real("link/new/deep"), "/a/new/deep");
  assertEquals(real("dangling"), "/missing/there");
  assertEquals(real("dangling/x"), "/missing/there/x");
  assertEquals(real("circle/x"), undefined);
});

Deno.test("a snapshot of paths does not look twice, and the next one does", async () => {
  await using dir = await tempDir();
  const root = Deno.realPathSync(dir.path);
  await dir.write({ "a/file": "x", "b/file": "x" });
  Deno.symlinkSync(`${root}/a`, `${root}/link`);
  const first = realPathSnapshot();
  assertEquals(first(`${root}/link/file`), `${root}/a/file`);
  Deno.removeSync(`${root}/link`);
  Deno.symlinkSync(`${root}/b`, `${root}/link`);
  assertEquals(first(`${root}/link/file`), `${root}/a/file`);
  assertEquals(realPathSnapshot()(`${root}/link/file`), `${root}/b/file`);
});
