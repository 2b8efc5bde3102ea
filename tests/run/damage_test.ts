import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { PanewrightError } from "../../lib/errors.ts";
import { openJournal } from "../../lib/run/journal.ts";
import { cutDamagedJournal, parseJournal, readJournal, readLastRecord } from "../../lib/run/read_journal.ts";
import { tempDir } from "../support/temp_dir.ts";

const RECORD = '{"at":"2026-11-20T10:00:00.000Z","type":"one","text":"é"}\n';

Deno.test("a damaged middle names line and byte, and is cut off into a file beside the journal", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  const rest = `\0\0\0\n${RECORD}${RECORD}`;
  await Deno.writeTextFile(path, RECORD + RECORD + rest);
  const byte = new TextEncoder().encode(RECORD + RECORD).length;
  await assertRejects(() => readJournal(path), PanewrightError, `${path}: line 3 (byte ${byte}) is not a record`);
  const cut = await cutDamagedJournal(path);
  assertEquals(cut, { line: 3, keptAs: `${path}.damaged-1`, bytes: rest.length + 2 });
  assertEquals(await Deno.readTextFile(`${path}.damaged-1`), rest);
  assertEquals(await Deno.readTextFile(path), RECORD + RECORD);
  assertEquals(await cutDamagedJournal(path), undefined);
  await Deno.writeTextFile(path, "x\n", { append: true });
  assertEquals((await cutDamagedJournal(path))?.keptAs, `${path}.damaged-2`);
});

Deno.test("how much of a record was cut off is told when the journal is opened again", async () => {
  await using dir = await tempDir();
  const path = `${dir.path}/journal.ndjson`;
  await Deno.writeTextFile(path, `${RECORD}{"at":"2026`);
  using journal = openJournal(path);
  assertEquals(journal.droppedBytes, 11);
  using again = openJournal(path);
  assertEquals(again.droppedBytes, 0);
  assertEquals((await readLastRecord(path))?.type, "one");
});

Deno.test("a journal of a later version is not read", () => {
  const opened = '{"at":"2026-11-20T10:00:00.000Z","type":"journal_opened","version":99}\n';
  assertThrows(() => parseJournal(opened, "j"), PanewrightError, "Cannot read the journal j: it has version 99");
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
