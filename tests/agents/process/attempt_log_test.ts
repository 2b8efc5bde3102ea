import { assert, assertEquals, assertLess, assertStringIncludes } from "@std/assert";
import { AttemptLog } from "../../../lib/agents/process/attempt_log.ts";

Deno.test("a long attempt is condensed: its beginning and its end stay, what was left out is counted", () => {
  const log = new AttemptLog();
  for (let index = 0; index < 500; index++) {
    log.add({ type: "said", text: `Entry ${index}.` });
    log.add({ type: "ran", id: `c${index}`, command: `make ${index}` });
    log.add({ type: "saw", id: `c${index}`, command: "", output: `${"x".repeat(400)} ${index}`, exitCode: 0 });
  }
  const text = log.text();
  assertLess(text.length, 18_000);
  for (const part of ["Said: Entry 0.", "Said: Entry 499.", "Ran: make 499", "entries left out"]) {
    assertStringIncludes(text, part);
  }
});

Deno.test("a single huge output keeps its beginning and its end", () => {
  const log = new AttemptLog();
  log.add({ type: "saw", id: "c", command: "make", output: `begin ${"x".repeat(5_000_000)} end`, exitCode: 1 });
  const text = log.text();
  assertLess(text.length, 2000);
  assert(text.includes("begin") && text.endsWith("end"));
});

Deno.test("control characters of an agent do not get into the next prompt", () => {
  const log = new AttemptLog();
  log.add({ type: "said", text: "\x1b[31mred\x1b[0m\x07" });
  assertEquals(log.text(), "Said: red");
});

Deno.test("where nothing happened it is empty", () => assertEquals(new AttemptLog().text(), ""));

Deno.test("a command that Codex broke off is told as one that has not ended", () => {
  const log = new AttemptLog();
  log.add({ type: "ran", id: "c", command: "sleep 9" });
  log.add({ type: "saw", id: "c", command: "", output: "", exitCode: -1 });
  assertEquals(log.text(), "Ran: sleep 9\n(not ended), no output");
});
