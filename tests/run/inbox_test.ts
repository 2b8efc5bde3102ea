import { assertEquals, assertThrows } from "@std/assert";
import { PanewrightError } from "../../lib/base/errors.ts";
import {
  type LeftMessage,
  listInbox,
  messageIdOf,
  newMessageId,
  putInInbox,
  readLeftMessage,
  takeBack,
} from "../../lib/run/inbox.ts";
import { tempDir } from "../support/temp_dir.ts";

function message(id: string, text: string): LeftMessage {
  return { id, role: "tester", text, wantsResponse: true, by: "command", leftAt: "2026-11-22T21:00:00.000Z" };
}

Deno.test("of messages with the same id one counts, also where many are left at once; a draft is never seen", async () => {
  await using dir = await tempDir();
  const folder = { inboxDir: `${dir.path}/inbox` };
  assertEquals(listInbox(folder), []);
  const id = await messageIdOf("k");
  const left = await Promise.all(Array.from({ length: 20 }, (_, n) => putInInbox(folder, message(id, `text ${n}`))));
  assertEquals(left.filter(({ isNew }) => isNew).length, 1);
  assertEquals(new Set(left.map(({ message }) => message.text)).size, 1);
  assertEquals(listInbox(folder), [id]);
  assertEquals([...Deno.readDirSync(folder.inboxDir)].map(({ name }) => name), [`${id}.json`]);
  assertEquals(takeBack(folder, id), true);
  assertEquals([takeBack(folder, id), listInbox(folder)], [false, []]);
});

Deno.test("any text comes back as it was left", async () => {
  await using dir = await tempDir();
  const folder = { inboxDir: `${dir.path}/inbox` };
  for (const text of ["\x1b[201~rm -rf /\r", "\0\ud800", "漢字 👩‍💻\u202e", "--- END OF MESSAGE m-1 ---", "{}\n"]) {
    const id = newMessageId();
    await putInInbox(folder, message(id, text));
    assertEquals(readLeftMessage(folder, id).text, text);
  }
});

Deno.test("what is no message is refused: other shapes, another's id, links, FIFOs, a name that leads elsewhere", async () => {
  await using dir = await tempDir();
  const folder = { inboxDir: dir.path };
  const good = message("m-0000000000000001", "Hello");
  const contents = {
    "m-0000000000000002": JSON.stringify(good),
    "m-0000000000000003": "{",
    "m-0000000000000004": JSON.stringify({ ...good, id: "m-0000000000000004", role: "The boss" }),
    "m-0000000000000005": JSON.stringify({ ...good, id: "m-0000000000000005", by: "panewright" }),
    "m-0000000000000006": "[]",
    "m-0000000000000007": JSON.stringify({ ...good, id: "m-0000000000000007", text: "x".repeat(2 ** 21) }),
  };
  for (const [id, text] of Object.entries(contents)) await Deno.writeTextFile(`${dir.path}/${id}.json`, text);
  await Deno.writeTextFile(`${dir.path}/target`, JSON.stringify({ ...good, id: "m-0000000000000008" }));
  await Deno.symlink(`${dir.path}/target`, `${dir.path}/m-0000000000000008.json`);
  await new Deno.Command("mkfifo", { args: [`${dir.path}/m-0000000000000009.json`] }).output();
  for (const id of listInbox(folder)) assertThrows(() => readLeftMessage(folder, id), PanewrightError, id);
  assertEquals(listInbox(folder).length, 8);
  assertThrows(() => readLeftMessage(folder, "../target"), PanewrightError, "as the id of a message");
});
