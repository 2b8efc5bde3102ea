import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { stateFolder } from "../../../lib/base/ports/state_folder.ts";
import { believedFolder } from "../../../lib/run/run_folder.ts";
import { startNtfyServer } from "../../lab/ntfy_server.ts";
import { callCli } from "../../support/call_cli.ts";
import { execWaiting, reviewFinished, writeReview, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("notify digest: one message of what has ended since the last one, and of what waits, as long as it does", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const state = stateFolder()!.replace(/\/panewright$/, "");
  const digest = async (topic = "jobs", ...more: readonly string[]) => {
    const notifications = { ntfy_url: topic === "jobs" ? ntfy.url : "http://127.0.0.1:1", ntfy_topic: "jobs" };
    await dir.write({ "panewright.jsonc": JSON.stringify({ notifications }) });
    const env = { HOME: dir.path, XDG_STATE_HOME: state, PANEWRIGHT_TRUST: "1" };
    return await callCli(["notify", "digest", ...more], { cwd: dir.path, env });
  };
  const nothing = await digest();
  assertEquals([nothing.code, ntfy.messages.length], [0, 0]);
  assertMatch(nothing.stdout, /^Nothing has ended in the last .*, and nothing waits for you\.\n$/);

  const [now, waiting] = [aMinuteAgo("a"), aMinuteAgo("b")];
  for (const id of [now, waiting]) {
    await Deno.mkdir(`${dir.path}/.panewright/runs/${id}`, { recursive: true });
    await believedFolder(dir.path, id);
  }
  await writeReview(dir, [reviewFinished("pass", "the test of round 1 passed")], now);
  await writeRun({ workdir: dir.path, id: waiting, events: execWaiting(dir.path, waiting) });
  // What reached nobody is told again.
  const lost = await digest("gone");
  assertEquals(lost.code, 1);
  assertStringIncludes(lost.stdout, "ntfy: not sent to http://127.0.0.1:1");
  assertEquals((await digest()).code, 0);
  const [message] = ntfy.messages;
  assertEquals(message?.title, "panewright: 1 needs you, 1 passed");
  assertMatch(message?.message ?? "", /^In the last .*:\n.*\n✓ .*the test of round 1 passed$/);
  const again = await digest("jobs", "--json");
  assertEquals(again.stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line).type), [
    "digest",
    "notification_tried",
  ]);
  assertEquals(ntfy.messages[1]?.title, "panewright: 1 needs you");
});

function aMinuteAgo(end: string): string {
  const [date = "", time = ""] = new Date(Date.now() - 60_000).toISOString().replaceAll(/[-:]|\..*/g, "").split("T");
  return `${date}-${time}-000${end}`;
}
