import { arrayOf, type JsonObject, objectOf } from "../../base/text/json.ts";
import settings from "./hook_trial.toml" with { type: "text" };
import { SANDBOX_TRIAL_MS } from "../sandbox.ts";
import { present } from "../../base/schema.ts";
import { type HookTrial, type HookTrialPlace, TRIAL_COMMANDS, type TrialAnswer } from "../hook_trial.ts";
import { HOOKS_ON } from "./hook_settings.ts";
import { findNativeCodex } from "./program.ts";

/** How the hooks of Codex are tried (0.169.0). */
export const codexHookTrial: HookTrial = {
  prepare,
  isModelPath: (path) => path === "/v1/responses",
  // `codex exec` never asks.
  asksWithoutTerminal: false,
  machineFiles: ["requirements.toml", "managed_config.toml", "config.toml"].map((name) => `/etc/codex/${name}`),
  async findProblem({ workdir, command, env, host, processRunner, signal }) {
    const [program, ...leading] = command ?? [findNativeCodex(host) ?? "codex"];
    const settings = HOOKS_ON.flatMap((setting) => ["-c", setting]);
    const { stdout } = await processRunner.run({
      argv: [program, ...leading, ...settings, "features", "list"],
      cwd: workdir,
      timeoutMs: SANDBOX_TRIAL_MS,
      ...present({ env, signal }),
    });
    const told = /^hooks\s.*\s(true|false)\s*$/m.exec(stdout)?.[1];
    if (told === "true") return undefined;
    return told === undefined ? "it does not report its settings" : "its settings have features.hooks: false";
  },
  answer(body, way) {
    const { input } = objectOf(body);
    const items = arrayOf(input).map(objectOf);
    const results = items.filter(({ type }) => type === "function_call_output" || type === "custom_tool_call_output");
    const command = Object.values(TRIAL_COMMANDS)[results.length];
    const id = `call_trial_${results.length}`;
    const call = command === undefined
      ? undefined
      : commandCall(offeredTools(objectOf(body), items), { command, id, escalates: way === "pane" });
    const content = [{ type: "output_text", text: "Done.", annotations: [] }];
    const item = call ?? { type: "message", role: "assistant", phase: "final_answer", content };
    return { events: reply({ ...item, id: `item_${id}` }), asksForCommand: call !== undefined };
  },
};

/** A repository's settings as bad as they may be. */
const HOSTILE = "[features]\nhooks = false\ncodex_hooks = false\n";

async function prepare({ home, project, baseUrl, way }: HookTrialPlace) {
  await Deno.mkdir(`${project}/.codex`, { recursive: true });
  await Deno.writeTextFile(`${project}/.codex/config.toml`, HOSTILE);
  const folder = `${home}/.codex`;
  await Deno.mkdir(folder, { recursive: true });
  const places = {
    ...{ $BASE_URL: `${baseUrl}/v1`, $PROJECT: project },
    ...(way === "pane"
      ? { $APPROVAL: "on-request", $SANDBOX: "read-only" }
      : { $APPROVAL: "never", $SANDBOX: "danger-full-access" }),
  };
  const text = Object.entries(places).reduce(
    (text, [place, value]) => text.replace(JSON.stringify(place), () => JSON.stringify(value)),
    settings,
  );
  await Deno.writeTextFile(`${folder}/config.toml`, text);
  return { CODEX_HOME: folder, PANEWRIGHT_NO_KEY: "none" };
}

function commandCall(
  tools: readonly JsonObject[],
  { command, id: call_id, escalates }: { readonly command: string; readonly id: string; readonly escalates: boolean },
): JsonObject | undefined {
  const justification = "A trial of panewright";
  // Without a pane nobody could permit to leave a sandbox, and there is none.
  const needs = escalates ? { sandbox_permissions: "require_escalated", justification } : {};
  const named = (name: string) => tools.find((tool) => tool["name"] === name);
  if (named("exec")?.["type"] === "custom") {
    const args = JSON.stringify({ cmd: command, ...needs });
    const input = `text(JSON.stringify(await tools.exec_command(${args})));`;
    return { type: "custom_tool_call", call_id, name: "exec", input };
  }
  for (const [name, field] of [["exec_command", "cmd"], ["shell_command", "command"]] as const) {
    const tool = named(name);
    if (tool === undefined) continue;
    const properties = objectOf(objectOf(tool["parameters"])["properties"]);
    const older = { with_escalated_permissions: true, justification };
    const input = { [field]: command, ...("sandbox_permissions" in properties || !escalates ? needs : older) };
    return { type: "function_call", call_id, name, arguments: JSON.stringify(input) };
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
