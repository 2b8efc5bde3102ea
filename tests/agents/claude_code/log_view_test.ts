import { assertEquals } from "@std/assert";
import type { LogState } from "../../../lib/agents/log_state.ts";
import { claudeLog } from "../read_logs.ts";
import { recordedTranscript } from "./support.ts";

const LINES = recordedTranscript();

const isOver = ({ turn }: LogState) => turn?.state === "at_rest";

/** The transcript up to the end of the turn of a prompt, as far as its next prompt. */
function upTo(prompt: string): readonly string[] {
  const from = LINES.findIndex((line) => JSON.parse(line).message?.content === prompt);
  const next = LINES.findIndex((line, index) => index > from && typeof JSON.parse(line).message?.content === "string");
  return LINES.slice(0, next < 0 ? LINES.length : next);
}

for (
  const [prompt, answer] of [
    ["Please list the items", "Here is the answer."],
    ["with errors", "Recovered after two errors."],
    ["to be interrupted", "This will be interrupted."],
    ["ask me", "Using it."],
    ["gap", "Long silent gap follows.\n\nAfter the gap"],
    ["last one", "The last short answer."],
  ] as const
) {
  Deno.test(`the recorded turn "${prompt}" is over, and its answer is found`, () => {
    const turn = claudeLog(upTo(prompt));
    assertEquals(isOver(turn), true);
    assertEquals(turn.answer?.replaceAll(/\n+ */g, "\n\n").slice(0, answer.length), answer);
  });
}

Deno.test("a turn without words has no answer, and one that is declined is over", () => {
  const promptedAt = Date.parse("2026-11-20T06:28:20.000Z");
  const turn = claudeLog(upTo("two files"));
  assertEquals([turn.answer, isOver(turn)], [undefined, true]);
  assertEquals(Math.abs((turn.beganAt) - promptedAt) < 60_000, true);
});

Deno.test("every beginning of the recorded transcript can be read, and a turn is over only with its end", () => {
  let ends = 0;
  for (let count = 0; count <= LINES.length; count++) {
    const ended = isOver(claudeLog([...LINES.slice(0, count), '{"type":"assist']));
    const last = JSON.parse(LINES[count - 1] ?? "{}");
    if (last.type === "user" && typeof last.message.content === "string") assertEquals(ended, false);
    if (last.subtype === "turn_duration") assertEquals(ended, true);
    if (ended) ends++;
  }
  assertEquals(ends >= 11, true);
});

Deno.test("what a helper says, and a failure of the service", () => {
  const say = (text: string, more = {}) =>
    JSON.stringify({ type: "assistant", message: { id: text, content: [{ type: "text", text }] }, ...more });
  const own = claudeLog([say("Mine."), say("A helper's.", { isSidechain: true })]);
  assertEquals([own.answer, isOver(own), own.failure], ["Mine.", false, undefined]);
  const failed = claudeLog([say("API Error: 500", { isApiErrorMessage: true })]);
  assertEquals([failed.answer, isOver(failed)], ["API Error: 500", true]);
  assertEquals(failed.failure, { text: "API Error: 500", writtenAt: NaN });
});

Deno.test("a copy of what the model was sent, which may be written first, is neither an answer nor a call", () => {
  const call = { type: "tool_use", id: "t1", name: "AskUserQuestion", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "The user answered" };
  const asked = { type: "assistant", message: { content: [call] } };
  const copyOf = (role: string, block: unknown) => ({ type: "api-request-blob", message: { role, content: [block] } });
  const answered = { type: "user", message: { content: [result] }, toolUseResult: { answers: { "Which?": "SQLite" } } };
  const lines = [asked, copyOf("user", result)].map((one) => JSON.stringify(one));
  assertEquals([claudeLog(lines).calls.length, claudeLog(lines).answers["t1"]], [1, undefined]);
  const more = [...lines, ...[answered, copyOf("assistant", call)].map((one) => JSON.stringify(one))];
  assertEquals([claudeLog(more).calls.length, claudeLog(more).answers["t1"]], [0, { "Which?": "SQLite" }]);
});
