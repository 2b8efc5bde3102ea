/**
 * What one look at a pane of 220×50 costs, from the question to the status: at most 0.3 ms through control mode. The
 * screens are recorded ones of Codex 0.169.0.
 *
 * - `look`: all styles are captured, as for whatever is written down or acted on
 * - `glance`: how a waiting panewright reads the status, again and again
 * - `ask`: nothing but a question of tmux and its answer
 */
import { captureScreen, captureScreenPartly } from "../../lib/tmux/capture.ts";
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { createGlance, readScreen } from "../../lib/agents/pane/glance.ts";
import type { Screen } from "../../lib/screen/mod.ts";
import { ControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";

const SCREENS = ["idle-fresh-220x50", "approval-declined-3-220x50"];

const plain = createTmuxClient({ socket: `panewright-bench-${crypto.randomUUID().slice(0, 8)}` });
const control = new ControlClient({
  plain,
  log: (message) => {
    throw new Error(message);
  },
});
const session = await openSession(control, { name: "bench" });
await control.connect("bench");
const folder = await Deno.makeTempDir({ prefix: "panewright-bench-" });
globalThis.addEventListener("unload", () => {
  session.abandon();
  Deno.removeSync(folder, { recursive: true });
});

for await (const { recording } of readCorpus(new URL("../../fixtures/screens/codex", import.meta.url).pathname)) {
  if (recording.version !== "0.169.0" || !SCREENS.includes(recording.name)) continue;
  const group = recording.name;
  const file = `${folder}/${group}`;
  await Deno.writeTextFile(file, recording.ansi.trimEnd().replaceAll("\n", "\r\n"));
  const pane = await session.openPane({
    name: group,
    argv: ["sh", "-c", 'cat "$1"; exec sleep 100000', "sh", file],
    cwd: "/",
  });
  while ((await captureScreen(control, pane)).rows.every((row) => row.text === "")) { /* it is about to be drawn */ }

  const read = (screen: Screen) => readScreen(screen, CODEX_RULES);
  for (const [name, client] of [["control mode", control], ["a process each", plain]] as const) {
    const glance = createGlance({
      capture: (options) => captureScreen(client, pane, options),
      capturePartly: (options) => captureScreenPartly(client, pane, options),
      read,
      clock: systemClock,
    });
    Deno.bench(`${name}: glance`, { group, baseline: client === control }, async () => void await glance());
    Deno.bench(`${name}: look`, { group }, async () => void read(await captureScreen(client, pane)));
    Deno.bench(`${name}: ask`, { group }, async () => {
      await client.run(["display-message", "-p", "-t", pane.paneId, "#{pane_id}"]);
    });
  }
}
