import { asArray, asObject, asString } from "../json.ts";
import type { ModelRequest, Respond } from "../script.ts";
import type { CliName } from "../../support/clis.ts";

const PLAN = "# Plan\n\n1. Read the cart module\n2. Add the missing item\n3. Test it\n";

const PROPOSED_PLAN = `<proposed_plan>
# Repair the cart

1. Read the cart module
2. Add the item
</proposed_plan>
`;

/** What decides the model's turns in scenes in which they follow from what the CLI says; by the names in their data. */
export const MODELS: Readonly<Record<CliName, Readonly<Record<string, Respond>>>> = {
  codex: {
    $plan({ body, prompts }) {
      if (prompts.length > 1) return [{ do: "hold" }, { do: "say", text: "Nothing else is wrong." }];
      // In plan mode Codex explains to the model how a plan is proposed; the scene is void without it.
      if (!JSON.stringify(body).includes("<proposed_plan>")) return [{ do: "refuse", status: 400 }];
      return [{ do: "say", text: PROPOSED_PLAN }];
    },
  },
  claude_code: {
    $plan({ body, prompts }) {
      if (prompts.length > 1) return [{ do: "hold" }, { do: "say", text: "Nothing else." }];
      const file = JSON.stringify(body).match(/\/[^\s"\\]+\/\.claude\/plans\/[\w-]+\.md/)?.[0];
      return [
        ...file === undefined ? [] : [
          { do: "call", tool: "Write", input: { file_path: file, content: PLAN } },
          { do: "say", text: "The plan is written." },
        ] as const,
        { do: "call", tool: "ExitPlanMode", input: { plan: PLAN } },
        { do: "say", text: "Done as planned." },
      ];
    },
    $subagent(request) {
      const prompt = request.prompts.at(-1) ?? "";
      if (prompt.includes("Count the items")) return [{ do: "hold" }, { do: "say", text: "There are three." }];
      if (prompt.includes("task-notification")) {
        return [{ do: "hold" }, { do: "say", text: "The cart has three items." }];
      }
      if (reportsTools(request)) return [{ do: "say", text: "Somebody counts." }];
      const names = asArray(request.body["tools"]).map((tool) => asString(asObject(tool)["name"]));
      const tool = names.includes("Agent") ? "Agent" : "Task";
      const task = { description: "Count items", prompt: "Count the items of the cart." };
      return [{ do: "call", tool, input: { ...task, subagent_type: "general-purpose" } }];
    },
  },
};

/** Whether the last message of a request brings results of tools. */
function reportsTools({ body }: ModelRequest): boolean {
  const last = asObject(asArray(body["messages"]).at(-1));
  return asArray(last["content"]).some((block) => asObject(block)["type"] === "tool_result");
}
