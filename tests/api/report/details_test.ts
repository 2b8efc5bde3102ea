import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { createDetailLoader } from "../../../lib/api/report/details.ts";
import type { DetailSource } from "../../../lib/journal/items/source.ts";
import { createRunFolder } from "../../../lib/run/run_folder.ts";
import { tempDir } from "../../support/temp_dir.ts";

const SECRET = "correct-horse-battery";

/** A run's folder with these files in it, and a loader of its details. */
async function runWith(files: Readonly<Record<string, string>>, maxBytes?: number) {
  const dir = await tempDir();
  const folder = await createRunFolder(dir.path, { now: new Date("2026-11-20T08:00:00Z") });
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(`${folder.path}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${folder.path}/${path}`, text);
  }
  const redactor = createRedactor([SECRET]);
  const load = createDetailLoader({ folder, redactor, ...(maxBytes === undefined ? {} : { maxBytes }) });
  return { dir, folder, load };
}

function file(kind: DetailSource["kind"], path: string): DetailSource {
  return { kind, ref: `${kind}-1`, title: "It", from: "file", path };
}

Deno.test("a screen keeps its styles, its size and nothing else that a terminal would act upon", async () => {
  const text = "\x1b[1;31mred\x1b[0m \x1b]0;title\x07\x1b[2Jleft\x1b[?1049h\u202eright\x00\n漢字\n";
  const { dir, load } = await runWith({
    "evidence/a.ansi": text,
    "evidence/a.json": '{"cols":220,"rows":50}',
    "evidence/b.ansi": text,
    "evidence/b.json": '{"cols":1e9,"rows":"<script>"}',
  });
  await using _dir = dir;
  const screen = await load(file("screen", "evidence/a.ansi"));
  assertEquals(screen.text, "\x1b[1;31mred\x1b[0m left\\u202eright\n漢字\n");
  assertEquals([screen.columns, screen.rows, screen.problem], [220, 50, undefined]);
  const other = await load(file("screen", "evidence/b.ansi"));
  assertEquals([other.columns, other.rows], [undefined, undefined]);
});

Deno.test("other details are plain text without secrets", async () => {
  const { dir, load } = await runWith({ "responses/001-analyst.md": `\x1b[31mkey\x1b[0m ${SECRET}\r\n\u2066👩‍💻\n` });
  await using _dir = dir;
  const { text } = await load(file("response", "responses/001-analyst.md"));
  assertMatch(text, /^key redacted\w+\n\\u2066👩‍💻\n$/);
  const record = await load({ kind: "output", ref: "output-1", title: SECRET, from: "record", text: `a ${SECRET}` });
  assertEquals([record.text, record.title].map((each) => each.includes(SECRET)), [false, false]);
});

Deno.test("of a long detail the beginning and the end are told, cut between lines, and how much is left out", async () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index} ${SECRET}`);
  const { dir, load } = await runWith({ "steps/01-a/attempt-1/log.txt": lines.join("\n") }, 4096);
  await using _dir = dir;
  const { text, leftOut } = await load(file("output", "steps/01-a/attempt-1/log.txt"));
  const told = text.split("\n");
  assertEquals([told[0]?.slice(0, 7), told.at(-1)?.slice(0, 9)], ["line 0 ", "line 999 "]);
  assertEquals(leftOut, "25.0 KiB in the middle are left out".replace("25.0", leftOut?.split(" ")[0] ?? ""));
  assertStringIncludes(text, `[${leftOut}]`);
  assertEquals(/correct|horse|battery/.test(text), false);
});

Deno.test("a secret that the cut halves is in neither half, also where no line ends", async () => {
  for (const before of [2740, 2720, 2731]) {
    const long = `${"x ".repeat(before / 2)}${SECRET} ${"y ".repeat(20_000)}${SECRET}${" z".repeat(660)}`;
    const { dir, load } = await runWith({ "steps/01-a/attempt-1/log.txt": long }, 4096);
    await using _dir = dir;
    const { text } = await load(file("output", "steps/01-a/attempt-1/log.txt"));
    assertEquals(/corr|horse|tery/.test(text), false);
  }
});

Deno.test("of a private key that the cut goes through, neither end is told", async () => {
  const body = Array.from({ length: 400 }, () => "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDJ4Z0ZzA8g0v3x")
    .join("\n");
  const key = `-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`;
  const { dir, load } = await runWith({ "steps/01-a/attempt-1/log.txt": `first\n${key}last\n` }, 4096);
  await using _dir = dir;
  const { text } = await load(file("output", "steps/01-a/attempt-1/log.txt"));
  assertEquals(text.includes("MIIEvQ"), false);
  assertMatch(text, /^first\n[^]*\nlast\n$/);
});

Deno.test("a detail is read from the run's folder alone, through no link, and what is gone is said", async () => {
  const { dir, folder, load } = await runWith({ "steps/01-a/attempt-1/log.txt": "yes" });
  await using _dir = dir;
  await using outside = await tempDir();
  await outside.write({ "log.txt": "no", "attempt-1/log.txt": "no" });
  await Deno.symlink(outside.path, `${folder.path}/steps/02-b`);
  await Deno.symlink(`${outside.path}/log.txt`, `${folder.path}/steps/01-a/link.txt`);
  const paths = [
    ...["steps/02-b/attempt-1/log.txt", "steps/01-a/link.txt", "../../../log.txt", "steps/../journal.ndjson"],
    ...["/etc/passwd", "journal.ndjson", "steps//log.txt", "steps/./log.txt", "answers/q1.json", "steps"],
  ];
  for (const path of paths) {
    const { text, problem = "" } = await load(file("output", path));
    assertEquals(text, "", path);
    assertMatch(problem, /^It cannot be shown: .*\.$/, path);
  }
  const gone = await load(file("output", "steps/01-a/attempt-2/log.txt"));
  assertEquals(gone.problem, "It cannot be shown: it is not there any more.");
  assertEquals((await load(file("output", "steps/01-a/attempt-1/log.txt"))).text, "yes");
});

Deno.test("a decision of the audit log that is not there, or is no decision, is said", async () => {
  const { dir, load } = await runWith({ "audit.ndjson": "not a record\n" });
  await using _dir = dir;
  const audit = await load({ kind: "audit", ref: "audit-1", title: "It", from: "audit", record: 2 });
  assertEquals(audit.problem, "It cannot be shown: the audit log has no such decision.");
});
