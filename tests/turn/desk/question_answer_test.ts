import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readReplies } from "../../../lib/turn/desk/question_answer.ts";
import type { AgentQuestion } from "../../../lib/base/question.ts";

function question(multiSelect: boolean, ...labels: readonly string[]): AgentQuestion {
  return { question: "Which?", multiSelect, options: labels.map((label) => ({ label, description: "" })) };
}

const ONE = question(false, "Yes, and merge", "Yes", "No");
const SEVERAL = question(true, "Logs, metrics", "Logs", "Traces");

for (
  const [said, asked, reply] of [
    [" yes ", ONE, { choices: [1] }],
    ["YES, and  merge", ONE, { choices: [0] }],
    ["text: no, 3", ONE, { choices: [], text: "no, 3" }],
    ["logs, metrics", SEVERAL, { choices: [0] }],
    ["Traces,Logs", SEVERAL, { choices: [1, 2] }],
    ["3, 3, Logs, metrics, text: text: too", SEVERAL, { choices: [0, 2], text: "text: too" }],
    ["2", question(false, "8", "2", "16"), { choices: [1] }],
    ["#1", question(false, "2", "1"), { choices: [0] }],
    ["16", question(false, "8", "16"), { choices: [1] }],
  ] as const
) {
  Deno.test(`${JSON.stringify(said)} is an answer`, () => {
    assertEquals(readReplies(said, [asked]), { replies: [reply] });
  });
}

for (
  const [said, asked, problem] of [
    ["perhaps", ONE, '"perhaps" is no choice of "Which?"; it takes one of 1 to 3 or a label'],
    ["0", ONE, "is no choice"],
    ["4", ONE, "is no choice"],
    ["Ye", ONE, "is no choice"],
    ["1, 2", ONE, "several choices are too many"],
    ["1, text: more", ONE, "a choice and words are too many"],
    ["1, perhaps", SEVERAL, '"perhaps" is no choice'],
    ["1", question(false, "2", "1"), "may be more than one choice"],
    ["Same", question(false, "Same", "same"), "may be more than one choice"],
    ["text: ", ONE, "no words follow text:"],
    ["text: a\\", ONE, "may not end with a backslash"],
    [`text: ${"x".repeat(501)}`, ONE, "longer than 500 characters"],
    ["1\n2", ONE, "it takes one line, and was given 2"],
  ] as const
) {
  Deno.test(`${JSON.stringify(said.slice(0, 20))} is refused: ${problem}`, () => {
    const read = readReplies(said, [asked]);
    assert("problem" in read, JSON.stringify(read));
    assertStringIncludes(read.problem, problem);
  });
}

Deno.test("each of several questions takes a line", () => {
  assertEquals(readReplies("1\n\n text: two \n", [ONE, ONE]), {
    replies: [{ choices: [0] }, { choices: [], text: "two" }],
  });
  assert("problem" in readReplies("1", [ONE, ONE]));
});
