import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { openRoleViewers } from "../../../lib/jobs/review_loop/role_viewers.ts";
import type { ReviewRunPlan } from "../../../lib/jobs/review_loop/plan.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS } from "../../../lib/jobs/review_loop/settings.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { activityPathOf } from "../../../lib/run/activity_file.ts";
import { openActivityWriter } from "../../../lib/run/activity_writer.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { openSession } from "../../../lib/tmux/open_session.ts";
import { panewrightArgv } from "../../support/run_panewright.ts";
import { acpReady, PROGRAMMER_AT_WORK, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { tmuxSandbox, until } from "../../tmux/support.ts";

/** A plan in which only the programmer is without a pane. */
const PLAN = {
  agents: Object.fromEntries(
    ["analyst", "analyst_review", "programmer", "programmer_review", "tester"].map((role) => [
      role,
      { provider: role === "programmer" ? { id: "gemini", acp: {} } : { id: "codex", terminal: {} } },
    ]),
  ),
  loop: DEFAULT_REVIEW_LOOP_SETTINGS,
} as unknown as ReviewRunPlan;

const HOSTILE = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202e\x9b5n";

Deno.test("a role without a pane has a window that shows what its agent does, as wide as it is, until the run ends", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...acpReady("programmer"), ...PROGRAMMER_AT_WORK]);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  await using sandbox = await tmuxSandbox();
  const { client } = sandbox;
  await using session = await openSession(client, { name: "panewright", cols: 120, rows: 30 });
  const records: ReviewFact[] = [];
  await openRoleViewers(session, {
    plan: PLAN,
    folder,
    panewright: panewrightArgv(["--allow-read", "--allow-env"]),
    record: (fact) => records.push(fact),
    signal: new AbortController().signal,
  });
  assertEquals(records, []);
  const { stdout } = await client.run([
    ...["list-panes", "-s", "-t", "=panewright:", "-F"] as const,
    "#{pane_id} #{window_name} #{@panewright_shows}",
  ]);
  const [, paneId = ""] = /^(%\d+) programmer [\da-f-]+\/programmer\n$/.exec(stdout) ?? [];
  assert(paneId !== "", stdout);
  using writer = openActivityWriter(activityPathOf(folder, "programmer"), {
    redactor: createRedactor([]),
    onProblem(message) {
      throw new Error(message);
    },
  });
  writer.write({ type: "session", agent: "Some CLI", sessionId: "s1", resumed: false });
  // Whatever stands in the file: an agent can write there.
  const note = { at: "2026-11-20T07:26:05.000Z", type: "note", text: HOSTILE, isProblem: true };
  await Deno.writeTextFile(activityPathOf(folder, "programmer"), `${JSON.stringify(note)}\n`, { append: true });
  writer.write({ type: "message", text: `${"words ".repeat(15)}end\n` });
  const screen = async () => (await client.run(["capture-pane", "-p", "-t", paneId])).stdout;
  const shown = await until(screen, (text) => text.includes("programmer: working"));
  assertStringIncludes(shown, "Some CLI, session s1");
  assertStringIncludes(shown, "! \\x1b]0;owned\\x07\\x1b[2J\\x1b[31mred\\u202e\\x9b5n");
  assertMatch(shown, /^• (words ){15}end$/m);
  const title = await client.run(["display-message", "-p", "-t", paneId, "#{pane_title}"]);
  assertEquals(title.stdout.includes("owned"), false);
  await client.run(["resize-window", "-t", paneId, "-x", "60", "-y", "30"]);
  await until(screen, (text) => /^• (words ){8}words$/m.test(text) && /^ {2}(words ){6}end$/m.test(text));
  lock?.[Symbol.dispose]();
  const dead = () => client.run(["display-message", "-p", "-t", paneId, "#{pane_dead} #{pane_dead_status}"]);
  // tmux often loses with which code a program ended (3.3a).
  await until(async () => (await dead()).stdout, (text) => /^1 0?\n$/.test(text));
  assertStringIncludes(await screen(), "Some CLI, session s1");
});

Deno.test("a window that cannot be opened is a warning", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const records: ReviewFact[] = [];
  const refusing = { openPane: () => Promise.reject(new Error("no room")) };
  await openRoleViewers(refusing as never, {
    plan: PLAN,
    folder,
    record: (fact) => records.push(fact),
    signal: new AbortController().signal,
  });
  const message = "it has no window in which it can be watched: no room";
  assertEquals(records, [{ type: "warning", role: "programmer", message }]);
});
