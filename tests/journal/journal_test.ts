import { sha256Hex } from "../../lib/base/text/digest.ts";
import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openJournal } from "../../lib/journal/journal.ts";
import { JOURNAL_VERSION } from "../../lib/journal/paths.ts";
import { createRunFolder } from "../../lib/run/run_folder.ts";
import { lockWorkdir } from "../../lib/run/workdir_lock.ts";
import { PanewrightError, UsageError } from "../../lib/base/errors.ts";

async function inTempDir(test: (dir: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    await test(dir);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

const now = new Date("2026-11-20T07:26:05Z");

Deno.test("a run's folder is named after its start, and a second run of the same second gets another", () =>
  inTempDir(async (dir) => {
    const first = await createRunFolder(dir, { now });
    const second = await createRunFolder(dir, { now });
    for (const { id } of [first, second]) assertMatch(id, /^20261120-072605-[0-9a-f]{4}$/);
    assertNotEquals(first.id, second.id);
    assert((await Deno.stat(first.responsesDir)).isDirectory);
    assertEquals(await Deno.readTextFile(`${dir}/.panewright/.gitignore`), "*\n");
  }));

Deno.test("a working directory that cannot hold the folder is named in the error", () =>
  inTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/.panewright`, "a file in the way");
    const error = await assertRejects(() => createRunFolder(dir, { now }), PanewrightError, `${dir}/.panewright`);
    assertStringIncludes(error.hint ?? "", "writable");
  }));

Deno.test("each record is a line of its own on the disk as soon as it is written, also after reopening", () =>
  inTempDir(async (dir) => {
    const path = `${dir}/journal.ndjson`;
    const wallClock = () => now;
    const read = async () => (await Deno.readTextFile(path)).split("\n").slice(0, -1).map((line) => JSON.parse(line));
    {
      using journal = openJournal(path, { wallClock });
      journal.append({ type: "first" });
      assertEquals((await read()).map((one) => one.type), ["journal_opened", "first"]);
    }
    using journal = openJournal(path, { wallClock });
    journal.append({ type: "second" });
    const records = await read();
    assertEquals(records.map((one) => one.type), ["journal_opened", "first", "second"]);
    assertEquals(records[0], {
      at: "2026-11-20T07:26:05.000Z",
      prev: await sha256Hex(""),
      type: "journal_opened",
      version: 3,
    });
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
  }));

Deno.test("a journal of an earlier version is marked once, where this one begins to write it", () =>
  inTempDir(async (dir) => {
    const path = `${dir}/journal.ndjson`;
    await Deno.writeTextFile(path, '{"at":"2026-11-20T07:26:05.000Z","type":"journal_opened","version":1}\n');
    for (const type of ["first", "second", "third"]) {
      using journal = openJournal(path);
      const message = { type, text: `"type":"journal_opened","version":${JOURNAL_VERSION}}` };
      journal.append(message);
    }
    const written = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(written.map(({ type, version }) => version ?? type), [1, JOURNAL_VERSION, "first", "second", "third"]);
  }));

Deno.test("a write that fails in the middle leaves whole records, and the end of the run can still be told", () =>
  inTempDir(async (dir) => {
    const path = `${dir}/journal.ndjson`;
    const module = new URL("../../lib/journal/journal.ts", import.meta.url).href;
    const script = `const { openJournal } = await import(${JSON.stringify(module)});
      using journal = openJournal(${JSON.stringify(path)});
      const failed = ["long", "short"].map((type) => {
        try { return journal.append({ type, text: type === "long" ? "x".repeat(20_000) : "" }); }
        catch (error) { return error.message; }
      });
      journal.appendLast({ type: "run_finished", failed });`;
    // No file may have more than 8 KiB, as on a full disk.
    const shell = `trap "" XFSZ; ulimit -f 16; exec "$@"`;
    const { success, stderr } = await new Deno.Command("dash", {
      args: ["-c", shell, "sh", Deno.execPath(), "eval", script],
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    const text = await Deno.readTextFile(path);
    const records = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(records.map(({ type }) => type), ["journal_opened", "run_finished"]);
    assertEquals(records[1].failed.length, 2);
    for (const message of records[1].failed) assertStringIncludes(message, `Cannot write the journal ${path}: `);
  }));

Deno.test("a working directory has one owner, who is named to the next; it is free again afterwards", () =>
  inTempDir(async (dir) => {
    await createRunFolder(dir, { now });
    {
      using _lock = await lockWorkdir(dir, { runId: "one" });
      const error = await assertRejects(() => lockWorkdir(dir, { runId: "two" }), UsageError, "run one");
      assertStringIncludes(error.message, `process ${Deno.pid}`);
    }
    using _again = await lockWorkdir(dir, { runId: "three" });
  }));

Deno.test("a lock left by a process that was killed is taken over", () =>
  inTempDir(async (dir) => {
    await createRunFolder(dir, { now });
    const module = new URL("../../lib/run/workdir_lock.ts", import.meta.url).href;
    const holder = new Deno.Command(Deno.execPath(), {
      args: [
        "eval",
        `const { lockWorkdir } = await import(${JSON.stringify(module)});
         await lockWorkdir(${JSON.stringify(dir)}, { runId: "killed" });
         console.log("held"); setInterval(() => {}, 1000);`,
      ],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const reader = holder.stdout.getReader();
    await reader.read();
    await assertRejects(() => lockWorkdir(dir, { runId: "next" }), UsageError, "run killed");
    holder.kill("SIGKILL");
    await holder.status;
    await reader.cancel();
    using _lock = await lockWorkdir(dir, { runId: "next" });
  }));

Deno.test("openJournal() completes a copy that is behind, and sets one aside that somebody has changed, also while it is open", () =>
  inTempDir(async (dir) => {
    const [path, copyPath] = [`${dir}/journal.ndjson`, `${dir}/copy.ndjson`];
    const warnings: string[] = [];
    const open = () => openJournal(path, { copyPath, warn: (message) => warnings.push(message) });
    const read = async () => [await Deno.readTextFile(path), await Deno.readTextFile(copyPath)] as const;
    {
      using journal = open();
      journal.append({ type: "first" });
    }
    const [whole, copied] = await read();
    assertEquals(copied, whole);
    for (const behind of ["", whole.slice(0, 40), whole.split("\n", 1)[0]!]) {
      await Deno.writeTextFile(copyPath, behind);
      open()[Symbol.dispose]();
      assertEquals(await Deno.readTextFile(copyPath), whole);
    }
    assertEquals(warnings, []);
    {
      using journal = open();
      for (const change of [`${whole}{"type":"forged"}\n`, whole.replace("first", "other")]) {
        await Deno.writeTextFile(copyPath, change);
        journal.append({ type: "second" });
        const [now, after] = await read();
        assertEquals(after, now);
      }
      await Deno.remove(copyPath);
      journal.append({ type: "third" });
      const [now, after] = await read();
      assertEquals(after, now);
    }
    assertEquals(warnings.length, 2);
    assertStringIncludes(warnings[0] ?? "", `it is kept as ${copyPath}.differs-1`);
    await Deno.remove(copyPath);
    await Deno.mkdir(copyPath);
    await Deno.writeTextFile(`${copyPath}/in the way`, "");
    for (let number = 3; number <= 20; number++) await Deno.writeTextFile(`${copyPath}.differs-${number}`, "");
    using journal = open();
    journal.append({ type: "fourth" });
    assertStringIncludes(warnings.at(-1) ?? "", "Cannot keep a copy of the journal");
  }));
