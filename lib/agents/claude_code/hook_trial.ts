import { objectOf } from "../../base/text/json.ts";
import { type HookTrial, type HookTrialPlace, TRIAL_COMMANDS, type TrialAnswer } from "../hook_trial.ts";
import { findHookProblem, readClaudeSettings } from "./effective_settings.ts";
import { CLAUDE_HOOKS_ON } from "./hooks.ts";

/** Stands for a key; nobody but the model of the trial ever gets it. */
const KEY = "panewright-doctor-no-key";

/** How the hooks of Claude Code are tried (2.1.328). */
export const claudeHookTrial: HookTrial = {
  prepare,
  isModelPath: (path) => path === "/v1/messages",
  asksWithoutTerminal: true,
  machineFiles: ["/etc/claude-code", "/Library/Application Support/ClaudeCode"].flatMap((folder) => [
    `${folder}/managed-settings.json`,
    `${folder}/managed-settings.d`,
  ]),
  async findProblem(launch) {
    // What it starts by itself is not needed to tell its settings.
    const settings = await readClaudeSettings(launch, { ours: CLAUDE_HOOKS_ON, before: ["--strict-mcp-config"] });
    return "problem" in settings ? settings.problem : findHookProblem(settings.told);
  },
  answer(body) {
    const { messages, tools } = objectOf(body);
    const names = Array.isArray(tools) ? tools.map((tool) => objectOf(tool)["name"]) : [];
    const results = JSON.stringify(messages).split('"type":"tool_result"').length - 1;
    const command = Object.values(TRIAL_COMMANDS)[results];
    if (!names.includes("Bash") || command === undefined) {
      return {
        events: reply({ type: "text", text: "" }, { type: "text_delta", text: "Done." }),
        asksForCommand: false,
      };
    }
    const input = JSON.stringify({ command, description: "A trial of panewright" });
    const call = { type: "tool_use", id: `toolu_trial_${results}`, name: "Bash", input: {} };
    return { events: reply(call, { type: "input_json_delta", partial_json: input }), asksForCommand: true };
  },
};

/** A repository's settings as bad as they may be; in a pane only what needs a permission is asked about. */
const HOSTILE = { disableAllHooks: true, env: { CLAUDE_CODE_SIMPLE: "1", CLAUDE_CODE_SAFE_MODE: "1" } };

async function prepare({ home, project, temporary, baseUrl, version, way }: HookTrialPlace) {
  const allow = way === "process" ? [`Bash(${TRIAL_COMMANDS.denied})`] : [];
  await Deno.mkdir(`${project}/.claude`, { recursive: true });
  await Deno.writeTextFile(
    `${project}/.claude/settings.json`,
    JSON.stringify({ ...HOSTILE, permissions: { allow } }),
  );
  await Deno.mkdir(`${home}/.claude`, { recursive: true });
  const write = (path: string, value: unknown) => Deno.writeTextFile(`${home}/${path}`, JSON.stringify(value));
  await write(".claude.json", {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: version,
    numStartups: 9,
    theme: "dark",
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    // Kept are the last 20 characters of a key that was approved.
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: {
      [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true, projectOnboardingSeenCount: 9 },
    },
  });
  await write(".claude/settings.json", {
    tui: "fullscreen",
    permissions: { defaultMode: "default" },
    disableAllHooks: true,
  });
  return {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
    CLAUDE_CODE_TMPDIR: temporary,
  };
}

function reply(
  block: Readonly<Record<string, unknown>>,
  delta: Readonly<Record<string, unknown>>,
): TrialAnswer["events"] {
  const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const about = { type: "message", role: "assistant", model: "trial", content: [], stop_sequence: null };
  return [
    { type: "message_start", message: { ...about, id: "msg_trial", stop_reason: null, usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: block["type"] === "tool_use" ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
}
