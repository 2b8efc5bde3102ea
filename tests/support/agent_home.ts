import type { AgentName } from "./agents.ts";
import { writeClaudeHome } from "./claude_home.ts";
import { writeCodexHome } from "./codex_home.ts";
import type { Sandbox } from "./sandbox.ts";

/** An agent over ACP that is to work in a sandbox. */
export interface AgentHomeOptions {
  readonly agent: AgentName;
  /** Base URL of the model server that speaks the agent's wire format. */
  readonly baseUrl: string;
}

/** The model that agents ask for whose model server may have any. */
const LAB_MODEL = "mock-1";

/**
 * Writes a configuration with which a real agent talks to the model server only, asks before it acts, and neither
 * reports nor updates anything; returns the environment that goes with it.
 */
export async function writeAgentHome(
  { root, home, project, env }: Pick<Sandbox, "root" | "home" | "project" | "env">,
  { agent, baseUrl }: AgentHomeOptions,
): Promise<Readonly<Record<string, string>>> {
  const tmp = env["TMPDIR"] ?? `${root}/tmp`;
  switch (agent) {
    case "claude_acp":
      return {
        ...await writeClaudeHome({ home, baseUrl, project, tmp, version: "2.1.328" }),
        // Otherwise it tries again for minutes what the model server refuses.
        CLAUDE_CODE_MAX_RETRIES: "1",
        // Otherwise it asks the model on its own account what a person might type next.
        CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: "false",
      };
    case "codex_acp":
      return await writeCodexHome({
        folder: `${root}/codex-home`,
        baseUrl,
        project,
        sandboxMode: "read-only",
        approvalPolicy: "on-request",
      });
    case "copilot":
      return {
        COPILOT_OFFLINE: "true",
        COPILOT_PROVIDER_BASE_URL: baseUrl,
        COPILOT_PROVIDER_TYPE: "openai",
        COPILOT_MODEL: LAB_MODEL,
        COPILOT_AUTO_UPDATE: "false",
      };
    case "gemini":
      await writeJson(`${home}/.gemini/settings.json`, {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      });
      return {
        GOOGLE_GEMINI_BASE_URL: baseUrl,
        GEMINI_API_KEY: "dummy",
        GEMINI_MODEL: "gemini-2.5-flash",
        GEMINI_CLI_TRUST_WORKSPACE: "true",
        GEMINI_TELEMETRY_ENABLED: "false",
      };
    case "opencode":
      await writeJson(`${home}/.config/opencode/opencode.json`, {
        model: `loopback/${LAB_MODEL}`,
        small_model: `loopback/${LAB_MODEL}`,
        autoupdate: false,
        share: "disabled",
        permission: { bash: "ask", edit: "ask" },
        enabled_providers: ["loopback"],
        provider: {
          loopback: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: baseUrl, apiKey: "dummy" },
            models: { [LAB_MODEL]: {} },
          },
        },
      });
      return {
        OPENCODE_DISABLE_AUTOUPDATE: "true",
        OPENCODE_DISABLE_MODELS_FETCH: "true",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "true",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "true",
      };
    case "qwen":
      await writeJson(`${home}/.qwen/settings.json`, {
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false },
        // Otherwise it asks the model on its own account: what to remember, what a person might type next.
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
        ui: { enableFollowupSuggestions: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      });
      return { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: "dummy", OPENAI_MODEL: LAB_MODEL };
  }
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
  await Deno.writeTextFile(path, JSON.stringify(value));
}
