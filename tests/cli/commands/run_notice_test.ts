import { assertEquals } from "@std/assert";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import { EXCEPTIONS_ONLY, executeReview } from "../../../lib/cli/execute_review.ts";
import { loadConfig } from "../../../lib/config/load.ts";
import { toRunPlan } from "../../../lib/config/plan.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { FLAG_JOB } from "../../support/jobs.ts";

/** What a run with these permissions writes before anything else. */
async function firstLines(permissions: object, more: object = {}): Promise<string> {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", permissions, ...more }),
    "job.md": FLAG_JOB,
  });
  const io = fakeIo({ cwd: dir.path });
  const global = { json: false, quiet: false, verbose: false, color: NO_COLORS };
  const execute = () => Promise.reject(new Error("far enough"));
  const plan = toRunPlan(await loadConfig({ cwd: dir.path, env: () => undefined }));
  await executeReview(plan, { io, global, execute }).catch(() => {});
  return io.written.stderr;
}

Deno.test("a run says first that its policy is no boundary, where it only names exceptions", async () => {
  assertEquals(await firstLines({ auto_accept: true, deny: ["git push"] }), `${EXCEPTIONS_ONLY}\n`);
  assertEquals(await firstLines({ auto_accept: true, default: "allow", allow: ["ls"] }), `${EXCEPTIONS_ONLY}\n`);
  assertEquals(await firstLines({ auto_accept: true, default: "allow" }, { sandbox: "cli" }), "");
  assertEquals(await firstLines({ auto_accept: true, allow: ["ls"] }), "");
  assertEquals(await firstLines({ auto_accept: true, default: "ask" }), "");
  assertEquals(await firstLines({ deny: ["git push"] }), "");
});
