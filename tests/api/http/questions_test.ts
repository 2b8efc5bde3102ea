import { assertEquals } from "@std/assert";
import { tryLockFile } from "../../../lib/base/ports/lock_file.ts";
import { agentReady, dialogWaiting, RUN_ID, writeReview } from "../../support/run_folders.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { testServer } from "./support.ts";

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
