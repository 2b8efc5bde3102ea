import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/errors.ts";
import { nextTaskOf, parseTask } from "../../../lib/jobs/pipeline/task.ts";
import { tempDir } from "../../support/temp_dir.ts";

const parse = (text: string) => parseTask(text, { file: "t.md" });

Deno.test("front matter is read with quotes, comments, Windows line ends and keys of others", () => {
  const cases: [string, string | undefined, number | undefined, string][] = [
    ["Work.", undefined, undefined, "Work."],
    ["---\npipeline: a\n---\nWork.", "a", undefined, "Work."],
    [
      '\ufeff---\r\npipeline: "a b" # main\r\ntitle: x: y\r\nautonomyLevel: 5\r\n---\r\n\r\nWork.\r\n',
      "a b",
      5,
      "Work.",
    ],
    ["---\npipeline: 'a'\n...\nWork.", "a", undefined, "Work."],
    ["---\npipeline:\nautonomy_level: # none\n---\nWork.", undefined, undefined, "Work."],
    ["---\nnot closed\nWork.", undefined, undefined, "---\nnot closed\nWork."],
    ["Work.\n---\npipeline: a\n---", undefined, undefined, "Work.\n---\npipeline: a\n---"],
  ];
  for (const [source, pipeline, autonomyLevel, text] of cases) {
    assertEquals<unknown>(parse(source), { pipeline, autonomyLevel, text }, JSON.stringify(source));
  }
});

Deno.test("a task without a text, or with a level that is none, is refused with its place", () => {
  assertThrows(() => parse("---\npipeline: a\n---\n \n"), UsageError, "Cannot use the task t.md: it has no text");
  assertThrows(
    () => parse("---\npipeline: a\nautonomy_level: high\n---\nWork."),
    UsageError,
    't.md:3: autonomy_level must be a whole number from 0 to 5, but is "high"',
  );
});

Deno.test("a folder's next task is the first in the alphabet that is not done", async () => {
  await using dir = await tempDir();
  await dir.write({ "10-b.md": "", "02-a.MD": "", "_x.md": "", "sub.md/inner.md": "" });
  assertEquals(await nextTaskOf(dir.path, []), `${dir.path}/02-a.MD`);
  assertEquals(await nextTaskOf(dir.path, [`${dir.path}/02-a.MD`]), `${dir.path}/10-b.md`);
  assertEquals(await nextTaskOf(dir.path, [`${dir.path}/02-a.MD`, `${dir.path}/10-b.md`]), undefined);
  await assertRejects(() => nextTaskOf(`${dir.path}/none`, []), UsageError, "Cannot read the folder of tasks");
});
