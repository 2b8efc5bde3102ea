import { assertEquals } from "@std/assert";
import { realPathAsFarAsItExists } from "../../lib/ports/real_path.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a path is resolved as far as it exists, through links, also those that lead to nothing", async () => {
  await using dir = await tempDir();
  const root = Deno.realPathSync(dir.path);
  await dir.write({ "a/file": "x" });
  Deno.symlinkSync(`${root}/a`, `${root}/link`);
  Deno.symlinkSync("missing/there", `${root}/dangling`);
  Deno.symlinkSync("circle", `${root}/circle`);
  const real = (path: string) => realPathAsFarAsItExists(`${root}/${path}`)?.replace(root, "");
  assertEquals(real("link/file"), "/a/file");
  assertEquals(real("link/new/deep"), "/a/new/deep");
  assertEquals(real("dangling"), "/missing/there");
  assertEquals(real("dangling/x"), "/missing/there/x");
  assertEquals(real("circle/x"), undefined);
});
