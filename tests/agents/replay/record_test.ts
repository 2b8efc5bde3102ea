import { assertEquals } from "@std/assert";
import { openReplayRecord, RECORD_VARIABLE } from "../../../lib/agents/replay/record.ts";
import { replayProvider } from "../../../lib/agents/replay/provider.ts";
import { judgeFailure } from "../../../lib/agents/pane/failure_report.ts";
import { stillClock } from "../../support/still_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a replayed agent's record proves that its turn has failed, and its words have the class that Codex' have", async () => {
  await using dir = await tempDir();
  const clock = stillClock(60_000);
  using record = openReplayRecord({ env: { [RECORD_VARIABLE]: `${dir.path}/r.json` }, workdir: dir.path, clock });
  assertEquals([await record.read(), await record.lastFailure?.()], [undefined, undefined]);
  await dir.write({ "r.json": JSON.stringify({ pending: ["ls"] }) });
  assertEquals(await record.read(), undefined);
  assertEquals((await record.pendingRequests?.())?.map((request) => "subject" in request && request.subject), ["ls"]);
  const at = new Date().toISOString();
  await dir.write({
    "r.json": JSON.stringify({
      pending: [],
      failed: { text: "You've hit your usage limit. Try again in 2 hours.", at },
    }),
  });
  const { state, sinceMs = 0 } = await record.read() ?? {};
  assertEquals([state, sinceMs <= 60_000], ["at_rest", true]);
  const recorded = await record.lastFailure?.();
  const failure = judgeFailure(replayProvider, {
    shown: undefined,
    ...(recorded && { recorded }),
    overBy: "it",
    now: new Date(),
  });
  assertEquals([failure?.class, failure?.isTurnOver], ["usage_limit", true]);
  assertEquals(failure?.resetsAt, new Date(Date.parse(at) + 2 * 3_600_000));
});
