import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { giveAndTake, leaveAnswer, type LeftAnswer, readAnswer } from "../../../lib/turn/desk/answers.ts";
import { PanewrightError, UsageError } from "../../../lib/base/errors.ts";
import { tempDir } from "../../support/temp_dir.ts";

const ANSWER: LeftAnswer = { question: "q1", answer: "yes", by: "command", answeredAt: "2026-11-20T07:26:05.000Z" };

Deno.test("an answer is left once, for its owner alone, and read as it was given", async () => {
  await using dir = await tempDir();
  const folder = { answersDir: `${dir.path}/answers` };
  assertEquals(await readAnswer(folder, "q1"), undefined);
  assertEquals(await leaveAnswer(folder, ANSWER), true);
  assertEquals(await leaveAnswer(folder, { ...ANSWER, answer: "no" }), false);
  assertEquals(await readAnswer(folder, "q1"), ANSWER);
  const modes = [folder.answersDir, `${folder.answersDir}/q1.json`].map((path) =>
    (Deno.lstatSync(path).mode ?? 0) & 0o777
  );
  assertEquals(modes, [0o700, 0o600]);
});

Deno.test("an answer that would be too large to be read is not taken, and leaves the question open", async () => {
  await using dir = await tempDir();
  const folder = { answersDir: `${dir.path}/answers` };
  for (const answer of ["x".repeat(5_000_000), "\u0001".repeat(300_000)]) {
    const error = await assertRejects(() => leaveAnswer(folder, { ...ANSWER, answer }), UsageError);
    assertStringIncludes(error.message, "more than the 1048576 that are allowed");
  }
  assertEquals(await leaveAnswer(folder, { ...ANSWER, answer: "x".repeat(1_000_000) }), true);
  assertEquals((await readAnswer(folder, "q1"))?.answer.length, 1_000_000);
});

Deno.test("what is no answer is refused with its path: a FIFO, a link, a folder, a huge file, other texts", async () => {
  const hostile: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
    "a FIFO": (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
    "a link": (path) => Deno.symlink("/dev/zero", path),
    "a folder": (path) => Deno.mkdir(path),
    "larger than": async (path) => {
      await Deno.writeTextFile(path, "");
      await Deno.truncate(path, 2 ** 40);
    },
    "JSON": (path) => Deno.writeTextFile(path, "{"),
    "null": (path) => Deno.writeTextFile(path, "null"),
    "not an answer": (path) => Deno.writeTextFile(path, '{"question":"q1","answer":["yes"]}'),
    "is not an answer": (path) => Deno.writeTextFile(path, JSON.stringify({ ...ANSWER, by: "somebody" })),
  };
  for (const [problem, make] of Object.entries(hostile)) {
    await using dir = await tempDir();
    const path = `${dir.path}/q1.json`;
    await make(path);
    const error = await assertRejects(() => readAnswer({ answersDir: dir.path }, "q1"), PanewrightError, path);
    assertStringIncludes(error.message, problem);
  }
});

Deno.test("an answer of the process that asks is the first, or another that may be taken is; one that may not stands in nobody's way", async () => {
  const refused: string[] = [];
  const onRefused = (message: string) => void refused.push(message);
  const options = { isReserved: true, isPermission: false, answersFrom: "person", onRefused } as const;
  for (const [by, first] of [[undefined, "terminal"], ["http", "http"], ["mcp", "terminal"]] as const) {
    await using dir = await tempDir();
    const folder = { answersDir: `${dir.path}/answers` };
    if (by !== undefined) await leaveAnswer(folder, { ...ANSWER, by });
    assertEquals((await giveAndTake(folder, { ...ANSWER, by: "terminal" }, options))?.by, first);
  }
  assertEquals(refused.length, 1);
});
