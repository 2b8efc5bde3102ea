import { assertEquals, assertStringIncludes } from "@std/assert";
import { callCli } from "../../support/call_cli.ts";
import { execWaiting, RUN_ID, writeRun } from "../../support/run_folders.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("500 questions of one step: all are listed, each can be answered, and nothing names all of them in a line", async () => {
  await using dir = await tempDir();
  const others = Array.from({ length: 499 }, (_, at) => ({ question: `q${at + 2}`, text: `Which way ${at}?` }));
  const events = execWaiting(dir.path, RUN_ID).map((event) =>
    event.type === "question_asked" ? { ...event, others } : event
  );
  await writeRun({ workdir: dir.path, id: RUN_ID, events });
  const call = (...args: readonly string[]) =>
    callCli(args, { cwd: dir.path, env: { HOME: dir.path, PATH: "/usr/bin:/bin" } });
  const listed = await call("questions", "--json");
  const ids = listed.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).id);
  assertEquals(ids, Array.from({ length: 500 }, (_, at) => `q${at + 1}`));
  assertStringIncludes((await call("status", RUN_ID)).stdout, "besides: 499 questions");
  const unnamed = await call("answer", RUN_ID, "left");
  assertEquals([unnamed.code, unnamed.stderr.includes("q20 (build) and 480 more.")], [2, true], unnamed.stderr);
  assertEquals((await call("answer", RUN_ID, "--question", "q400", "left")).code, 0);
  const again = await call("answer", RUN_ID, "--question", "q400", "right");
  assertEquals([again.code, again.stderr.includes("was answered before")], [2, true], again.stderr);
});
