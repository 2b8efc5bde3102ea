/** Whose session a person can take over, and what is told where it cannot be. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError, UsageError } from "../../lib/base/errors.ts";
import { openInTerminal, workerToTake } from "../../lib/cli/takeover.ts";
import { JOBS } from "../../lib/jobs/mod.ts";
import { readRun } from "../../lib/run/overview.ts";
import { reviewFinished, writeReview } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("a program that cannot be started is told, with how the run goes on", async () => {
  const launch = () => Promise.resolve({ argv: ["/nowhere/codex"], cwd: "/", env: {} } as const);
  const error = await assertRejects(
    () =>
      openInTerminal({ worker: "work", sessionId: "s", launch }, {
        back: "panewright resume R",
        io: { signal: new AbortController().signal, stderr: () => {} },
      }),
    RuntimeError,
    "Cannot take over work: /nowhere/codex could not be started",
  );
  assertEquals(error.hint, "The run is stopped; resume it with: panewright resume R");
});

Deno.test("a run that is over has no session to take over", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [reviewFinished("pass")]);
  const overview = await readRun(folder, JOBS);
  assertThrows(() => workerToTake(overview), UsageError, "it is over (passed)");
});
