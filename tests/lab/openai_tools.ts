import { asArray, asObject, asString, type JsonObject } from "./json.ts";
import type { Step } from "./steps.ts";

/** The call that does what a step wants, with the tools that the request offers. */
export function openaiToolCall(
  step: Extract<Step, { do: "shell" | "write" | "ask" | "call" }>,
  body: JsonObject,
): JsonObject {
  switch (step.do) {
    case "shell":
      return openaiShellCall(step, body);
    case "write":
      return openaiPatch(step, body);
    case "ask":
      return openaiCall({
        do: "call",
        tool: "request_user_input",
        input: {
          questions: [{
            id: "question",
            header: "Question",
            question: step.question,
            options: step.options.map((label) => ({ label, description: label })),
          }],
        },
      });
    case "call":
      return openaiCall(step);
  }
}

/** A patch that adds the file: in code mode a call of `tools.apply_patch`, otherwise of the free-form tool. */
function openaiPatch({ path, text }: Extract<Step, { do: "write" }>, body: JsonObject): JsonObject {
  const lines = text.replace(/\n$/, "").split("\n").map((line) => `+${line}\n`).join("");
  const patch = `*** Begin Patch\n*** Add File: ${path}\n${lines}*** End Patch\n`;
  const codeMode = offeredTools(body).some((tool) => tool["name"] === "exec" && tool["type"] === "custom");
  return codeMode
    ? openaiCall({ do: "call", tool: "exec", input: `text(await tools.apply_patch(${JSON.stringify(patch)}));` })
    : openaiCall({ do: "call", tool: "apply_patch", input: patch });
}

/**
 * The call of whatever shell tool the request offers, by Codex version and model: `exec` (code mode: a program that
 * calls `tools.exec_command`), `exec_command`, `shell_command`, `shell` (an argv array) or `local_shell`.
 */
function openaiShellCall(step: Extract<Step, { do: "shell" }>, body: JsonObject): JsonObject {
  const tools = offeredTools(body);
  const named = (name: string) => tools.find((tool) => tool["name"] === name);
  const args = { ...step.args };

  if (named("exec")?.["type"] === "custom") {
    const escalation = step.escalate === undefined ? {} : escalate("sandbox_permissions", step.escalate);
    const input = JSON.stringify({ cmd: step.command, ...args, ...escalation });
    return openaiCall({ do: "call", tool: "exec", input: `text(JSON.stringify(await tools.exec_command(${input})));` });
  }
  const argv = ["bash", "-lc", step.command];
  for (
    const [tool, command] of [
      ["exec_command", { cmd: step.command }],
      ["shell_command", { command: step.command }],
      ["shell", { command: argv }],
    ] as const
  ) {
    const offered = named(tool);
    if (offered === undefined) continue;
    const properties = asObject(asObject(offered["parameters"])["properties"]);
    const way = "sandbox_permissions" in properties ? "sandbox_permissions" : "with_escalated_permissions";
    const escalation = step.escalate === undefined ? {} : escalate(way, step.escalate);
    return openaiCall({ do: "call", tool, input: { ...command, ...args, ...escalation } });
  }
  if (tools.some((tool) => tool["type"] === "local_shell")) {
    return { type: "local_shell_call", action: { type: "exec", command: argv, ...args } };
  }
  throw new Error(
    `Cannot call a shell: the client offers only ${tools.map((tool) => asString(tool["name"])).join(", ")}`,
  );
}

/** The tools of a request, which newer models get in an item of the input, grouped in namespaces. */
function offeredTools(body: JsonObject): readonly JsonObject[] {
  const additional = asArray(body["input"]).map(asObject).filter((item) => item["type"] === "additional_tools");
  return [...asArray(body["tools"]), ...additional.flatMap((item) => asArray(item["tools"]))].map(asObject)
    .flatMap((tool) => tool["type"] === "namespace" ? asArray(tool["tools"]).map(asObject) : [tool]);
}

function escalate(way: "sandbox_permissions" | "with_escalated_permissions", reason: string): JsonObject {
  return way === "sandbox_permissions"
    ? { sandbox_permissions: "require_escalated", justification: reason }
    : { with_escalated_permissions: true, justification: reason };
}

/** An output item that calls a tool by name. */
function openaiCall(step: Extract<Step, { do: "call" }>): JsonObject {
  return typeof step.input === "string" ? { type: "custom_tool_call", name: step.tool, input: step.input } : {
    type: "function_call",
    name: step.tool,
    arguments: JSON.stringify(step.input),
    ...(step.namespace === undefined ? {} : { namespace: step.namespace }),
  };
}
