import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import type { AcpActivity } from "../../lib/agents/acp/activity.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import { earlierPathOf, MAX_ACTIVITY_BYTES } from "../../lib/run/activity_file.ts";
import { ActivityTail } from "../../lib/run/activity_tail.ts";
import { type ActivityWriter, openActivityWriter } from "../../lib/run/activity_writer.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

const AT = "2026-11-20T07:26:05.000Z";

interface Kept {
  readonly dir: TempDir;
  readonly path: string;
  readonly problems: string[];
  readonly writer: ActivityWriter;
  readonly tail: ActivityTail;
}

async function withWriter(test: (kept: Kept) => Promise<void>, options: { readonly maxBytes?: number } = {}) {
  await using dir = await tempDir();
  const path = `${dir.path}/agents/tester.ndjson`;
  const problems: string[] = [];
  using writer = openActivityWriter(path, {
    redactor: createRedactor(["correct-horse"]),
    onProblem: (message) => problems.push(message),
    wallClock: () => new Date(AT),
    ...options,
  });
  using tail = new ActivityTail(path);
  await test({ dir, path, problems, writer, tail });
}

async function readAll(tail: ActivityTail): Promise<readonly AcpActivity[]> {
  const all: AcpActivity[] = [];
  for (let last: readonly unknown[] = [0]; last.length > 0;) {
    const read = await tail.read();
    all.push(...read.map(({ activity }) => activity));
    last = read;
  }
  return all;
}

const call = { type: "tool_call", id: "c1", kind: "execute", title: "ls", status: "pending", command: "ls" } as const;
const said = (text: string, id?: string): AcpActivity => ({
  type: "message",
  text,
  ...(id === undefined ? {} : { id }),
});

Deno.test("what an agent does is read back as it was told, in order, while it is written", () =>
  withWriter(async ({ writer, tail, path }) => {
    assertEquals(await readAll(tail), []);
    const plan = { type: "plan", entries: [{ text: "Look", status: "completed" }] } as const;
    writer.write(plan);
    assertEquals(await readAll(tail), [plan]);
    writer.write(call);
    writer.write({ type: "turn_ended", reason: "end_turn", isGood: true });
    assertEquals(await readAll(tail), [call, { type: "turn_ended", reason: "end_turn", isGood: true }]);
    assertEquals((await Deno.stat(path)).mode! & 0o777, 0o600);
    assertEquals(JSON.parse((await Deno.readTextFile(path)).split("\n")[0]!).at, AT);
  }));

Deno.test("pieces of a text are kept by lines, and whole when something else is told", () =>
  withWriter(async ({ writer, tail }) => {
    for (const text of ["I will", " look.\nThen", " I"]) writer.write(said(text));
    assertEquals(await readAll(tail), [said("I will look.\n")]);
    writer.write(call);
    assertEquals(await readAll(tail), [said("Then I"), call]);
    writer.write(said("one", "m1"));
    writer.write(said("two", "m2"));
    assertEquals(await readAll(tail), [said("one", "m1")]);
    writer[Symbol.dispose]();
    assertEquals(await readAll(tail), [said("two", "m2")]);
  }));

Deno.test("no secret is kept, however it is told: in pieces, in styles, in many lines, in any field", () =>
  withWriter(async ({ writer, path }) => {
    writer.write(said("it is correct-"));
    writer.write(said("horse\n"));
    writer.write({ type: "tool_output", id: "c1", text: "\x1b[1mcorrect-\x1b[0mhorse\n" });
    // Longer than any context could be.
    const body = Array.from({ length: 300 }, () => "c3RpbGwgc2VjcmV0".repeat(4));
    const key = ["-----BEGIN RSA PRIVATE KEY-----", "MIIEpAIBAAKCAQEA0", ...body, "-----END RSA PRIVATE KEY-----"];
    for (const row of [...key, "After the key."]) writer.write(said(`${row}\n`));
    writer.write({ ...call, command: "login correct-horse", title: "correct-horse", paths: ["/w/correct-horse"] });
    writer.write({ type: "plan", entries: [{ text: "use correct-horse", status: "pending" }] });
    writer[Symbol.dispose]();
    const kept = await Deno.readTextFile(path);
    for (const secret of ["correct-", "horse", "MIIEpAIBAAKCAQEA0", "c3RpbGwgc2VjcmV0"]) {
      assert(!kept.includes(secret), `${secret} in ${kept}`);
    }
    assertStringIncludes(kept, "redacted");
    assertStringIncludes(kept, "After the key.");
  }));

Deno.test("what is kept acts on no terminal, whoever prints the file", () =>
  withWriter(async ({ writer, path }) => {
    writer.write(said("\x1b]52;c;cm0gLXJm\x07\x9b2J\u202etxt.exe\r\n"));
    writer.write({ ...call, title: "\x1b[2J\u2066", id: "\x1b[H" });
    writer[Symbol.dispose]();
    assertMatch(await Deno.readTextFile(path), /^[\n\x20-\x7e]+$/);
  }));

Deno.test("texts, lists and ids are bounded, and a line without an end is not waited for", () =>
  withWriter(async ({ writer, tail, path }) => {
    writer.write({ type: "tool_output", id: "x".repeat(1_000_000), text: "y".repeat(10_000_000) });
    writer.write({
      ...call,
      paths: Array.from({ length: 5000 }, (_, index) => `/w/${index}`),
      title: "z".repeat(1_000_000),
    });
    assert((await Deno.stat(path)).size < 64 * 1024);
    const [output, told] = await readAll(tail);
    assert(output?.type === "tool_output" && output.text.includes("[9983616 characters left out]"));
    assert(told?.type === "tool_call" && told.paths?.length === 100);
    for (let words = 0; words < 2000; words++) writer.write(said("word "));
    const [first] = await readAll(tail);
    assert(first?.type === "message" && /^(?:word )+$/.test(first.text));
  }));

Deno.test("a file that is full makes room, and what was before it is read first", () =>
  withWriter(async ({ writer, tail, path }) => {
    const notes = Array.from({ length: 12 }, (_, index) => ({ type: "mode", mode: `mode ${index}` }) as const);
    for (const note of notes.slice(0, 3)) writer.write(note);
    assertEquals(await readAll(tail), notes.slice(0, 3));
    for (const note of notes.slice(3)) writer.write(note);
    for (const file of [path, earlierPathOf(path)]) assert((await Deno.stat(file)).size <= 400);
    using later = new ActivityTail(path);
    const all = await readAll(later);
    assertEquals(all, notes.slice(-all.length));
    assert(all.length > 5, `${all.length}`);
  }, { maxBytes: 400 }));

Deno.test("a watcher sees all of a file that makes room while it watches", () =>
  withWriter(async ({ writer, tail }) => {
    const notes = Array.from({ length: 20 }, (_, index) => ({ type: "mode", mode: `mode ${index}` }) as const);
    const seen: AcpActivity[] = [];
    for (const note of notes) {
      writer.write(note);
      seen.push(...await readAll(tail));
    }
    assertEquals(seen, notes);
  }, { maxBytes: 400 }));

Deno.test("half a line of a writer that was killed spoils nothing, nor do lines that nobody knows", () =>
  withWriter(async ({ writer, tail, path, dir }) => {
    const lines = [
      "not JSON",
      "7",
      `{"at":"${AT}","type":"constructor"}`,
      `{"at":"${AT}","type":"mode"}`,
      `{"at":"${AT}","type":"mode","mo`,
    ];
    await dir.write({ "agents/tester.ndjson": lines.join("\n") });
    writer.write({ type: "mode", mode: "ask" });
    assertEquals(await readAll(tail), [{ type: "mode", mode: "ask" }]);
    assertStringIncludes(await Deno.readTextFile(path), '"mo\n{');
  }));

Deno.test("a folder or link in the file's place is told once, and ends nothing", () =>
  withWriter(async ({ writer, path, dir, problems }) => {
    await dir.write({ "other.txt": "mine" });
    await Deno.mkdir(`${dir.path}/agents`);
    await Deno.symlink(`${dir.path}/other.txt`, path);
    writer.write(call);
    writer.write(call);
    assertEquals(problems, [`what the agent does is not kept in ${path}: it is a link`]);
    assertEquals(await Deno.readTextFile(`${dir.path}/other.txt`), "mine");
    await Deno.remove(path);
    writer.write(call);
    assertStringIncludes(await Deno.readTextFile(path), '"tool_call"');
  }));

Deno.test("a file that panewright has not written is not read into memory", () =>
  withWriter(async ({ tail, path, dir }) => {
    await dir.write({ "agents/tester.ndjson": "" });
    await Deno.truncate(path, 2 * MAX_ACTIVITY_BYTES + 1);
    await assertRejects(() => tail.read(), UsageError, "larger than panewright writes it");
  }));
