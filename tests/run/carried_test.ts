import { assertEquals } from "@std/assert";
import { findCarried, knownFolders } from "../../lib/run/carried.ts";
import { tempDir } from "../support/temp_dir.ts";

const RUN = ".panewright/runs/20261120-072605-3fa9";

Deno.test("a run is carried where its folder is another one; what cannot be looked at may be the original", async () => {
  await using dir = await tempDir();
  const root = await Deno.realPath(dir.path);
  for (const name of ["here", "original"]) await Deno.mkdir(`${root}/${name}/${RUN}`, { recursive: true });
  await Deno.symlink(`${root}/here`, `${root}/link`);
  await Deno.symlink(`${root}/loop`, `${root}/loop`);
  await Deno.writeTextFile(`${root}/file`, "");
  const found = (recorded: string) =>
    findCarried({ path: `${root}/here/${RUN}` }, `${root}/${recorded}/${RUN}`)?.isCopy;
  assertEquals(["here", "link", "gone", "file", "original", "loop"].map(found), [
    undefined,
    undefined,
    false,
    false,
    true,
    true,
  ]);
  const known = (recorded: string) => knownFolders({ path: `${root}/here/${RUN}` }, recorded);
  const at = (name: string) => `${root}/${name}/${RUN}`;
  assertEquals([at("link"), at("gone")].map(known), [[at("here"), at("link")], [at("here"), at("gone")]]);
  assertEquals([at("here"), at("original"), "", "/", root].map(known), Array(5).fill([at("here")]));
});
