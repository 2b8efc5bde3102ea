import type { CliStepProvider, PaneProvider } from "../provider.ts";
import { codexAnswerWay } from "./answer.ts";
import type { FailureTable } from "../failure.ts";
import failures from "./failures.json" with { type: "json" };
import obeys from "./obeyed.json" with { type: "json" };
import { guardCodexPrompt } from "./guard.ts";
import { codexHeadless } from "./headless.ts";
import { findCodexHookLoss } from "./hook_settings.ts";
import { codexHookTrial } from "./hook_trial.ts";
import { codexLaunchPlan } from "./launch.ts";
import { CODEX_RULES, CODEX_SCREEN } from "./rules.ts";
import { findNativeCodex } from "./program.ts";
import { codexQuestions } from "./questions.ts";
import { codexInside, codexSandbox } from "./sandbox.ts";
import { codexTypedInput } from "./typed_input.ts";
import { openCodexSessionLog } from "./session_log_source.ts";
import { codexSetup } from "./setup.ts";

export const codexProvider: PaneProvider & CliStepProvider = {
  id: "codex",
  label: "Codex",
  cli: {
    program: "codex",
    versionArgs: ["--version"],
    loginStatusArgs: ["login", "status"],
    nativeProgram: findNativeCodex,
    setup: codexSetup,
    installHint: "Install it with: npm install --global @openai/codex",
    npmPackage: "@openai/codex",
  },
  failures: failures.rules as FailureTable,
  obeys,
  capabilities: { refusesWritesSince: "0.130.0", findHookLoss: findCodexHookLoss },
  // Codex 0.169.0. MCP servers get a short environment, and `codex-code-mode-host` that of the CLI.
  commandVariable: "CODEX_TOOL_CALL_ID",
  headless: codexHeadless,
  sandbox: codexSandbox,
  whole: codexInside,
  typedInput: codexTypedInput,
  terminal: {
    rules: CODEX_RULES,
    screen: CODEX_SCREEN,
    joinWrappedRows: true,
    // Enter within 120 ms of a burst of characters becomes a line end in the prompt. What the composer shows was taken
    // before, so that 130 ms outlast that on any machine.
    submit: { pastedToEnterMs: 130, proofTimeoutMs: 5000 },
    startupRemedies: {
      trust: "Start `codex` in that folder once by hand and choose to trust it; Codex remembers the answer.",
      login:
        "Log in once with `codex login`, or set the key of the model provider that config.toml of CODEX_HOME names.",
      update: "Update Codex, or start `codex` once by hand and choose to skip this version.",
      hooks: "Start `codex` in that folder once by hand and review its hooks; Codex remembers the answer.",
      other: "Start `codex` in that folder once by hand and answer what it asks; Codex remembers the answer.",
    },
    answerWay: codexAnswerWay,
    questionDialogs: codexQuestions,
    hasPermissionHook: true,
    hasTurnHooks: true,
    tellsTokens: true,
    hookTrial: codexHookTrial,
    launch: codexLaunchPlan,
    guardPrompt: guardCodexPrompt,
    openStatusSource: openCodexSessionLog,
  },
};
