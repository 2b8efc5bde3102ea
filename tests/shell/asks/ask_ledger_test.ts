import { assertEquals } from "@std/assert";
import {
  ASKING_LINE,
  type AskingCall,
  AskLedger,
  WAITING_LINE,
  waitingLine,
} from "../../../lib/agents/process/ask_ledger.ts";
import { findAsks } from "../../../lib/shell/asks/find_asks.ts";

const call = (source: AskingCall["source"], id: string, command: string): AskingCall => ({
  source,
  id,
  asks: findAsks(command, [["panewright", "ask"]]),
  command,
});

Deno.test("an ask that all sources tell of is one", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "panewright ask 'a?'"));
  ledger.called(call("stream", "item_1", `/bin/bash -lc "panewright ask 'a?'"`));
  ledger.recorded("a?");
  ledger.called(call("execution", "exec-1", "panewright ask 'a?'"));
  assertEquals(ledger.questions, ["a?"]);
});

Deno.test("the same question asked twice is two asks", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "panewright ask 'a?'"));
  ledger.called(call("execution", "c1", "panewright ask 'a?'"));
  ledger.called(call("call", "c2", "panewright ask 'a?'"));
  assertEquals(ledger.questions, ["a?", "a?"]);
});

Deno.test("that an ask was not reached says nothing of a later one with the same question", () => {
  const ledger = new AskLedger(["panewright"]);
  for (const source of ["hook", "call"] as const) {
    ledger.called(call(source, "c1", "npm test || panewright ask 'a?'"));
    ledger.ended({ source, id: "c1", exitCode: source === "call" ? 0 : undefined, output: "ok" });
  }
  assertEquals(ledger.undecided, undefined);
  ledger.called(call("hook", "c2", "npm test || panewright ask 'a?' &"));
  ledger.called(call("call", "c2", "npm test || panewright ask 'a?' &"));
  ledger.ended({ source: "call", id: "c2", exitCode: 0, output: "" });
  assertEquals(ledger.undecided, "a?");
});

Deno.test("a question that the shell puts together comes from the command's own record", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", 'panewright ask "Use $DB?"'));
  assertEquals([ledger.questions, ledger.awaitsText], [[], true]);
  ledger.recorded("Use Postgres?");
  ledger.settle({ atEnd: true });
  assertEquals(ledger.questions, ["Use Postgres?"]);
});

Deno.test("without such a record the question is taken as it was written", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", 'panewright ask "Use $DB?"'));
  ledger.settle({ atEnd: true });
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
    const ledger = new AskLedger(["panewright"]);
    ledger.called(call("call", "c1", "npm test || panewright ask 'a?'"));
    ledger.settle({ atEnd: true });
    assertEquals(ledger.questions, []);
    ledger.ended({ source: "call", id: "c1", ...end });
    assertEquals(ledger.questions, [...expected]);
  });
}

for (
  const [how, command, output, expected] of [
    [
      "was not found, and the shell went on",
      "git commit && panewright ask 'a?'; echo $?",
      "bash: line 1: panewright: command not found\n127\n",
      ["a?"],
    ],
    [
      "was not found by dash",
      "git commit && panewright ask 'a?'; echo $?",
      "/bin/sh: 1: panewright: not found\n127\n",
      ["a?"],
    ],
    [
      "was not found by zsh",
      "git commit && panewright ask 'a?'; echo $?",
      "zsh: command not found: panewright\n127\n",
      ["a?"],
    ],
    [
      "was not found in another language",
      "git commit && panewright ask 'a?'; echo $?",
      "bash: Zeile 1: panewright: Kommando nicht gefunden.\n127\n",
      ["a?"],
    ],
    [
      "could not be run",
      "git commit && /x/bin/panewright ask 'a?'; echo $?",
      "bash: line 1: /x/bin/panewright: Permission denied\n126\n",
      ["a?"],
    ],
    [
      "was not found by env",
      "git commit && env CI=1 panewright ask 'a?'; echo $?",
      "env: ‘panewright’: No such file or directory\n127\n",
      ["a?"],
    ],
    ["was not reached, as its output shows", "git diff --quiet || panewright ask 'a?'; echo $?", "0\n", []],
    [
      "was not reached, and another program was not found",
      "tidy || panewright ask 'a?'; echo $?",
      "bash: line 1: my-panewright: command not found\n",
      [],
    ],
    ["would not show that it was not found", "git commit && panewright ask 'a?' 2>/dev/null; echo $?", "127\n", ["a?"]],
    ["would end the command with its own code", "npm test >/dev/null 2>&1 || panewright ask 'a?'", "", []],
  ] as const
) {
  Deno.test(`an ask that ${how} is ${expected.length === 0 ? "none" : "one"}`, () => {
    const ledger = new AskLedger(["panewright"]);
    ledger.called(call("call", "c1", command));
    assertEquals(ledger.questions, []);
    ledger.ended({ source: "call", id: "c1", exitCode: 0, output });
    assertEquals(ledger.questions, [...expected]);
    assertEquals(ledger.undecided, undefined);
  });
}

Deno.test("an ask behind another command counts when it is recorded, or at that command's end", () => {
  for (const end of ["recorded", "ended"] as const) {
    const ledger = new AskLedger(["panewright"]);
    ledger.called(call("call", "c1", "git commit -qm wip; panewright ask 'a?'"));
    ledger.settle({ atEnd: false });
    assertEquals([ledger.questions, ledger.awaitsText], [[], false]);
    if (end === "recorded") ledger.recorded("a?");
    else ledger.ended({ source: "call", id: "c1", exitCode: 1, output: "" });
    assertEquals(ledger.questions, ["a?"]);
  }
});

Deno.test("a question that only the shell knows is taken from what the command prints while it waits", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", `ask() { panewright ask "$1"; }; ask "A or\nB?"`));
  ledger.ended({ source: "call", id: "c1", exitCode: undefined, output: `hm\n${waitingLine("A or\nB?")}\n` });
  assertEquals(ledger.questions, ["A or\nB?"]);
});

Deno.test("a command that is slow to say what it asks is waited for: the words of the shell are none of its question", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", 'test -f no || panewright ask "Use $DB?"'));
  ledger.ended({ source: "call", id: "c1", exitCode: undefined, output: `${ASKING_LINE}\n` });
  assertEquals([ledger.questions, ledger.awaitsText, ledger.mayAsk], [[], true, true]);
  ledger.recorded("Use Postgres?", "process");
  ledger.settle({ atEnd: true });
  assertEquals(ledger.questions, ["Use Postgres?"]);
});

Deno.test("an ask in the background is undecided until it is recorded, whatever its command's end says", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "npm test && panewright ask 'a?' &"));
  ledger.ended({ source: "call", id: "c1", exitCode: 0, output: "" });
  ledger.settle({ atEnd: true });
  assertEquals([ledger.questions, ledger.undecided], [[], "a?"]);
  ledger.recorded("a?");
  assertEquals(ledger.questions, ["a?"]);
});

Deno.test("an ask that one witness knows was not reached is not undecided for another", () => {
  const ledger = new AskLedger(["panewright"]);
  const command = "test -f x || panewright ask 'a?'";
  ledger.called(call("hook", "h1", command));
  ledger.called(call("call", "c1", command));
  assertEquals(ledger.undecided, "a?");
  ledger.ended({ source: "call", id: "c1", exitCode: 0, output: "" });
  assertEquals([ledger.questions, ledger.undecided], [[], undefined]);
});

for (
  const [what, command, end, expected] of [
    ["a script does not find", "sh ask.sh", { exitCode: 127, output: "ask.sh: 1: panewright: not found" }, [
      "A command wanted to ask, and its question is not known: sh ask.sh",
    ]],
    ["a text that is read mentions", "cat log", { exitCode: 0, output: "sh: 1: panewright: not found" }, []],
    ["a command names without asking", "panewright --version", {
      exitCode: 127,
      output: "bash: line 1: panewright: command not found",
    }, []],
    ["nothing mentions", "sh build.sh", { exitCode: 127, output: "build.sh: 1: tidy: not found" }, []],
  ] as const
) {
  Deno.test(`the program that ${what} is ${expected.length === 0 ? "no ask" : "an ask"}`, () => {
    const ledger = new AskLedger(["panewright"]);
    ledger.called(call("call", "c1", command));
    ledger.ended({ source: "call", id: "c1", ...end });
    assertEquals(ledger.questions, [...expected]);
  });
}

Deno.test("an ask that is seen to run is one, with the text that it was called with", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", 'npm test && panewright ask "Use $DB?"; echo $?'));
  assertEquals([ledger.questions, ledger.mayAsk], [[], true]);
  ledger.recorded("Use Postgres?", "process");
  ledger.recorded("Use Postgres?");
  ledger.ended({ source: "call", id: "c1", exitCode: 0, output: "" });
  assertEquals([ledger.questions, ledger.mayAsk, ledger.undecided], [["Use Postgres?"], false, undefined]);
});

Deno.test("an ask that is seen to read its question waits for its text", () => {
  for (const told of ["A or B?", undefined]) {
    const ledger = new AskLedger(["panewright"]);
    const command = "npm test || cat q | panewright ask -";
    ledger.called(call("call", "c1", command));
    ledger.reached();
    assertEquals([ledger.questions, ledger.awaitsText], [[], true]);
    if (told === undefined) ledger.settle({ atEnd: false });
    else ledger.recorded(told);
    assertEquals(ledger.questions, [told ?? command]);
  }
});

Deno.test("of a script that is seen to ask what it reads, at least that is known", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "sh ask.sh"));
  ledger.reached();
  ledger.settle({ atEnd: false });
  assertEquals(ledger.questions, ["A command wanted to ask, and its question is not known: sh ask.sh"]);
});

Deno.test("nothing may ask once all commands have ended", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "sh build.sh"));
  ledger.ended({ source: "call", id: "c1", exitCode: undefined, output: "" });
  assertEquals(ledger.mayAsk, true);
  ledger.ended({ source: "call", id: "c1", exitCode: 0, output: "" });
  assertEquals(ledger.mayAsk, false);
});

Deno.test("an ask whose launcher could not start panewright is one", () => {
  const ledger = new AskLedger(["panewright"]);
  ledger.called(call("call", "c1", "git commit && panewright ask 'a?'; echo $?"));
  ledger.ended({
    source: "call",
    id: "c1",
    exitCode: 0,
    output: `${ASKING_LINE}\n/r/bin/panewright: 5: exec: deno: not found`,
  });
  assertEquals(ledger.questions, ["a?"]);
});
