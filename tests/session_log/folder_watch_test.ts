import { assertRejects } from "@std/assert";
import { FolderWatch } from "../../lib/session_log/folder_watch.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a wait that is aborted while the watch is still set up ends at once", async () => {
  await using dir = await tempDir();
  await using watch = new FolderWatch(`${dir.path}/log`);
  // What is noticed when the watch is set up ends the first wait.
  await watch.wait(0);
  const abort = new AbortController();
  const wait = watch.wait(3_600_000, abort.signal);
  abort.abort(new Error("stop"));
  await assertRejects(() => wait, Error, "stop");
});
