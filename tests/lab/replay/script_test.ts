import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { parseReplayScript } from "../../../lib/lab/replay/script.ts";

const withSteps = (...steps: unknown[]) => JSON.stringify({ roles: { tester: { turns: [steps] } } });

function refuses(text: string, ...messages: string[]) {
  for (const message of messages) {
    assertThrows(() => parseReplayScript(text, "a script.json"), UsageError, message);
  }
}

Deno.test("every kind of step is read, with its defaults", () => {
  const script = parseReplayScript(
    withSteps(
      { think: 10 },
      { commentary: ["two", "lines"] },
      { stream: "text" },
      { stream: { text: "slow", charactersPerSecond: 5 } },
      { explore: { files: ["a"] } },
      { run: { command: "ls" } },
      { run: { command: "ls", approval: "why", exitCode: 2, output: ["a", "b"], ms: 1 } },
      { respond: "" },
      { respond: { text: "late", afterIdleMs: 5 } },
      { writeFile: { path: "a.txt", text: "x" } },
      { endless: true },
      { fail: "boom" },
      { crash: {} },
    ),
    "script",
  );
  assertEquals(script.roles.tester, {
    repeatLast: false,
    turns: [{
      steps: [
        { kind: "think", value: 10 },
        { kind: "commentary", value: "two\nlines" },
        { kind: "stream", value: { text: "text", charactersPerSecond: 400 } },
        { kind: "stream", value: { text: "slow", charactersPerSecond: 5 } },
        { kind: "explore", value: { files: ["a"], ms: 400 } },
        { kind: "run", value: { command: "ls", output: "", exitCode: 0, ms: 400 } },
        { kind: "run", value: { command: "ls", approval: "why", exitCode: 2, output: "a\nb", ms: 1 } },
        { kind: "respond", value: { text: "", pauseMs: 0, afterIdleMs: undefined } },
        { kind: "respond", value: { text: "late", pauseMs: 0, afterIdleMs: 5 } },
        { kind: "writeFile", value: { path: "a.txt", text: "x" } },
        { kind: "endless", value: true },
        { kind: "fail", value: "boom" },
        { kind: "crash", value: { exitCode: 137 } },
      ],
    }],
  });
});

Deno.test("a turn may name the prompt that it is for", () => {
  const turns = [[{ think: 1 }], { when: "Round 2 of", steps: [{ think: 2 }] }];
  const script = parseReplayScript(JSON.stringify({ roles: { tester: { turns } } }), "script");
  assertEquals(script.roles.tester?.turns, [
    { steps: [{ kind: "think", value: 1 }] },
    { when: "Round 2 of", steps: [{ kind: "think", value: 2 }] },
  ]);
});

Deno.test("what is wrong is named with its place and what is allowed", () => {
  refuses("{", "Cannot read the replay script a script.json: ");
  refuses("[]", "top level: ");
  refuses('{"roles":{"Boss":{"turns":[[]]}}}', "roles.Boss: ");
  refuses('{"roles":{"tester":{"turns":[]}}}', "roles.tester.turns: needs at least one turn");
  refuses(withSteps({ thnik: 5 }), 'roles.tester.turns[0][0]: unknown step "thnik"; allowed: think, commentary');
  refuses(withSteps({ think: 5, stream: "x" }), "roles.tester.turns[0][0]: a step has exactly one key");
  refuses(withSteps({}, "think"), "turns[0][0]: a step has exactly one key", "turns[0][1]: a step is an object");
  refuses(withSteps({ think: -1 }), "roles.tester.turns[0][0].think: ");
  refuses(withSteps({ think: 1.5 }), "must be a whole number of milliseconds");
  refuses(
    withSteps({ run: { comand: "x" } }),
    '.run: unknown key "comand"; allowed: command, output',
    ".run.command: ",
  );
  const withTurn = (turn: unknown) => JSON.stringify({ roles: { tester: { turns: [turn] } } });
  refuses(withTurn({ when: "x" }), "roles.tester.turns[0].steps: ");
  refuses(withTurn({ wen: "x", steps: [] }), 'roles.tester.turns[0]: unknown key "wen"; allowed: when, steps');
  refuses(withTurn({ when: "x", steps: [{ thnik: 5 }] }), 'roles.tester.turns[0].steps[0]: unknown step "thnik"');
  refuses(withSteps({ constructor: 1 }), 'unknown step "constructor"');
});
