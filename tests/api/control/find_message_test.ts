import { assertEquals, assertRejects } from "@std/assert";
import { leaveMessage } from "../../../lib/api/control/send_message.ts";
import { toolsOf } from "../support.ts";
import { messageIdOf } from "../../../lib/run/inbox.ts";
import type { RunFolder } from "../../../lib/run/run_folder.ts";
import { reviewFinished, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

const COUNT = 25;
const MESSAGE = { role: "tester", text: "Which port?", wantsResponse: true, by: "mcp" } as const;

/** A run that has answered so many messages; the first one by a file. */
async function answered(path: string, end: Parameters<typeof writeReview>[1] = []): Promise<RunFolder> {
  const open = await writeReview({ path }, []);
  const ids = await Promise.all(Array.from({ length: COUNT }, (_, index) => messageIdOf(`k${index}`)));
  for (const index of ids.keys()) await leaveMessage(open, { ...MESSAGE, key: `k${index}` });
  await Deno.remove(open.journalPath);
  const archivedAs = `${open.repliesDir}/${ids[0]}/001-tester.md`;
  await Deno.mkdir(`${open.repliesDir}/${ids[0]}`, { recursive: true });
  await Deno.writeTextFile(archivedAs, "8080");
  const { role, by, wantsResponse } = MESSAGE;
  const facts = ids.flatMap((messageId, index) =>
    [
      { type: "message_received", messageId, role, by, wantsResponse, bytes: 11, sha256: "0" },
      { type: "message_answered", messageId, role, seconds: 1, bytes: 4, ...index === 0 ? { archivedAs } : {} },
    ] as Parameters<typeof writeReview>[1]
  );
  return await writeReview({ path }, [...facts, ...end]);
}

Deno.test("a message that ended long ago is told as it ended, and not as one that is still left", async () => {
  await using dir = await tempDir();
  const folder = await answered(dir.path);
  const callTool = toolsOf(dir.path);
  const { message, next } = await callTool("wait", { run: RUN_ID, message: await messageIdOf("k0") });
  assertEquals([message?.state, message?.response, message?.role], ["answered", "8080", "tester"]);
  assertEquals(next, "The message is answered.");
  // Who was killed, and asks again with its key, is told the same.
  const again = await callTool("handoff", { run: RUN_ID, role: "tester", text: "Which port?", key: "k0" });
  assertEquals([again.state, again.response], ["answered", "8080"]);
  assertEquals((await leaveMessage(folder, { ...MESSAGE, key: "k0" })).isNew, false);
});

Deno.test("a message that ended long ago is known by its key when the run is over, too", async () => {
  await using dir = await tempDir();
  const folder = await answered(dir.path, [reviewFinished("pass")]);
  assertEquals((await leaveMessage(folder, { ...MESSAGE, key: "k0" })).isNew, false);
  await assertRejects(() => leaveMessage(folder, { ...MESSAGE, key: "new" }), Error, "it is over");
});
