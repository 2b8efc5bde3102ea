import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { type AnswerToGive, giveAnswer } from "../../../lib/api/control/give_answer.ts";
import { leaveMessage } from "../../../lib/api/control/send_message.ts";
import type { LeftAnswer } from "../../../lib/turn/desk/answers.ts";
import { PanewrightError } from "../../../lib/base/errors.ts";
import { openJournal } from "../../../lib/journal/journal.ts";
import { createRunFolder, type RunFolder } from "../../../lib/run/run_folder.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { dialogWaiting, reviewStarted } from "../../support/run_folders.ts";
import { holdRun, inboxOf, readAnswerOf } from "../../support/run_mail.ts";
import { useStateHome } from "../../support/state_home.ts";
import { tempDir } from "../../support/temp_dir.ts";

const NOW = "2026-11-22T21:00:00.000Z";
const options = { requireTrust: () => Promise.resolve(), wallClock: () => new Date(NOW) };

/** A review loop under way, at a dialog. */
async function atDialog(
  more: { readonly started?: object; readonly waiting?: object } = {},
): Promise<AsyncDisposable & { readonly folder: RunFolder; append(record: { readonly type: string }): void }> {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date(NOW), subfolders: [] });
  const lock = await holdRun(folder);
  const journal = openJournal(folder.journalPath);
  journal.append({ ...reviewStarted(dir.path, folder.id), ...more.started });
  journal.append({ ...dialogWaiting(folder.id, "q1"), ...more.waiting });
  return {
    folder,
    append: (record) => void journal.append(record),
    async [Symbol.asyncDispose]() {
      journal[Symbol.dispose]();
      lock[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

async function refusal(folder: RunFolder, answer: AnswerToGive): Promise<PanewrightError> {
  return await assertRejects(() => giveAnswer(folder, answer, options), PanewrightError);
}

Deno.test("of answers that race the first one counts, and all others are told how and when it came", async () => {
  await using run = await atDialog();
  const ways = ["http", "command", "notification", "http", "command", "notification"] as const;
  const given = await Promise.allSettled(
    ways.map((by, index) =>
      giveAnswer(run.folder, { question: "q1", answer: "yes", by, who: `number ${index}` }, options)
    ),
  );
  const won = given.findIndex(({ status }) => status === "fulfilled");
  const left = await readAnswerOf(run.folder, "q1");
  assertEquals([left?.by, left?.who], [ways[won], `number ${won}`]);
  const lost = given.filter((one) => one.status === "rejected").map(({ reason }) => reason);
  assertEquals(lost.length, ways.length - 1);
  for (const error of lost) {
    assertEquals([error.code, error.exitCode], ["answered_before", 2]);
    assertMatch(
      error.hint,
      new RegExp(`^The first answer counts\\. It was given .* \\(number ${won}\\), at ${NOW}\\.$`),
    );
  }
});

Deno.test("an answer that the run has taken is told as well, by how it came", async () => {
  await using run = await atDialog();
  const about = { turnId: "r1-tester-c0", role: "programmer" };
  run.append({ type: "dialog_closed", ...about, question: "q1", seconds: 1 } as { readonly type: string });
  const answered = {
    terminalId: "%5",
    kind: "command",
    subject: "x",
    answer: "accept",
    rule: "model",
    result: "closed",
  };
  run.append({ type: "dialog_answered", ...about, ...answered, by: "mcp", who: "codex", question: "q1" } as {
    readonly type: string;
  });
  const error = await refusal(run.folder, { question: "q1", answer: "yes", by: "http" });
  assertEquals(error.code, "answered_before");
  assertStringIncludes(error.hint ?? "", "It was given by a model over MCP (codex), at ");
});

Deno.test("a model may answer what the policy of the run lets it, and is refused what is reserved for a person", async () => {
  const questions = [{ question: "Which?", multiSelect: false, options: [{ label: "A", description: "" }] }];
  for (
    const [modelAnswers, waiting, isTaken] of [
      [undefined, {}, false],
      [undefined, { questions }, true],
      ["questions", {}, false],
      ["none", { questions }, false],
      ["all", {}, true],
    ] as const
  ) {
    await using run = await atDialog({ started: modelAnswers === undefined ? {} : { modelAnswers }, waiting });
    const answer = "questions" in waiting ? "1" : "yes";
    const given = { answer, by: "mcp", who: "codex\u001b[31m\n" } as const;
    if (isTaken) {
      assertEquals((await giveAnswer(run.folder, given, options)).goesOn, true);
      const { by, who } = await readAnswerOf(run.folder, "q1") as LeftAnswer;
      assert(by === "mcp" && who !== undefined && !who.includes("\u001b") && !who.includes("\n"), who);
    } else {
      const { code, exitCode } = await refusal(run.folder, given);
      assertEquals([code, exitCode, await readAnswerOf(run.folder, "q1")], ["reserved_for_person", 3, undefined]);
    }
  }
});

Deno.test("a configuration that the person does not trust takes no answer", async () => {
  await using run = await atDialog();
  const untrusted = new PanewrightError("Cannot", { code: "needs_trust" });
  const error = await assertRejects(
    () => giveAnswer(run.folder, { answer: "yes", by: "http" }, { requireTrust: () => Promise.reject(untrusted) }),
    PanewrightError,
  );
  assertEquals([error.code, await readAnswerOf(run.folder, "q1")], ["needs_trust", undefined]);
});

Deno.test("what nobody would find is refused: the process that executes the run looks into another state folder, also where an earlier one looked into this", async () => {
  await using dir = await tempDir();
  await using run = await atDialog();
  using _other = useStateHome(`${dir.path}/other`);
  const answer = { question: "q1", answer: "yes", by: "command" } as const;
  const message = { role: "tester", text: "Look again.", wantsResponse: false, by: "command" } as const;
  const requireRefused = async () => {
    for (const leave of [() => giveAnswer(run.folder, answer, options), () => leaveMessage(run.folder, message)]) {
      const error = await assertRejects(leave, PanewrightError, `does not look into ${dir.path}/other/panewright`);
      assertEquals([error.code, error.exitCode], ["bad_input", 2]);
    }
  };
  await requireRefused();
  await claimRunMail(run.folder, { taker: "process 1" });
  await requireRefused();
  assertEquals([await readAnswerOf(run.folder, "q1"), inboxOf(run.folder)], [undefined, []]);
});
