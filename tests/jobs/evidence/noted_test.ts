import { assertEquals, assertRejects } from "@std/assert";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { EVIDENCE_SETTINGS } from "../../../lib/evidence/settings.ts";
import { withNotes } from "../../../lib/jobs/evidence/noted.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a run whose beginning cannot be noted has ended before that is told", async () => {
  await using dir = await tempDir();
  using _state = useStateHome(`${dir.path}/state`);
  await Deno.mkdir(`${dir.path}/shop`);
  const folder = await createRunFolder(`${dir.path}/shop`, { now: new Date() });
  const stopped = AbortSignal.abort(new Error("stopped"));
  const plan = { workdir: `${dir.path}/shop`, evidence: defaultsOf(EVIDENCE_SETTINGS) };
  const steps: string[] = [];
  await assertRejects(
    () =>
      withNotes({ folder, signal: stopped, wallClock: () => new Date() }, { plan, isNew: true }, async (noted) => {
        await noted.catch(() => steps.push("not noted"));
        for (let waits = 0; waits < 100; waits++) await Deno.stat(dir.path);
        steps.push("played");
        return { outcome: "fail", reason: "no" };
      }),
    Error,
    "stopped",
  );
  assertEquals(steps, ["not noted", "played"]);
});
