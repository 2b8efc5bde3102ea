import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Interruption } from "../../../lib/cli/console/command.ts";
import { runCli } from "../../../lib/cli/main.ts";
import type { AcpActivity } from "../../../lib/agents/acp/activity.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { activityPathOf } from "../../../lib/run/activity_file.ts";
import { type ActivityWriter, openActivityWriter } from "../../../lib/run/activity_writer.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { fakeIo } from "../../support/fake_io.ts";
import { agentReady, PROGRAMMER_AT_WORK, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const AT = "2026-11-20T07:26:05.000Z";

const STARTING = agentReady().filter(({ type }) => type === "agent_starting");

const SESSION = { type: "session", agent: "Some CLI 1.0", sessionId: "s1", resumed: false } as const;
function writerOf(folder: RunFolder): ActivityWriter {
  return openActivityWriter(activityPathOf(folder, "programmer"), {
    redactor: createRedactor([]),
    onProblem: (message) => assert(false, message),
    wallClock: () => new Date(AT),
  });
}

async function writeActivities(folder: RunFolder, ...activities: readonly AcpActivity[]): Promise<void> {
  using writer = writerOf(folder);
  for (const activity of activities) writer.write(activity);
  await Promise.resolve();
}

Deno.test("logs --role --follow: what the agent does as it comes, with its state, until nobody executes the run", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [...STARTING, ...PROGRAMMER_AT_WORK]);
  const lock = await tryLockFile(folder.lockPath, "process 1");
  const io = fakeIo({ cwd: dir.path, terminal: true, columns: 200, env: { NO_COLOR: "1" } });
  let ended = false;
  const following = runCli(["logs", "-f", "--role", "programmer"], io).finally(() => ended = true);
  await until(() => io.written.stderr.includes("programmer: working"));
  using writer = writerOf(folder);
  writer.write(SESSION);
  writer.write({ type: "turn_begun", text: "Do it." });
  writer.write({ type: "tool_call", id: "1", kind: "execute", title: "", status: "in_progress", command: "npm test" });
  await until(() => io.written.stdout.includes("$ npm test\n"));
  await until(() => io.written.stderr.includes(" · $ npm test"));
  assertEquals(ended, false);
  writer.write({ type: "message", text: "The last word" });
  writer[Symbol.dispose]();
  lock?.[Symbol.dispose]();
  assertEquals(await following, 0);
  assertStringIncludes(io.written.stdout, "• The last word\n");
  // The line with the state is gone.
  assert(io.written.stderr.endsWith("\r\x1b[2K"));
});

Deno.test("logs --role --follow: Ctrl-C leaves with 130 and no message", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, STARTING);
  using _held = await tryLockFile(folder.lockPath, "process 1");
  await writeActivities(folder, SESSION);
  const controller = new AbortController();
  const io = fakeIo({ cwd: dir.path, signal: controller.signal });
  const following = runCli(["logs", "-f", "--role", "programmer"], io);
  await until(() => io.written.stdout !== "");
  controller.abort(new Interruption("SIGINT"));
  assertEquals([await following, io.written.stderr], [130, ""]);
});
