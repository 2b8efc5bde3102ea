import { arrayOf, type JsonObject, objectOf } from "../../base/text/json.ts";
import settings from "./hook_trial.toml" with { type: "text" };
import type { HookTrial, HookTrialPlace, TrialAnswer } from "../hook_trial.ts";

/** How the hooks of Codex are tried (0.169.0). */
export const codexHookTrial: HookTrial = {
  prepare,
  isModelPath: (path) => path === "/v1/responses",
  answer(body, command) {
    const { input } = objectOf(body);
    const items = arrayOf(input).map(objectOf);
    const isAnswered = items.some(({ type }) => type === "function_call_output" || type === "custom_tool_call_output");
    const call = isAnswered ? undefined : commandCall(offeredTools(objectOf(body), items), command);
    const content = [{ type: "output_text", text: "Done.", annotations: [] }];
    const item = call ?? { type: "message", role: "assistant", phase: "final_answer", content };
    return { events: reply({ ...item, id: "item_trial" }), asksForCommand: call !== undefined };
  },
};

async function prepare({ home, project, baseUrl }: HookTrialPlace) {
  const folder = `${home}/.codex`;
  await Deno.mkdir(folder, { recursive: true });
  const places = { $BASE_URL: `${baseUrl}/v1`, $PROJECT: project };
  const text = Object.entries(places).reduce(
    (text, [place, value]) => text.replace(JSON.stringify(place), () => JSON.stringify(value)),
    settings,
  );
  await Deno.writeTextFile(`${folder}/config.toml`, text);
  return { CODEX_HOME: folder, PANEWRIGHT_NO_KEY: "none" };
}

function commandCall(tools: readonly JsonObject[], command: string): JsonObject | undefined {
  const justification = "A trial of panewright";
  const named = (name: string) => tools.find((tool) => tool["name"] === name);
  if (named("exec")?.["type"] === "custom") {
    const args = JSON.stringify({ cmd: command, sandbox_permissions: "require_escalated", justification });
    const input = `text(JSON.stringify(await tools.exec_command(${args})));`;
    return { type: "custom_tool_call", call_id: "call_trial", name: "exec", input };
  }
  for (const [name, field] of [["exec_command", "cmd"], ["shell_command", "command"]] as const) {
    const tool = named(name);
    if (tool === undefined) continue;
    const properties = objectOf(objectOf(tool["parameters"])["properties"]);
    const escalation = "sandbox_permissions" in properties
      ? { sandbox_permissions: "require_escalated" }
      : { with_escalated_permissions: true };
    const input = JSON.stringify({ [field]: command, justification, ...escalation });
    return { type: "function_call", call_id: "call_trial", name, arguments: input };
  }
  return undefined;
}

function offeredTools(body: JsonObject, items: readonly JsonObject[]): readonly JsonObject[] {
  const additional = items.filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => arrayOf(tools));
  return [...arrayOf(body["tools"]), ...additional].map(objectOf)
    .flatMap((tool) => tool["type"] === "namespace" ? arrayOf(tool["tools"]).map(objectOf) : [tool]);
}

function reply(item: JsonObject): TrialAnswer["events"] {
  const response = { id: "resp_trial", object: "response", model: "trial" };
  const usage = {
    input_tokens: 1,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 2,
  };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress" } },
    { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } },
    { type: "response.completed", response: { ...response, status: "completed", output: [item], usage } },
  ];
  return events.map((event, index) => ({ ...event, sequence_number: index }));
}
