import type { PaneProvider } from "../../../lib/agents/provider.ts";
import { createRulePack, type ScreenData } from "../../../lib/screen/screen_data.ts";
import screen from "./screen.json" with { type: "json" };

/** An agent that nobody but this folder knows: a program, its screens and its rules. */
export const toyProvider: PaneProvider = {
  id: "toy",
  label: "Toy",
  cli: {
    program: "toy-agent",
    versionArgs: ["--version"],
    installHint: "Wind it up.",
  },
  capabilities: { refusesWritesSince: undefined },
  terminal: {
    rules: createRulePack("toy", screen as ScreenData),
    joinWrappedRows: false,
    submit: { pastedToEnterMs: 20, proofTimeoutMs: 5000 },
    startupRemedies: {},
    answerWay: () => undefined,
    launch: ({ command = ["toy-agent"], role, workdir, env = {} }) => ({
      argv: [...command, role],
      env,
      cwd: workdir,
    }),
    guardPrompt: (text) => text.trim(),
  },
};
