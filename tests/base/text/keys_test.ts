import { assert, assertEquals } from "@std/assert";
import { createKeyDecoder, type InputEvent } from "../../../lib/base/text/keys.ts";

const encode = (text: string) => new TextEncoder().encode(text);

/** Text events that touch are one: how text is split over reads means nothing. */
function joinText(events: readonly InputEvent[]): InputEvent[] {
  const joined: InputEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (event.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { ...event, text: last.text + event.text };
    } else joined.push(event);
  }
  return joined;
}

const SESSION =
  "hé界🎉\x1b[200~paste\r\ntwo\rthree\tx \x1b[2 not the end \x1b[201~\r/quit\x1b[A\x1bOB\x03\x7f\t\n\x1b[1;5Cend";
const SESSION_EVENTS: InputEvent[] = [
  { type: "text", text: "hé界🎉" },
  { type: "paste", text: "paste\ntwo\nthree\tx \x1b[2 not the end " },
  { type: "key", key: "enter" },
  { type: "text", text: "/quit" },
  { type: "key", key: "up" },
  { type: "key", key: "down" },
  { type: "key", key: "ctrl-c" },
  { type: "key", key: "backspace" },
  { type: "key", key: "tab" },
  { type: "key", key: "newline" },
  { type: "text", text: "end" },
];

Deno.test("input cut at any two bytes gives the same events", () => {
  const bytes = encode(SESSION);
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second += 3) {
      const decoder = createKeyDecoder();
      const events = [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
        .flatMap((piece) => decoder.push(piece));
      assertEquals(joinText(events), SESSION_EVENTS, `cut at ${first} and ${second}`);
    }
  }
});

Deno.test("input that comes byte by byte gives the same events", () => {
  const decoder = createKeyDecoder();
  const events = [...encode(SESSION)].flatMap((byte) => decoder.push(new Uint8Array([byte])));
  assertEquals(joinText(events), SESSION_EVENTS);
});

Deno.test("an escape alone becomes a key only when nothing follows it", () => {
  const decoder = createKeyDecoder();
  assertEquals(decoder.push(encode("\x1b")), []);
  assert(decoder.escapePending);
  assertEquals(decoder.flush(), [{ type: "key", key: "escape" }]);
  assert(!decoder.escapePending);
  assertEquals(decoder.flush(), []);
  assertEquals(decoder.push(encode("\x1b")), []);
  assertEquals(decoder.push(encode("[A")), [{ type: "key", key: "up" }]);
});

Deno.test("two escapes in a row are two keys", () => {
  const decoder = createKeyDecoder();
  assertEquals([...decoder.push(encode("\x1b\x1b")), ...decoder.flush()], [
    { type: "key", key: "escape" },
    { type: "key", key: "escape" },
  ]);
});

Deno.test("an escape takes no character along that is not a sequence's", () => {
  const escape: InputEvent = { type: "key", key: "escape" };
  const typed = (text: string): InputEvent => ({ type: "text", text });
  const cases: [string, InputEvent[]][] = [
    ["\x1by", [escape, typed("y")]],
    ["\x1bOK", [escape, typed("OK")]],
    ["\x1b\r", [{ type: "key", key: "alt-enter" }]],
    ["\x1bOP\x1b[15~x", [typed("x")]],
    ["\x1b[\rx", [{ type: "key", key: "enter" }, typed("x")]],
    [`\x1b[${"1".repeat(30)}x`, [typed("x")]],
  ];
  for (const [input, events] of cases) assertEquals(createKeyDecoder().push(encode(input)), events, input);
  for (const input of ["\x1b[", "\x1bO"]) {
    const decoder = createKeyDecoder();
    assertEquals([...decoder.push(encode(input)), ...decoder.flush()], [escape, typed(input[1]!)]);
  }
});

Deno.test("an escape inside a paste is no key", () => {
  const decoder = createKeyDecoder();
  assertEquals(decoder.push(encode("\x1b[200~a\x1b")), []);
  assert(!decoder.escapePending);
  assertEquals(decoder.flush(), []);
  assertEquals(decoder.push(encode("b\x1b[201~")), [{ type: "paste", text: "a\x1bb" }]);
});

Deno.test("a paste of a megabyte in small pieces arrives whole", () => {
  const decoder = createKeyDecoder();
  const piece = encode("x".repeat(1024));
  decoder.push(encode("\x1b[200~"));
  for (let index = 0; index < 1024; index++) decoder.push(piece);
  const events = decoder.push(encode("\x1b[201~"));
  assertEquals(events, [{ type: "paste", text: "x".repeat(1024 * 1024) }]);
});
