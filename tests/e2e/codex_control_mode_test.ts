import { assert, assertEquals } from "@std/assert";
import type { PaneEvent } from "../../lib/tmux/pane_events.ts";
import { until } from "../tmux/support.ts";
import { setUpStage, untilStatus, watchStatus } from "./agent_stage.ts";

Deno.test("a real Codex is seen through control mode: its reports and titles come in, and it is never said to rest too early", async () => {
  await using stage = await setUpStage({
    provider: "codex",
    controlMode: true,
    respond: () => [
      { do: "wait", ms: 1500 },
      { do: "say", text: "I will look first.", phase: "commentary" },
      { do: "shell", command: "sleep 1; echo looked" },
      { do: "say", text: "All is well.\n".repeat(20), chunkChars: 20, chunkMs: 60 },
    ],
  });
  const codex = await stage.start();
  const events: PaneEvent[] = [];
  using _watch = stage.session.client.paneEvents!.watch(codex.pane.paneId, (event) => events.push(event));
  await using watch = watchStatus(codex, stage.server);
  await codex.submit("Have a look, please.");
  await untilStatus(codex, "completed", { timeoutMs: 20_000 });
  watch.assertNoFalseRest();
  const readReports = () =>
    Promise.resolve(
      events.flatMap((event) => event.type === "osc" && event.text.startsWith("7501;") ? [event.text] : []),
    );
  // The session log may tell of the turn's end before the report of it is there.
  const reports = await until(readReports, ({ length }) => length >= 2);
  assertEquals(reports, ["7501;state=working:app=codex", "7501;state=done:app=codex"]);
  const titles = events.flatMap((event) => event.type === "title" ? [event.title] : []);
  assert(titles.some((title) => /[\u2800-\u28ff]/.test(title)));
  assert(!/[\u2800-\u28ff]/.test(titles.at(-1)!), titles.at(-1));
  assertEquals(stage.logged, []);
});
