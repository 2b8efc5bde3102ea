import { assertEquals } from "@std/assert";
import { keepTail } from "../../../lib/base/ports/tail.ts";

Deno.test("a tail keeps a copy: a program's output comes in buffers that are much larger than its pieces", () => {
  const tail = keepTail(100);
  const buffer = new Uint8Array(65536).fill(0x61);
  tail.push(buffer.subarray(0, 2));
  buffer.fill(0x62);
  tail.push(buffer.subarray(0, 1));
  assertEquals(tail.text(), "aab");
});
