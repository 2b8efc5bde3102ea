import { assertEquals, assertRejects } from "@std/assert";
import { leaveMessage } from "../../../lib/api/control/send_message.ts";
import { PanewrightError } from "../../../lib/base/errors.ts";
import { closeInbox, listInbox, reopenInbox } from "../../../lib/run/inbox.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { writeReview } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

const MESSAGE = { role: "tester", text: "Which port?", wantsResponse: true, by: "http", key: "k" } as const;

Deno.test("a message that comes after a run has taken its last ones, and before its end, is refused and not kept", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, []);
  const mail = await claimRunMail(folder);
  await closeInbox(mail);
  await closeInbox(mail);
  const error = await assertRejects(() => leaveMessage(folder, MESSAGE), PanewrightError, "about to end");
  assertEquals([error.code, listInbox(mail)], ["run_over", []]);
  reopenInbox(mail);
  const { message: messageId, isNew } = await leaveMessage(folder, MESSAGE);
  assertEquals([isNew, listInbox(mail)], [true, [messageId]]);
  // What the journal knows is told of, also when it comes from somebody who was killed and asks again.
  const { messageId: id, role, by, wantsResponse } = { ...MESSAGE, messageId };
  const known = await writeReview(
    { path: `${dir.path}/other` },
    [{ type: "message_received", messageId: id, role, by, wantsResponse, bytes: 11, sha256: "0" }],
  );
  await closeInbox(await claimRunMail(known));
  assertEquals((await leaveMessage(known, MESSAGE)).isNew, false);
});
