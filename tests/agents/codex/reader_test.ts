import type { AgentEvent } from "../../../lib/agents/agent.ts";
import { assertEquals } from "@std/assert";
import { createCodexReader } from "../../../lib/agents/codex/reader.ts";

const item = (payload: Readonly<Record<string, unknown>>) => JSON.stringify({ type: "response_item", payload });
const event = (payload: Readonly<Record<string, unknown>>) => JSON.stringify({ type: "event_msg", payload });

function readLog(...lines: readonly string[]): readonly AgentEvent[] {
  const reader = createCodexReader({});
  return lines.flatMap((line) => reader.readLog(line));
}

const commandsOf = (observations: readonly AgentEvent[]) =>
  observations.flatMap((one) => one.type === "called" ? one.commands.map(({ command }) => command) : []);

const CALLS: readonly (readonly [name: string, line: string, commands: readonly (string | readonly string[])[]])[] = [
  [
    "exec_command with cmd",
    item({ type: "function_call", name: "exec_command", call_id: "c", arguments: '{"cmd":"ls -l"}' }),
    ["ls -l"],
  ],
  [
    "shell_command with command as a string",
    item({ type: "function_call", name: "shell_command", call_id: "c", arguments: '{"command":"ls -l"}' }),
    ["ls -l"],
  ],
  [
    "shell with command as an array",
    item({ type: "function_call", name: "shell", call_id: "c", arguments: '{"command":["bash","-lc","ls"]}' }),
    [["bash", "-lc", "ls"]],
  ],
  [
    "shell at the top level",
    JSON.stringify({ type: "function_call", name: "shell", call_id: "c", arguments: '{"command":["ls"]}' }),
    [["ls"]],
  ],
  [
    "arguments as an object",
    item({ type: "function_call", name: "exec_command", call_id: "c", arguments: { cmd: "ls" } }),
    ["ls"],
  ],
  [
    "local_shell_call",
    item({ type: "local_shell_call", call_id: "c", action: { type: "exec", command: ["ls", "-l"] } }),
    [["ls", "-l"]],
  ],
  [
    "a program of code mode",
    item({ type: "custom_tool_call", name: "exec", call_id: "c", input: "text(await tools.exec_command({cmd:'ls'}))" }),
    ["ls"],
  ],
  [
    "a patch",
    item({ type: "custom_tool_call", name: "apply_patch", call_id: "c", input: "*** Begin Patch\n+panewright ask x" }),
    [],
  ],
  [
    "another tool with a command of its own",
    item({ type: "function_call", name: "update_plan", call_id: "c", arguments: '{"command":"panewright ask x"}' }),
    [],
  ],
  [
    "the record of a command that was run",
    event({
      type: "item_completed",
      item: { type: "CommandExecution", id: "exec-1", command: ["/bin/bash", "-lc", "ls"], exit_code: 0 },
    }),
    [["/bin/bash", "-lc", "ls"]],
  ],
  ["the beginning of a command", event({ type: "exec_command_begin", call_id: "c", command: ["ls"] }), [["ls"]]],
  ["prose", item({ type: "message", role: "assistant", content: [{ text: "panewright ask x" }] }), []],
  ["broken arguments", item({ type: "function_call", name: "shell", call_id: "c", arguments: '{"comm' }), []],
  ["no JSON", '{"type":"response_item","payload":{"type":"fun', []],
  ["another value", "[1,2]", []],
  ["no object where one belongs", item({ type: "local_shell_call", action: null }), []],
];

for (const [name, line, commands] of CALLS) {
  Deno.test(`the commands of ${name} are read`, () => assertEquals(commandsOf(readLog(line)), [...commands]));
}

Deno.test("each command is told of once: when it begins, and with its end", () => {
  const program = "const a = await tools.exec_command({cmd:'ls'}); const b = await tools.exec_command({cmd:'pwd'});";
  const done = (command: string, output: string) =>
    event({
      type: "item_completed",
      item: {
        type: "CommandExecution",
        id: `exec-${command}`,
        command: ["/bin/bash", "-lc", command],
        aggregated_output: output,
        exit_code: 0,
      },
    });
  const facts = readLog(
    item({ type: "custom_tool_call", name: "exec", call_id: "c1", input: program }),
    done("pwd", "/work\n"),
    done("ls", "a\n"),
    item({
      type: "custom_tool_call_output",
      call_id: "c1",
      output: [{ type: "input_text", text: "Script completed" }],
    }),
  ).filter(({ type }) => type === "ran" || type === "saw");
  assertEquals(facts, [
    { type: "ran", id: "c1", command: "ls" },
    { type: "ran", id: "c1/1", command: "pwd" },
    { type: "saw", id: "c1/1", command: "pwd", output: "/work\n", exitCode: 0 },
    { type: "saw", id: "c1", command: "ls", output: "a\n", exitCode: 0 },
  ]);
});

Deno.test("tokens are summed up by reply, under the model of the turn, and no reply counts twice", () => {
  const usage = { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 };
  const record = (id: string) => JSON.stringify({ type: "token_usage_record", payload: { response_id: id, usage } });
  const spent = readLog(
    JSON.stringify({ type: "turn_context", payload: { model: "gpt-6.1-sol" } }),
    record("r1"),
    record("r1"),
    record("r2"),
  ).filter(({ type }) => type !== "confined");
  const tokens = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 3 };
  assertEquals(spent, [
    { type: "spent", model: "gpt-6.1-sol", tokens },
    { type: "spent", model: "gpt-6.1-sol", tokens },
  ]);
});

Deno.test("the report names the thread, what is done, and how the turn ends", () => {
  const reader = createCodexReader({ model: "gpt-5.5" });
  const read = (line: object) => reader.readReport(JSON.stringify(line));
  assertEquals(read({ type: "thread.started", thread_id: "t" }), [{ type: "session", sessionId: "t" }]);
  assertEquals(read({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 2 } }), [
    {
      type: "cost",
      usage: { "gpt-5.5": { inputTokens: 5, cachedInputTokens: 0, outputTokens: 2 } },
      isRough: true,
    },
    { type: "turn_end", outcome: "completed" },
  ]);
  assertEquals(read({ type: "turn.failed", error: { message: "No such model" } }), [
    { type: "turn_end", outcome: "failed", error: "No such model" },
  ]);
  assertEquals(read({ type: "error", message: "Reconnecting... 1/2" }), [
    { type: "trouble", text: "Reconnecting... 1/2" },
  ]);
});

Deno.test("a command of the report is told as a person would type it, and looked at as it is", () => {
  const reader = createCodexReader({ model: "gpt-5.5" });
  const item = { id: "i", type: "command_execution", command: "/bin/bash -c 'echo one; echo two'" };
  assertEquals(reader.readReport(JSON.stringify({ type: "item.started", item })), [
    { type: "ran", id: "i", command: "echo one; echo two" },
    { type: "called", source: "stream", id: "i", commands: [{ command: item.command, isCertain: true }] },
  ]);
});
