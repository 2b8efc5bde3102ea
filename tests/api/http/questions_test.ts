import { assertEquals, assertRejects } from "@std/assert";
import { PanewrightError, UsageError } from "../../../lib/base/errors.ts";
import { findRunMail } from "../../../lib/run/run_mail.ts";
import { readAnswer } from "../../../lib/turn/desk/answers.ts";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { agentReady, dialogWaiting, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { createTokenCheck, invite, invitedIn, uninvite } from "../../../lib/api/http/token.ts";
import { testServer, TOKEN } from "./support.ts";

Deno.test("questions: all that waits is told, each with whether it has its answer", async () => {
  await using dir = await tempDir();
  const first = dialogWaiting(RUN_ID, "q1");
  if (first.type !== "dialog_waiting") throw new TypeError("it is another fact");
  const second = { ...first, role: "tester", turnId: "m-1", question: "q2" } as const;
  const folder = await writeReview(dir, [...agentReady(), first, second]);
  await leaveAnswerFor(folder, { question: "q2", answer: "yes", by: "command", answeredAt: "2026-11-20T08:00:00Z" });
  await using server = testServer(dir.path);
  const told = async () => {
    const { questions } = await (await server.ask(`/v1/runs/${RUN_ID}/questions`)).json();
    return questions.map(({ id, by, answered }: Record<string, unknown>) => [id, by, answered]);
  };
  {
    using _held = await tryLockFile(folder.lockPath, "process 1");
    assertEquals(await told(), [["q1", first.role, false], ["q2", "tester", true]]);
    const { header: { waiting, alsoWaiting } } = await (await server.ask(`/v1/runs/${RUN_ID}/report`)).json();
    assertEquals([waiting, ...alsoWaiting].map(({ id, answered, answer }) => [id, answered, answer]), [
      ["q1", false, "permission"],
      ["q2", true, "permission"],
    ]);
  }
  // Killed, it still takes the answers.
  assertEquals(await told(), [["q1", first.role, false], ["q2", "tester", true]]);
});

Deno.test("people by name: an answer has the name of whoever's token it came with, until that is taken back", async () => {
  await using dir = await tempDir();
  const first = dialogWaiting(RUN_ID, "q1");
  if (first.type !== "dialog_waiting") throw new TypeError("it is another fact");
  const folder = await writeReview(dir, [...agentReady(), first]);
  const state = await Deno.makeTempDir({ dir: dir.path });
  const anna = await invite(state, "anna");
  assertEquals(await invite(state, "anna"), anna);
  await invite(state, "bob");
  await using server = testServer(dir.path, { checkToken: createTokenCheck(TOKEN, state) });
  const answer = (token: string) =>
    server.ask(`/v1/runs/${RUN_ID}/answer`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify({ question: "q1", answer: "no, not now" }),
    });
  const given = await answer(anna);
  assertEquals(given.status, 200, await given.text());
  const left = await readAnswer(findRunMail(folder), "q1");
  assertEquals([left?.by, left?.who], ["http", "anna"]);
  // A token that others can read is nobody's, and can be taken back.
  await Deno.chmod(`${state}/serve/people/bob`, 0o644);
  assertEquals(invitedIn(state).map(([who]) => who), ["anna"]);
  const unusable = await assertRejects(() => invite(state, "bob"), PanewrightError, "other users can read it");
  assertEquals(unusable.hint, "Take it back with: panewright serve --uninvite bob");
  await uninvite(state, "bob");
  await uninvite(state, "anna");
  assertEquals((await answer(anna)).status, 401);
  await assertRejects(() => uninvite(state, "ann"), UsageError, "they are not invited");
  await assertRejects(() => invite(state, "../token"), UsageError, "a name has letters");
});
