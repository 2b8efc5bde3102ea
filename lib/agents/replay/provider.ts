import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { selfCommand } from "../../base/ports/self.ts";
import { codexProvider } from "../codex/provider.ts";
import { openReplayRecord, RECORD_VARIABLE } from "./record.ts";
import type { LaunchPlan, LaunchRequest, PaneProvider } from "../provider.ts";

const codex = codexProvider.terminal;

/**
 * Agents that play their part by a script ({@linkcode ReplayScript} in script.ts), on the screens of Codex CLI 0.169.0:
 * no key, no network, no agent CLI. The script is given as an argument: `"args": ["--script", "FILE"]`.
 */
export const replayProvider: PaneProvider = {
  id: "replay",
  label: "Replay",
  capabilities: { refusesWritesSince: undefined },
  ...present({ failures: codexProvider.failures }),
  // Its screens are recordings.
  obeys: { files: [], settings: [], acts: [] },
  terminal: {
    rules: { ...codex.rules, provider: "replay" },
    joinWrappedRows: codex.joinWrappedRows,
    // Our own program takes a bracketed paste and the Enter right after it apart.
    submit: { pastedToEnterMs: 50, proofTimeoutMs: codex.submit.proofTimeoutMs },
    startupRemedies: {},
    answerWay: codex.answerWay,
    launch: replayLaunchPlan,
    guardPrompt: codex.guardPrompt,
    openStatusSource: openReplayRecord,
  },
};

/**
 * How a replayed agent is started: this very program with `replay-agent --role ROLE --script FILE`. Where Deno runs it,
 * it may read the script, and read and write the working directory, and nothing else.
 *
 * @throws {UsageError} when no script is given
 */
export function replayLaunchPlan(request: LaunchRequest): LaunchPlan {
  const { workdir, role, args = [], env = {} } = request;
  const script = args[args.indexOf("--script") + 1];
  if (!args.includes("--script") || script === undefined) {
    throw new UsageError(`Cannot start ${role} with provider "replay": no script is given`, {
      hint: 'Add it to the role: "args": ["--script", "FILE"].',
    });
  }
  const permissions = [
    `--allow-read=${permissionPaths([workdir, resolve(workdir, script)])}`,
    `--allow-write=${permissionPaths([workdir])}`,
    "--allow-env=GITHUB_ACTIONS,NO_COLOR,TERM",
  ];
  const record = `${workdir}/.tmp/replay-${role}.json`;
  return {
    argv: [
      ...(request.command ?? selfCommand(permissions)),
      "replay-agent",
      "--role",
      role,
      "--record",
      record,
      ...args,
    ],
    env: { ...env, [RECORD_VARIABLE]: record },
    cwd: workdir,
  };
}

function permissionPaths(paths: readonly string[]): string {
  return paths.map((path) => path.replaceAll(",", ",,")).join(",");
}
