import { assertEquals, assertStringIncludes } from "@std/assert";
import { runCli } from "../../../lib/cli/main.ts";
import { openLiveOutput } from "../../../lib/cli/show/live_output.ts";
import { NO_COLORS } from "../../../lib/cli/console/color.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { REVIEW_LOOP } from "../../../lib/jobs/review_loop/mod.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import type { Role } from "../../../lib/base/roles.ts";
import { activityPathOf } from "../../../lib/run/activity_file.ts";
import { type ActivityWriter, openActivityWriter } from "../../../lib/run/activity_writer.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { fakeIo } from "../../support/fake_io.ts";
import {
  acpReady,
  agentReady,
  dialogWaiting,
  PROGRAMMER_AT_WORK,
  reviewFinished,
  reviewStarted,
  RUN_ID,
  writeReview,
} from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

function writerOf(folder: RunFolder, role: Role): ActivityWriter {
  return openActivityWriter(activityPathOf(folder, role), {
    redactor: createRedactor([]),
    onProblem(message) {
      throw new Error(message);
    },
  });
}

const TEAM = [...acpReady("programmer"), ...acpReady("programmer_review")];

Deno.test("attach: agents without panes are shown in this terminal without tmux, in the order of their work, to the run's end", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...TEAM, ...PROGRAMMER_AT_WORK]);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const io = fakeIo({ cwd: dir.path, terminal: true, env: { NO_COLOR: "1", PATH: "" } });
  const attached = runCli(["attach"], io);
  await until(() => io.written.stderr.includes("programmer: working"));
  using programmer = writerOf(folder, "programmer");
  programmer.write({ type: "session", agent: "Gemini CLI", sessionId: "s1", resumed: false });
  await until(() => io.written.stdout.includes("Gemini CLI, session s1\n"));
  using reviewer = writerOf(folder, "programmer_review");
  reviewer.write({ type: "note", text: "I review.", isProblem: false });
  await until(() => io.written.stdout.includes("I review."));
  using journal = openJournal(folder.journalPath);
  journal.append(reviewFinished("pass", "all is well"));
  lock?.[Symbol.dispose]();
  assertEquals(await attached, 0);
  assertEquals(io.written.stdout.split("\n"), [
    "── programmer ──",
    "Gemini CLI, session s1",
    "",
    "── programmer_review ──",
    "· I review.",
    `run ${RUN_ID}: passed: all is well`,
    "",
  ]);
});

Deno.test("a run whose agents have no panes says how to watch them, once; with panes their session says it", () => {
  for (const hasPanes of [false, true]) {
    const io = fakeIo();
    using output = openLiveOutput(REVIEW_LOOP, {
      io,
      global: { json: false, quiet: false, verbose: false, color: NO_COLORS },
      attachCommand: (id) => `panewright attach ${id}`,
    });
    const facts = [reviewStarted("/w", RUN_ID), ...hasPanes ? agentReady().slice(0, 2) : [], ...TEAM];
    for (const fact of facts) output.onEvent(fact);
    const told = io.written.stderr.split("\n").filter((row) => row.includes("watch the agents with"));
    assertEquals(told.map((row) => row.replace(/^\S+ /, "")), [`watch the agents with: panewright attach ${RUN_ID}`]);
  }
});

Deno.test("a request of an agent without a pane names no terminal to answer it in", () => {
  const io = fakeIo();
  using output = openLiveOutput(REVIEW_LOOP, {
    io,
    global: { json: false, quiet: false, verbose: false, color: NO_COLORS },
  });
  output.onEvent(reviewStarted("/w", RUN_ID));
  const { attachCommand: _, ...asked } = dialogWaiting(RUN_ID, "q1") as Extract<
    ReviewFact,
    { readonly type: "dialog_waiting" }
  >;
  output.onEvent(asked);
  assertStringIncludes(io.written.stderr, "(waits for a person for at most 10m 00s)");
  assertStringIncludes(io.written.stderr, `answer it with: panewright answer ${RUN_ID} --question q1 `);
  assertEquals(io.written.stderr.includes("terminal"), false);
});
