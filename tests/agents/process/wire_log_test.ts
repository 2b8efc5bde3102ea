import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { openWireLog } from "../../../lib/agents/process/wire_log.ts";
import { tempDir } from "../../support/temp_dir.ts";

/** A log of parts of 400 bytes: the entries of its files, by their names. */
async function withLog(
  work: (folder: string, files: () => Readonly<Record<string, readonly Entry[]>>) => void,
): Promise<void> {
  await using dir = await tempDir();
  work(dir.path, () => {
    const names = [...Deno.readDirSync(dir.path)].map(({ name }) => name).sort();
    return Object.fromEntries(names.map((name) => {
      const text = Deno.readTextFileSync(`${dir.path}/${name}`);
      assert(text.endsWith("\n"), "a line was cut");
      return [name, text.trim().split("\n").map((line) => JSON.parse(line) as Entry)];
    }));
  });
}

interface Entry {
  readonly from: string;
  readonly line?: string;
  readonly note?: string;
}

const PART = 400;
const linesOf = (entries: readonly Entry[] = []) => entries.flatMap(({ line }) => line ?? []);

Deno.test("a short log is one file, in the order in which it was sent", async () => {
  await withLog((folder, files) => {
    using log = openWireLog(folder, PART);
    log.append("us", "hello");
    log.append("agent", "hi");
    assertEquals(files(), { "raw.ndjson": [{ from: "us", line: "hello" }, { from: "agent", line: "hi" }] });
  });
});

Deno.test("of a long log its beginning and its newest part are kept, in bounds, and it says what is missing", async () => {
  await withLog((folder, files) => {
    const sent = Array.from({ length: 100 }, (_, index) => `message ${index}`);
    // A resumed run continues it.
    for (const some of [sent.slice(0, 5), sent.slice(5, 60), sent.slice(60)]) {
      using log = openWireLog(folder, PART);
      for (const line of some) log.append("agent", line);
    }
    const { "raw.ndjson": beginning, "raw.newest.ndjson": newest, "raw.earlier.ndjson": earlier, ...others } = files();
    assertEquals(others, {});
    const first = linesOf(beginning);
    assertEquals(first, sent.slice(0, first.length));
    assert(first.length > 5);
    const last = [...linesOf(earlier), ...linesOf(newest)];
    assertEquals(last, sent.slice(-last.length));
    assertEquals(newest?.[0]?.from, "panewright");
    assertStringIncludes(newest?.[0]?.note ?? "", "raw.earlier.ndjson");
    for (const { name } of Deno.readDirSync(folder)) assert(Deno.statSync(`${folder}/${name}`).size <= PART, name);
  });
});

Deno.test("what follows half a line that a kill has left is a line of its own", async () => {
  await withLog((folder) => {
    Deno.writeTextFileSync(`${folder}/raw.ndjson`, '{"from":"agent","li');
    using log = openWireLog(folder, PART);
    log.append("us", "again");
    const lines = Deno.readTextFileSync(`${folder}/raw.ndjson`).split("\n");
    assertEquals(lines, ['{"from":"agent","li', '{"from":"us","line":"again"}', ""]);
  });
});

Deno.test("nothing is missing between two parts; a line that is longer than a part is kept whole", async () => {
  await withLog((folder, files) => {
    using log = openWireLog(folder, PART);
    log.append("agent", "first");
    log.append("agent", "x".repeat(1000));
    log.append("us", "last");
    const { "raw.ndjson": beginning, "raw.newest.ndjson": newest, "raw.earlier.ndjson": earlier } = files();
    assertEquals([linesOf(beginning), linesOf(earlier), linesOf(newest)], [["first"], ["x".repeat(1000)], ["last"]]);
    assertStringIncludes(earlier?.[0]?.note ?? "", "What was before this is in raw.ndjson.");
  });
});

Deno.test("security: a link in the place of a part is not followed", async () => {
  await withLog((folder) => {
    Deno.mkdirSync(`${folder}/elsewhere`);
    Deno.symlinkSync(`${folder}/elsewhere/stolen`, `${folder}/raw.newest.ndjson`);
    using log = openWireLog(folder, PART);
    try {
      log.append("agent", "secret");
    } catch { /* It may refuse. */ }
    assertEquals([...Deno.readDirSync(`${folder}/elsewhere`)], []);
  });
});
