import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { parseTask, readTask } from "../../../lib/jobs/pipeline/task.ts";
import { filesOf } from "../../../lib/jobs/pipeline/task_folder.ts";
import { tempDir } from "../../support/temp_dir.ts";

const parse = (text: string) => parseTask(text, { file: "t.md" });

Deno.test("front matter is read with quotes, comments and Windows line ends", () => {
  const cases: [string, string | undefined, number | undefined, string][] = [
    ["Work.", undefined, undefined, "Work."],
    ["---\npipeline: a\n---\nWork.", "a", undefined, "Work."],
    [
      '\ufeff---\r\npipeline: "a b" # main\r\n\r\n# how much it asks\r\nautonomyLevel: 5\r\n---\r\n\r\nWork.\r\n',
      "a b",
      5,
      "Work.",
    ],
    ["---\npipeline: 'a'\n...\nWork.", "a", undefined, "Work."],
    ["---\npipeline:\nautonomy_level: # none\n---\nWork.", undefined, undefined, "Work."],
    ["---\nnot closed\nWork.", undefined, undefined, "---\nnot closed\nWork."],
    ["--- \npipeline: a\n---\t\nWork.", "a", undefined, "Work."],
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

Deno.test("whatever else stands in front matter is a mistake, told with its line and the nearest key", () => {
  const source = "---\npipelin: a\ntitle: x\njust text\nautonomy_level: 9\npipeline: a\npipeline: b\n  - c\n---\nWork.";
  const told = readTask(source).problems.map(({ excerpt, message }) => [excerpt?.line, excerpt?.column, message]);
  assertEquals(told, [
    [2, 1, 'unknown key "pipelin"; did you mean "pipeline"? Allowed here: pipeline, autonomy_level, needs, writes'],
    [3, 1, 'unknown key "title"; Allowed here: pipeline, autonomy_level, needs, writes'],
    [4, 1, "this is not front matter: each line between the two --- must be KEY: VALUE"],
    [5, 17, 'autonomy_level must be a whole number from 0 to 5, but is "9"'],
    [7, 1, "pipeline is there twice"],
    [8, 3, "this is not front matter: each line between the two --- must be KEY: VALUE"],
  ]);
  assertThrows(() => parse(source), UsageError, 't.md:2: unknown key "pipelin"');
  assertEquals(readTask("---\npipeline: a\n\nWork.").problems, [{
    excerpt: { line: 1, row: "---", column: 1 },
    message: "front matter begins here, and no line --- ends it",
  }]);
});

Deno.test("the tasks of a folder are its .md files in the order of their names, 2 before 10", async () => {
  await using dir = await tempDir();
  await dir.write({
    "10-b.md": "",
    "2-a.MD": "",
    "x.txt": "",
    "11\n.md": "",
    "_x.md": "",
    ".y.md": "",
    "sub.md/inner.md": "",
  });
  const folder = { kind: "folder", path: dir.path } as const;
  const names = async (only?: string[]) =>
    (await filesOf(folder, only === undefined ? {} : { only })).map((file) => file.slice(dir.path.length + 1));
  assertEquals(await names(), ["2-a.MD", "10-b.md", "11\n.md"]);
  await Deno.symlink("x.txt", `${dir.path}/3-link.md`);
  assertEquals(
    await names(),
    ["2-a.MD", "3-link.md", "10-b.md", "11\n.md"],
    "a link is refused where it is read, not left out",
  );
  await Deno.remove(`${dir.path}/3-link.md`);
  assertEquals(await names(["10-b"]), ["10-b.md"]);
  assertEquals(await names(["10-b.md", "2-a"]), ["2-a.MD", "10-b.md"]);
  await assertRejects(() => names(["10-c"]), UsageError, "there is no such task in");
  await assertRejects(() => filesOf({ ...folder, path: `${dir.path}/none` }, {}), UsageError, "Cannot read the folder");
});
