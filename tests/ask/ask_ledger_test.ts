import { assertEquals } from "@std/assert";
import { type AskingCall, AskLedger, WAITING_LINE } from "../../lib/ask/ask_ledger.ts";
import { findAsks } from "../../lib/ask/find_asks.ts";

const call = (source: AskingCall["source"], id: string, command: string): AskingCall => ({
  source,
  id,
  asks: findAsks(command, [["panewright", "ask"]]),
});

Deno.test("an ask that all sources tell of is one", () => {
  const ledger = new AskLedger();
  ledger.called(call("call", "c1", "panewright ask 'a?'"));
  ledger.called(call("stream", "item_1", `/bin/bash -lc "panewright ask 'a?'"`));
  ledger.recorded("a?");
  ledger.called(call("execution", "exec-1", "panewright ask 'a?'"));
  assertEquals(ledger.questions, ["a?"]);
});

Deno.test("the same question asked twice is two asks", () => {
  const ledger = new AskLedger();
  ledger.called(call("call", "c1", "panewright ask 'a?'"));
  ledger.called(call("execution", "c1", "panewright ask 'a?'"));
  ledger.called(call("call", "c2", "panewright ask 'a?'"));
  assertEquals(ledger.questions, ["a?", "a?"]);
});

Deno.test("a question that the shell puts together comes from the command's own record", () => {
  const ledger = new AskLedger();
  ledger.called(call("call", "c1", 'panewright ask "Use $DB?"'));
  assertEquals([ledger.questions, ledger.awaitsText], [[], true]);
  ledger.recorded("Use Postgres?");
  ledger.settle();
  assertEquals(ledger.questions, ["Use Postgres?"]);
});

Deno.test("without such a record the question is taken as it was written", () => {
  const ledger = new AskLedger();
  ledger.called(call("call", "c1", 'panewright ask "Use $DB?"'));
  ledger.settle();
  assertEquals(ledger.questions, ["Use $DB?"]);
});

for (
  const [how, end, expected] of [
    ["ended well without it", { exitCode: 0, output: "ok" }, []],
    ["failed before it", { exitCode: 1, output: "no" }, []],
    ["found no such command", { exitCode: 127, output: "bash: panewright: command not found" }, ["a?"]],
    ["shows that it waits", { exitCode: undefined, output: `hm\n${WAITING_LINE}\n` }, ["a?"]],
    ["still runs", { exitCode: undefined, output: "hm" }, []],
    ["was stopped while it waited", { exitCode: 137, output: `${WAITING_LINE}\n` }, ["a?"]],
  ] as const
) {
  Deno.test(`an ask behind another command, which ${how}, is ${expected.length === 0 ? "none" : "one"}`, () => {
    const ledger = new AskLedger();
    ledger.called(call("call", "c1", "npm test || panewright ask 'a?'"));
    ledger.settle();
    assertEquals(ledger.questions, []);
    ledger.ended({ source: "call", id: "c1", ...end });
    assertEquals(ledger.questions, [...expected]);
  });
}
