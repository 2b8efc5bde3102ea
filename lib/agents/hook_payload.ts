import { questionsText, readQuestions } from "../base/question.ts";
import type { Request } from "../policy/request.ts";
import { objectOf, parseJsonObject, textOf } from "../base/text/json.ts";
import { present } from "../base/schema.ts";

/** What a policy or a person says to a request of a hook. */
export interface HookAnswer {
  readonly behavior: "allow" | "deny";
  /** Why it is denied, as a full sentence for the agent. */
  readonly reason?: string;
}

/** What a request is about. */
type RequestMatter = Pick<Request, "kind" | "subject" | "leavesSandbox" | "questions">;

/** Tools of Claude Code (2.1.328) that write one file, and where they name it. */
const FILE_TOOLS: Readonly<Record<string, readonly [kind: string, field: string]>> = {
  Write: ["file_write", "file_path"],
  Edit: ["file_edit", "file_path"],
  MultiEdit: ["file_edit", "file_path"],
  NotebookEdit: ["file_edit", "notebook_path"],
};

/** Tools whose dialogs only look like permissions: of Claude Code, and the last one of Codex. */
const PLAN_TOOL = "ExitPlanMode";
const QUESTION_TOOLS: readonly string[] = ["AskUserQuestion", "request_user_input"];

/**
 * Reads the JSON that a `PermissionRequest` hook of Claude Code (2.1.328) or Codex (0.130.0 to 0.169.0) gets, or a
 * `PreToolUse` hook, which gets each call of a tool before it runs, whether it needs a permission or not: the exact
 * request, of the kind `other` where the tool is not known. `undefined` for any other event, and for what is not
 * understood.
 *
 * @param options `id`: what the request is called from now on: the CLIs give it no id of its own
 */
export function readHookPayload(
  json: string,
  { id, event = "PermissionRequest" }: { readonly id: string; readonly event?: "PermissionRequest" | "PreToolUse" },
): Request | undefined {
  const payload = objectOf(parseJsonObject(json));
  const tool = textOf(payload["tool_name"]);
  if (payload["hook_event_name"] !== event || tool === undefined) return undefined;
  const cwd = textOf(payload["cwd"]);
  const about = { id, source: "hook", tool, ...present({ cwd }) } as const;
  const input = payload["tool_input"];
  // Claude Code's agents write such a description themselves: before a call it takes nothing from the command.
  const matter = event === "PermissionRequest" && isAboutNetwork(tool, input)
    ? otherMatter(input)
    : matterOf(tool, input);
  return { ...about, ...matter };
}

/** The id of the call that a hook was run for, as the CLI's report (Claude Code) or session log (Codex) has it. */
export function readCallId(json: string): string | undefined {
  return textOf(objectOf(parseJsonObject(json))["tool_use_id"]);
}

/** What a hook tells of one command of an agent. */
export type CommandHookEvent =
  /** It is about to run, word for word. */
  | { readonly type: "called"; readonly id: string; readonly command: string }
  /** It has ended, or runs on in the background. */
  | { readonly type: "ended"; readonly id: string; readonly exitCode: number | undefined; readonly output: string };

/**
 * Reads the JSON that a hook of Claude Code (2.1.328) or Codex (0.130.0 to 0.169.0) gets before and after a shell
 * command; `undefined` for any other tool or event.
 */
export function readCommandHook(json: string): CommandHookEvent | undefined {
  const payload = objectOf(parseJsonObject(json));
  const command = textOf(objectOf(payload["tool_input"])["command"]);
  if (payload["tool_name"] !== "Bash" || command === undefined) return undefined;
  const id = textOf(payload["tool_use_id"]) ?? command;
  switch (payload["hook_event_name"]) {
    case "PreToolUse":
      return { type: "called", id, command };
    case "PostToolUse":
      return { type: "ended", id, exitCode: undefined, output: outputOf(payload["tool_response"]) };
    case "PostToolUseFailure":
      return { type: "ended", id, exitCode: exitCodeOf(textOf(payload["error"])), output: outputOf(payload["error"]) };
    default:
      return undefined;
  }
}

/** What a `PreToolUse` hook prints so that a tool does not run, and its agent is told why. */
export function denyOutput(permissionDecisionReason: string): string {
  const decision = { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason };
  return JSON.stringify({ hookSpecificOutput: decision });
}

/** The tools of Claude Code that write files (2.1.328). */
export const FILE_TOOL_NAMES: readonly string[] = Object.keys(FILE_TOOLS);

/** Whether a call runs something or writes a file, and what that is cannot be read in it. */
export function isUnread({ kind, tool }: Pick<Request, "kind" | "tool">): boolean {
  return kind === "other" && ["Bash", "apply_patch", ...FILE_TOOL_NAMES].includes(tool);
}

/** Whether a tool is one of an MCP server, as both CLIs name those to their hooks. */
export function isMcpTool(tool: string): boolean {
  return tool.startsWith("mcp__");
}

/** A text, or an object of texts such as `stdout` and `stderr`. */
function outputOf(response: unknown): string {
  return textOf(response) ?? Object.values(objectOf(response)).flatMap((value) => textOf(value) ?? []).join("\n");
}

/** Claude Code's own way to tell it (2.1.328). */
function exitCodeOf(error = ""): number | undefined {
  const code = /^Exit code (\d+)/.exec(error)?.[1];
  return code === undefined ? undefined : Number(code);
}

/**
 * What the call of a tool is about, by the arguments that a CLI has on record; of the kind `other` where that is not
 * understood.
 */
export function matterOf(tool: string, input: unknown): RequestMatter {
  return knownMatter(tool, objectOf(input)) ?? otherMatter(input);
}

function otherMatter(input: unknown): RequestMatter {
  return { kind: "other", subject: JSON.stringify(input) ?? "" };
}

/** Codex asks so for a host that a running command wants to reach (0.169.0): a yes says nothing of the command. */
function isAboutNetwork(tool: string, input: unknown): boolean {
  return tool === "Bash" && textOf(objectOf(input)["description"])?.startsWith("network-access ") === true;
}

function knownMatter(
  tool: string,
  input: Readonly<Record<string, unknown>>,
): RequestMatter | undefined {
  if (tool === PLAN_TOOL) return { kind: "plan", subject: textOf(input["plan"]) ?? "" };
  if (QUESTION_TOOLS.includes(tool)) {
    const questions = readQuestions(input);
    return questions === undefined
      ? { ...otherMatter(input), kind: "question" }
      : { kind: "question", subject: questionsText(questions), questions };
  }
  const command = textOf(input["command"]);
  if (tool === "Bash" && command !== undefined) {
    // Claude Code's own name for it (2.1.328); Codex' hooks do not tell.
    const leavesSandbox = input["dangerouslyDisableSandbox"] === true;
    return { kind: "command", subject: command, ...(leavesSandbox ? { leavesSandbox } : {}) };
  }
  if (tool === "apply_patch" && command !== undefined) {
    const paths = patchedFiles(command);
    return paths.length === 0 ? undefined : { kind: "patch", subject: paths.join("\n") };
  }
  const [kind, field] = Object.hasOwn(FILE_TOOLS, tool) ? FILE_TOOLS[tool]! : [];
  const path = field === undefined ? undefined : textOf(input[field]);
  // A line end in a path would make two of it.
  return kind === undefined || path === undefined || /[\r\n]/.test(path) ? undefined : { kind, subject: path };
}

/**
 * The files that a patch of Codex' `apply_patch` names, each once. What only looks like the head of a file counts too.
 */
export function patchedFiles(patch: string): readonly string[] {
  const heads = patch.matchAll(/^[^\S\n]*\*\*\* (?:(?:Add|Update|Delete) File|Move to):(?<path>[^\n]*)$/gm);
  return [...new Set([...heads].map((head) => head.groups?.["path"]?.trim() ?? ""))];
}

/** What a `PermissionRequest` hook prints for an answer, the same for both CLIs. */
export function hookOutput({ behavior, reason }: HookAnswer): string {
  const decision = { behavior, ...(behavior === "allow" || reason === undefined ? {} : { message: reason }) };
  return JSON.stringify({ hookSpecificOutput: { hookEventName: "PermissionRequest", decision } });
}
