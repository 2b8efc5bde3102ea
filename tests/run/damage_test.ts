import { dirname } from "@std/path/posix";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PanewrightError } from "../../lib/base/errors.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { UnknownRecordError } from "../../lib/journal/fact_reader.ts";
import { cutDamagedJournal, readFacts } from "../../lib/journal/read_facts.ts";
import { readRecords } from "../support/journal_records.ts";
import { OPENED, STARTED, TOY_JOB } from "./toy_job.ts";
import { tempDir } from "../support/temp_dir.ts";

const RECORD = '{"at":"2026-11-20T10:00:00.000Z","type":"one","text":"é"}\n';
const BEGINNING = OPENED + STARTED;
const JOBS = [TOY_JOB];

Deno.test("a damaged middle names line and byte, and is cut off into a file beside the journal", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  const rest = `\0\0\0\n${RECORD}${RECORD}`;
  const whole = BEGINNING + RECORD + RECORD;
  await Deno.writeTextFile(path, whole + rest);
  const byte = new TextEncoder().encode(whole).length;
  await assertRejects(
    () => readFacts(placeOf(path), JOBS),
    PanewrightError,
    `${path}: line 5 (byte ${byte}) is not a record`,
  );
  const cut = await cutDamagedJournal(placeOf(path), JOBS);
  assertEquals(cut, { line: 5, keptAs: `${path}.damaged-1`, bytes: rest.length + 2 });
  assertEquals(await Deno.readTextFile(`${path}.damaged-1`), rest);
  assertEquals(await Deno.readTextFile(path), whole);
  assertEquals(await cutDamagedJournal(placeOf(path), JOBS), undefined);
  await Deno.writeTextFile(path, "x\n", { append: true });
  assertEquals((await cutDamagedJournal(placeOf(path), JOBS))?.keptAs, `${path}.damaged-2`);
});

Deno.test("how much of a record was cut off is told when the journal is opened again", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  await Deno.writeTextFile(path, `${RECORD}{"at":"2026`);
  using journal = openJournal(path);
  assertEquals(journal.droppedBytes, 11);
  using again = openJournal(path);
  assertEquals(again.droppedBytes, 0);
  assertEquals((await readRecords(path)).at(-1)?.type, "one");
});

Deno.test("a record with a field that is not what it must be is cut off as damage, one of a later version is not", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  const wrong = '{"at":"2026-11-20T10:00:00.000Z","type":"one","text":7}\n';
  await Deno.writeTextFile(path, BEGINNING + wrong + RECORD);
  assertEquals((await cutDamagedJournal(placeOf(path), JOBS))?.line, 3);
  assertEquals(await Deno.readTextFile(path), BEGINNING);
  const later = '{"at":"2026-11-20T10:00:00.000Z","type":"three"}\n';
  await Deno.writeTextFile(path, BEGINNING + later + wrong);
  await assertRejects(() => cutDamagedJournal(placeOf(path), JOBS), UnknownRecordError, 'has the type "three"');
  assertEquals(await Deno.readTextFile(path), BEGINNING + later + wrong);
});

Deno.test("a journal that was removed takes no more records", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  using journal = openJournal(path);
  journal.append({ type: "one" });
  await Deno.remove(path);
  assertThrows(
    () => journal.append({ type: "two" }),
    PanewrightError,
    `Cannot write the journal ${path}: it was removed`,
  );
});

Deno.test("a record that cannot be written is an error that says what to do, and nothing follows it", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  const journal = openJournal(path);
  // A file that is closed stands in for one that takes no more bytes.
  journal[Symbol.dispose]();
  const append = (type: string) => () => journal.append({ type });
  const error = assertThrows(append("one"), PanewrightError, `Cannot write the journal ${path}`);
  assertEquals(assertThrows(append("two"), PanewrightError), error);
});

function placeOf(journalPath: string) {
  return { journalPath, path: dirname(journalPath) };
}
