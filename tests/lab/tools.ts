import type { JsonObject } from "./json.ts";
import type { Step } from "./steps.ts";

/** What a client's tools are called and how their input is written, by what a script wants done. */
type Compile<Wanted extends Step> = readonly (readonly [tool: string, input: (step: Wanted) => JsonObject])[];

/** A step that every client can carry out, with a tool of its own. */
type ToolStep = Extract<Step, { do: "shell" | "write" | "ask" | "call" }>;

const SHELLS: Compile<Extract<Step, { do: "shell" }>> = [
  ["Bash", (step) => ({ command: step.command, description: step.escalate ?? "Run a command", ...step.args })],
  ["bash", (step) => ({ command: step.command, description: step.escalate ?? "Run a command", ...step.args })],
  ["run_shell_command", ({ command, escalate, args }) => ({
    command,
    description: escalate ?? "Run a command",
    is_background: false,
    ...args,
  })],
];

const WRITES: Compile<Extract<Step, { do: "write" }>> = [
  ["Write", ({ path, text }) => ({ file_path: path, content: text })],
  ["write_file", ({ path, text }) => ({ file_path: path, content: text })],
  ["write", ({ path, text }) => ({ filePath: path, content: text })],
  ["create", ({ path, text }) => ({ path, file_text: text })],
];

const ASKS: Compile<Extract<Step, { do: "ask" }>> = [
  ["AskUserQuestion", questions],
  ["question", questions],
  ["ask_user_question", questions],
  ["ask_user", ({ question, options }) => ({ question, choices: options, allow_freeform: true })],
];

function questions({ question, options }: Extract<Step, { do: "ask" }>): JsonObject {
  return {
    questions: [{
      question,
      header: "Question",
      multiSelect: false,
      options: options.map((label) => ({ label, description: label })),
    }],
  };
}

/**
 * The call of the client's tool that does what a step wants, whatever the client calls it.
 *
 * @throws {Error} when the client offers no such tool
 */
export function toolCall(
  step: ToolStep,
  offered: readonly string[],
): { readonly name: string; readonly input: JsonObject } {
  const compile = <Wanted extends ToolStep>(ways: Compile<Wanted>, wanted: Wanted) => {
    const way = ways.find(([tool]) => offered.includes(tool));
    if (way === undefined) throw new Error(`Cannot ${step.do}: the client offers only ${offered.join(", ")}`);
    return { name: way[0], input: way[1](wanted) };
  };
  switch (step.do) {
    case "shell":
      return compile(SHELLS, step);
    case "write":
      return compile(WRITES, step);
    case "ask":
      return compile(ASKS, step);
    case "call":
      if (typeof step.input === "string") {
        throw new Error(`Cannot call ${step.tool} with a text: only Codex takes that`);
      }
      return { name: step.tool, input: step.input };
  }
}
