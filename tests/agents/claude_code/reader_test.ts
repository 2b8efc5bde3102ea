import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { assertEquals } from "@std/assert";
import { createClaudeReader } from "../../../lib/agents/claude_code/reader.ts";

function read(...events: readonly Readonly<Record<string, unknown>>[]): readonly AgentEvent[] {
  const reader = createClaudeReader();
  return events.flatMap((event) => reader.readReport(JSON.stringify(event)));
}

const assistant = (id: string, block: Readonly<Record<string, unknown>>, model = "claude-opus-5-5") => ({
  message: { id, model, content: [block], usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 } },
  // The order of keys is arbitrary.
  type: "assistant",
});

const result = (fields: Readonly<Record<string, unknown>>) => ({
  subtype: "success",
  is_error: false,
  usage: { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 30 },
  ...fields,
  type: "result",
});

Deno.test("a Bash call is a command, and its result what the agent saw", () => {
  const observations = read(
    assistant("m1", { type: "tool_use", id: "t1", name: "Bash", input: { command: "panewright ask 'q?'" } }),
    {
      type: "user",
      message: { content: [{ type: "tool_result", tool_use_id: "t1", is_error: true, content: "Exit code 3\nno" }] },
    },
  ).filter(({ type }) => type !== "spent");
  assertEquals(observations, [
    { type: "ran", id: "t1", command: "panewright ask 'q?'" },
    { type: "called", source: "call", id: "t1", commands: [{ command: "panewright ask 'q?'", isCertain: true }] },
    { type: "saw", id: "t1", command: "panewright ask 'q?'", output: "Exit code 3\nno", exitCode: 3 },
    { type: "ended", source: "call", id: "t1", exitCode: 3, output: "Exit code 3\nno", isResult: true },
  ]);
});

Deno.test("a command that runs on in the background has not ended", () => {
  const output = "Command running in background with ID: b1. Output is being written to: /tmp/b1.output.";
  const content = [{ type: "tool_result", tool_use_id: "t1", is_error: false, content: output }];
  const [, ended] = read({
    type: "user",
    message: { content },
    tool_use_result: { stdout: "", backgroundTaskId: "b1" },
  });
  assertEquals(ended, { type: "ended", source: "call", id: "t1", exitCode: undefined, output, isResult: true });
});

Deno.test("other tools run no shell command, whatever their input says", () => {
  const called = read(
    assistant("m1", { type: "tool_use", id: "t1", name: "Write", input: { command: "panewright ask 'q?'" } }),
  ).filter(({ type }) => type === "called");
  assertEquals(called, [{ type: "called", source: "call", id: "t1", commands: [], writesFiles: true }]);
});

Deno.test("each message's tokens count once, and the sum in the end is taken over", () => {
  const observations = read(
    assistant("m1", { type: "text", text: "I look." }),
    assistant("m1", { type: "tool_use", id: "t1", name: "Read", input: {} }),
    assistant("m2", { type: "text", text: "Done." }),
    result({ result: "Done." }),
  );
  const tokens = { inputTokens: 15, cachedInputTokens: 5, outputTokens: 1 };
  assertEquals(observations.filter(({ type }) => type === "spent"), [
    { type: "spent", model: "claude-opus-5-5", tokens },
    { type: "spent", model: "claude-opus-5-5", tokens },
  ]);
  assertEquals(observations.filter(({ type }) => type === "cost"), [
    {
      type: "cost",
      usage: {
        "claude-opus-5-5": { inputTokens: 17, cachedInputTokens: 5, cacheWriteInputTokens: 2, outputTokens: 30 },
      },
      isRough: false,
    },
  ]);
});

for (
  const [name, event, error] of [
    ["a result that is an error", result({ is_error: true, result: "API Error: 500" }), "API Error: 500"],
    ["an execution that failed", result({ subtype: "error_during_execution", errors: ["boom"] }), "boom"],
    ["too many turns", result({ subtype: "error_max_turns" }), "error_max_turns"],
  ] as const
) {
  Deno.test(`${name} is a turn that failed`, () => {
    assertEquals(read(event).filter(({ type }) => type === "turn_end"), [
      { type: "turn_end", outcome: "failed", error },
    ]);
  });
}

Deno.test("a notice about a request that failed is nothing that the agent said", () => {
  const [notice] = read(assistant("m1", { type: "text", text: "API Error: 529" }, "<synthetic>"));
  assertEquals(notice, { type: "trouble", text: "API Error: 529" });
});

Deno.test("a usage limit is known with the time of its end", () => {
  const limits = read(
    { type: "rate_limit_event", rate_limit_info: { status: "allowed", resetsAt: 1_795_163_557 } },
    { type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_795_163_557 } },
    { type: "rate_limit_event", rate_limit_info: { status: "rejected", isUsingOverage: true } },
    { type: "rate_limit_event", rate_limit_info: { status: "allowed_warning", utilization: 0.9 } },
  );
  const resetsAt = new Date(1_795_163_557_000);
  const lifted = { type: "limit_lifted" } as const;
  assertEquals(limits, [lifted, { type: "limit", resetsAt }, lifted, lifted]);
});

Deno.test("what the agent may do, and what it was not permitted, is told", () => {
  const told = read(
    { type: "system", subtype: "init", session_id: "s1", permissionMode: "default" },
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "I could not.",
      permission_denials: [
        { tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "npm test" } },
        { tool_name: "Write", tool_use_id: "t2", tool_input: { file_path: "/w/a.ts", content: "x" } },
      ],
    },
  );
  assertEquals(told, [
    { type: "session", sessionId: "s1" },
    { type: "permitted", mode: "permission mode default" },
    { type: "denied", calls: ["Bash npm test", "Write /w/a.ts"] },
    { type: "turn_end", outcome: "completed", finalText: "I could not." },
  ]);
});
