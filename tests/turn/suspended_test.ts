import { assertEquals } from "@std/assert";
import { type TerminalApi, waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import { createAwakeClock, sleepWithTimer } from "../../lib/base/ports/clock.ts";
import { tempDir } from "../support/temp_dir.ts";

const HOUR_MS = 3_600_000;

for (const [when, suspendedAtLook] of [["during", 2], ["between", 3]] as const) {
  Deno.test(`suspended: an hour ${when} looks ends neither an idle grace nor a response timeout`, async () => {
    await using dir = await tempDir();
    let lateMs = 0;
    const clock = createAwakeClock({ monotonicNow: () => performance.now() + lateMs, wait: sleepWithTimer });
    let looks = 0;
    const api: Pick<TerminalApi, "getStatus"> = {
      getStatus() {
        looks++;
        if (looks === suspendedAtLook) lateMs = HOUR_MS;
        return Promise.resolve(looks === 1 ? "processing" : "idle");
      },
    };
    // Something else sleeps as well, as always in a run.
    const abort = new AbortController();
    const other = clock.sleep(60_000, abort.signal).catch(() => {});
    try {
      const response = await waitForResponseFile(api as TerminalApi, "t-1", "tester", {
        workdir: dir.path,
        clock,
        settings: { pollSeconds: 0.02, idleGraceSeconds: 4, responseTimeoutSeconds: 6 },
        async wake(untilMs, signal) {
          if (looks === 8) await dir.write({ ".tmp/agent-responses/test_result.md": "RESULT: PASS\n" });
          await clock.sleep(Math.max(0, untilMs - clock.now()), signal);
        },
      });
      assertEquals(response, "RESULT: PASS\n");
    } finally {
      abort.abort();
      await other;
    }
  });
}
