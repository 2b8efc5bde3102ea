import { assertEquals } from "@std/assert";
import { createRunFolder } from "../../lib/run/run_folder.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("the folders of a run are its owner's alone, also where an earlier version left them open", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(`${dir.path}/.panewright/runs`, { recursive: true, mode: 0o755 });
  const { path, responsesDir, evidenceDir } = await createRunFolder(dir.path, { now: new Date(0) });
  for (const folder of [`${dir.path}/.panewright`, `${dir.path}/.panewright/runs`, path, responsesDir, evidenceDir]) {
    assertEquals(((await Deno.lstat(folder)).mode ?? 0) & 0o777, 0o700, folder);
  }
});
