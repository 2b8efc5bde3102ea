import { assert, assertEquals } from "@std/assert";
import { LineSplitter } from "../../../lib/base/follow/line_splitter.ts";
import { recordedLogs } from "./support.ts";

const TRICKY = new TextEncoder().encode('{"a":"é€😀"}\r\n\n\ufeff"bom"\n' + `${"😀".repeat(300)}\n` + "half é");
const TRICKY_LINES = ['{"a":"é€😀"}', "", '\ufeff"bom"', "😀".repeat(300)];

Deno.test("seed 004, incremental parsing: a log that comes byte by byte gives the very lines that are in it", () => {
  for (const { name, bytes, lines } of recordedLogs()) {
    assert(lines.length > 10 && bytes.at(-1) === 0x0a, name);
    const splitter = new LineSplitter();
    const found: string[] = [];
    for (let at = 0; at < bytes.length; at++) found.push(...splitter.push(bytes.subarray(at, at + 1)));
    assertEquals(found, [...lines], name);
    assertEquals(splitter.unfinished(), "");
  }
});

Deno.test("two pieces, cut at every byte, give the same lines as one", () => {
  for (let cut = 0; cut <= TRICKY.length; cut++) {
    const splitter = new LineSplitter();
    const found = [...splitter.push(TRICKY.subarray(0, cut)), ...splitter.push(TRICKY.subarray(cut))];
    assertEquals(found, TRICKY_LINES, `cut at ${cut}`);
    assertEquals(splitter.unfinished(), "half é", `cut at ${cut}`);
  }
});

Deno.test("three pieces, cut around every line end of a recorded log, lose nothing", () => {
  for (const { name, bytes, lines } of recordedLogs()) {
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, end + 1)) {
      const splitter = new LineSplitter();
      const pieces = [bytes.subarray(0, end), bytes.subarray(end, end + 1), bytes.subarray(end + 1)];
      assertEquals(pieces.flatMap((piece) => splitter.push(piece)), [...lines], `${name} around ${end}`);
    }
  }
});

Deno.test("a line of eight megabytes in small pieces arrives whole", () => {
  const splitter = new LineSplitter();
  const piece = new TextEncoder().encode("x".repeat(1000));
  for (let count = 0; count < 8000; count++) assertEquals(splitter.push(piece), []);
  assertEquals(splitter.push(new TextEncoder().encode("\n"))[0]?.length, 8_000_000);
});

Deno.test("bytes that are no UTF-8 are replaced, and the lines around them stay", () => {
  const splitter = new LineSplitter();
  assertEquals(splitter.push(new Uint8Array([0x61, 0x0a, 0xff, 0xc3, 0x0a, 0x62, 0x0a])), ["a", "\ufffd\ufffd", "b"]);
});
