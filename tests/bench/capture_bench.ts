/** What one look at a pane of 220×50 costs, capture and classification: at most 0.3 ms through control mode. */
import { readCorpus } from "../../lib/fixtures/corpus.ts";
import { CODEX_RULES } from "../../lib/providers/codex/rules.ts";
import { classify } from "../../lib/screen/mod.ts";
import { capturePane } from "../../lib/tmux/capture.ts";
import type { PaneRef, TmuxClient } from "../../lib/tmux/client.ts";
import { createControlClient } from "../../lib/tmux/control_client.ts";
import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { openSession } from "../../lib/tmux/session.ts";
import { fail } from "@std/assert";

const CORPUS = new URL("../../fixtures/screens/codex", import.meta.url).pathname;
const largest = (await Array.fromAsync(readCorpus(CORPUS)))
  .map(({ recording }) => recording)
  .filter(({ cols, rows }) => cols === 220 && rows === 50)
  .reduce((one, other) => other.ansi.length > one.ansi.length ? other : one);

async function measured(look: (client: TmuxClient, pane: PaneRef) => Promise<void>, kind: "plain" | "control", bench: Deno.BenchContext) {
  const plain = createTmuxClient({ socket: `panewright-bench-${crypto.randomUUID().slice(0, 8)}` });
  await using control = createControlClient({ plain, log: fail });
  await using session = await openSession(plain, { name: "bench" });
  if (kind === "control") await control.connect("bench");
  const file = await Deno.makeTempFile();
  try {
    await Deno.writeTextFile(file, largest.ansi.replaceAll("\n", "\r\n"));
    const script = 'cat "$1"; exec sleep 1000';
    const pane = await session.openPane({ name: "one", argv: ["sh", "-c", script, "sh", file], cwd: "/" });
    while ((await capturePane(plain, pane)).rows.every((row) => row.text === "")) { /* it is about to draw */ }
    bench.start();
    for (let count = 0; count < 100; count++) await look(control, pane);
    bench.end();
  } finally {
    await control.disconnect();
    await Deno.remove(file);
  }
}
