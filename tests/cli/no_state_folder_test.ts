import { assertEquals } from "@std/assert";
import { playPanewright } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";

for (const args of [["status", "nosuch"], ["diff", "nosuch"], ["resume", "nosuch"]]) {
  Deno.test(`without a state folder "${args.join(" ")}" says what to set, with exit code 2`, async () => {
    await using dir = await tempDir();
    const { code, stderr } = await playPanewright(args, { cwd: dir.path, env: { HOME: "", XDG_STATE_HOME: "" } });
    assertEquals({ code, said: stderr.split("\n")[0] }, {
      code: 2,
      said: "panewright: Cannot keep workspaces: none of PANEWRIGHT_STATE_DIR, XDG_STATE_HOME and HOME names a folder",
    });
  });
}
