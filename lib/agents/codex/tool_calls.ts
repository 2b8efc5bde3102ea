import type { ToldCommand } from "../agent.ts";
import { findScriptedCommands, findTypedTexts } from "../../shell/asks/scripted_commands.ts";
import { parseShellCommand } from "../../shell/mod.ts";
import { arrayOf, type JsonObject, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";

/** A tool call of the model, as a session log records it before it is run. */
interface CodexToolCall {
  readonly id: string;
  readonly summary: string;
  readonly commands: readonly ToldCommand[];
  /** What else it may do besides its commands: a line each. @default {[]} */
  readonly more?: readonly string[];
}

/** The shell tools of Codex 0.53.0 to 0.169.0, and older names for them. */
const SHELL_TOOLS = new Set([
  "exec_command",
  "shell_command",
  "shell",
  "local_shell",
  "container.exec",
  "unified_exec",
]);

export function readToolCall(item: JsonObject): CodexToolCall | undefined {
  const id = textOf(item["call_id"]) ?? textOf(item["id"]) ?? "";
  const name = textOf(item["name"]) ?? "";
  switch (item["type"]) {
    case "function_call": {
      const given = item["arguments"];
      const input = textOf(given) ?? JSON.stringify(given ?? {});
      const command = SHELL_TOOLS.has(name) ? commandOf(parseJsonObject(input) ?? objectOf(given)) : undefined;
      if (command === undefined) return { id, summary: `${name} ${input}`, commands: [] };
      return { id, summary: commandText(command), commands: [{ command, isCertain: true }] };
    }
    case "local_shell_call": {
      const command = commandOf(objectOf(item["action"]));
      return command === undefined
        ? undefined
        : { id, summary: commandText(command), commands: [{ command, isCertain: true }] };
    }
    case "custom_tool_call": {
      const input = textOf(item["input"]) ?? "";
      const commands = name === "exec" ? findScriptedCommands(input) : [];
      const summary = commands.length > 0 ? commands.map(({ command }) => command).join("\n") : `${name} ${input}`;
      const typed = name === "exec" ? findTypedTexts(input) : [];
      // A poll types nothing.
      const more = typed.filter((text) => text !== "").map((text) =>
        `write_stdin ${text === undefined ? "(a text that the program builds)" : JSON.stringify(text)}`
      );
      return { id, summary, commands, more };
    }
    default:
      return undefined;
  }
}

function commandOf(input: JsonObject): string | readonly string[] | undefined {
  const command = input["cmd"] ?? input["command"];
  if (Array.isArray(command)) return arrayOf(command).map(String);
  return textOf(command);
}

/** A command as a person would type it: the text of `bash -lc TEXT` alone. */
export function commandText(command: string | readonly string[]): string {
  if (typeof command === "string") return command;
  const [shell = "", flag = "", text, ...rest] = command;
  const isText = /(?:^|\/)(?:ba|z|da)?sh$/.test(shell) && /^-l?c$/.test(flag) && rest.length === 0;
  return isText && text !== undefined ? text : command.join(" ");
}

/**
 * A command of the report (`codex exec --json`, 0.169.0) as a person would type it. The report quotes it in one line.
 */
export function reportedText(line: string): string {
  const { commands: [command, ...others], problem } = parseShellCommand(line);
  if (command === undefined || others.length > 0 || problem !== undefined) return line;
  const words = command.words.flatMap(({ value }) => value ?? []);
  const text = commandText(words);
  return words.length === command.words.length && text !== words.join(" ") ? text : line;
}
