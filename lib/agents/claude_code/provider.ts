import type { CliStepProvider, PaneProvider } from "../provider.ts";
import { claudeAnswerWay } from "./answer.ts";
import type { FailureTable } from "../failure.ts";
import failures from "./failures.json" with { type: "json" };
import obeys from "./obeyed.json" with { type: "json" };
import { guardClaudePrompt } from "./guard.ts";
import { claudeHeadless } from "./headless.ts";
import { claudeHookTrial } from "./hook_trial.ts";
import { findClaudeHookLoss } from "./hooks.ts";
import { claudeLaunchPlan } from "./launch.ts";
import { findNativeClaude } from "./program.ts";
import { claudeQuestions } from "./questions.ts";
import { CLAUDE_CODE_RULES, CLAUDE_CODE_SCREEN } from "./rules.ts";
import { claudeInside, claudeSandbox } from "./sandbox.ts";
import { claudeSetup } from "./setup.ts";
import { openClaudeStatusFile } from "./status_file_source.ts";

export const claudeCodeProvider: PaneProvider & CliStepProvider = {
  id: "claude_code",
  label: "Claude Code",
  cli: {
    program: "claude",
    nativeProgram: findNativeClaude,
    versionArgs: ["--version"],
    loginStatusArgs: ["auth", "status", "--text"],
    setup: claudeSetup,
    installHint: "Install it with: npm install --global @anthropic-ai/claude-code",
    npmPackage: "@anthropic-ai/claude-code",
  },
  failures: failures.rules as FailureTable,
  obeys,
  capabilities: {
    refusesWritesSince: "2.1.72",
    findHookLoss: findClaudeHookLoss,
  },
  // Claude Code 2.1.328. MCP servers have its other variables, this one not.
  commandVariable: "CLAUDE_CODE_CHILD_SESSION",
  headless: claudeHeadless,
  sandbox: claudeSandbox,
  whole: claudeInside,
  terminal: {
    rules: CLAUDE_CODE_RULES,
    screen: CLAUDE_CODE_SCREEN,
    joinWrappedRows: false,
    // A paste and the Enter right after it were always taken apart, at any delay (2.1.328). Older ones collect a paste
    // for a moment, and show it when they have it.
    submit: { pastedToEnterMs: 50, proofTimeoutMs: 5000 },
    startupRemedies: {
      trust: "Start `claude` in that folder once by hand and choose to trust it; Claude Code remembers the answer.",
      login:
        "Start `claude` once by hand and log in, or allow the API key that is set; Claude Code remembers the answer.",
      other: "Start `claude` in that folder once by hand and answer what it asks; Claude Code remembers the answer.",
    },
    answerWay: claudeAnswerWay,
    questionDialogs: claudeQuestions,
    hasPermissionHook: true,
    hasTurnHooks: true,
    tellsTokens: true,
    hookTrial: claudeHookTrial,
    launch: claudeLaunchPlan,
    guardPrompt: guardClaudePrompt,
    openStatusSource: openClaudeStatusFile,
  },
};
