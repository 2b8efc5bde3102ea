import { assert, assertEquals } from "@std/assert";
import { type FilteredLine, LineFilter } from "../../../../lib/agents/acp/protocol/line_filter.ts";
import { createRandom } from "../../../support/random.ts";
import { cut } from "./support.ts";

const PIECES = ["é", "€", "😀", "x", "\\n", '"', "{", "\r", " ", "\u2028", "\0", "aaaaaaaaaa"];
const encoder = new TextEncoder();

Deno.test("lines are the same wherever their bytes are cut", () => {
  for (let seed = 0; seed < 400; seed++) {
    const random = createRandom(seed);
    const lines = Array.from(
      { length: random.int(12) },
      () => Array.from({ length: random.int(random.pick([1, 4, 60])) }, () => random.pick(PIECES)).join(""),
    );
    const maxBytes = 20 + random.int(100);
    const filter = new LineFilter({ maxBytes });
    const bytes = encoder.encode(lines.join("\n"));
    const found = [...cut(bytes, random).flatMap((chunk) => filter.push(chunk)), ...filter.end()];
    const expected = lines.flatMap((line): FilteredLine[] => {
      const { length } = encoder.encode(line);
      // What is kept of a long line is less than a kilobyte here, so all of it or none.
      if (length > maxBytes) return [{ type: "too_long", head: line.replace(/\r$/, ""), bytes: length }];
      return line.trim() === "" ? [] : [{ type: "line", text: line.replace(/\r$/, ""), isUtf8: true }];
    });
    assertEquals(found.map(withoutCutEnd), expected.map(withoutCutEnd), `seed ${seed}`);
  }
});

/** Only a beginning is kept of a line that is too long, and that may end anywhere. */
function withoutCutEnd(line: FilteredLine): FilteredLine {
  return line.type === "too_long" ? { ...line, head: line.head.slice(0, 5) } : line;
}

Deno.test("a line that is not UTF-8 is told from one that is", () => {
  const filter = new LineFilter({ maxBytes: 100 });
  assertEquals(filter.push(Uint8Array.of(0x61, 0xff, 0x62, 0x0a)), [{ type: "line", text: "a\ufffdb", isUtf8: false }]);
  assertEquals(filter.push(encoder.encode("\ufffd\n")), [{ type: "line", text: "\ufffd", isUtf8: true }]);
});

Deno.test("no more than twice the limit is ever kept, of a line of a gigabyte as of one in single bytes", () => {
  const maxBytes = 1024 * 1024;
  const filter = new LineFilter({ maxBytes });
  const chunk = new Uint8Array(64 * 1024).fill(0x78);
  let most = 0;
  for (let chunks = 0; chunks < 16 * 1024; chunks++) {
    assertEquals(filter.push(chunk), []);
    most = Math.max(most, filter.keptBytes());
  }
  assert(most <= 2 * maxBytes, `${most} bytes`);
  assert(filter.keptBytes() <= 1024, `${filter.keptBytes()} bytes of a line that is too long`);
  assertEquals(filter.end().map((line) => line.type === "too_long" && line.bytes), [1024 ** 3]);
  const one = Uint8Array.of(0x78);
  for (let bytes = 0; bytes < maxBytes; bytes++) filter.push(one);
  assert(filter.keptBytes() <= 2 * maxBytes, `${filter.keptBytes()} bytes`);
  const [line] = filter.push(Uint8Array.of(0x0a));
  assertEquals(line?.type === "line" && line.text.length, maxBytes);
  assertEquals(filter.keptBytes(), 0);
});
