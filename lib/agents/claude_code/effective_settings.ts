import { arrayOf, type JsonObject, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import { present } from "../../base/schema.ts";
import type { AgentLaunch } from "../launch_plan.ts";
import { SANDBOX_TRIAL_MS, type SandboxGround } from "../sandbox.ts";
import { findNativeClaude } from "./program.ts";

const QUESTION = { type: "control_request", request_id: "settings", request: { subtype: "get_settings" } };

/**
 * The settings that come of all sources where an agent is to work, and each source's, as `get_settings` tells them
 * before any prompt (2.1.328).
 *
 * @param options `ours`: what of `--settings` goes with it; `before`: arguments that go before the person's
 */
export async function readClaudeSettings(
  { workdir, args = [], command, env, host, processRunner, signal }: AgentLaunch & SandboxGround,
  { ours, before = [] }: { readonly ours: Readonly<Record<string, unknown>>; readonly before?: readonly string[] },
): Promise<{ readonly told: JsonObject } | { readonly problem: string }> {
  const [program, ...leading] = command ?? [findNativeClaude(host) ?? "claude"];
  const format = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const { stdout, stderr } = await processRunner.run({
    argv: [program, ...leading, "-p", ...format, ...before, "--settings", JSON.stringify(ours), ...args],
    cwd: workdir,
    env: { DISABLE_AUTOUPDATER: "1", ...env },
    stdin: `${JSON.stringify(QUESTION)}\n`,
    timeoutMs: SANDBOX_TRIAL_MS,
    ...present({ signal }),
  });
  const answers = stdout.split("\n").map((line) => objectOf(parseJsonObject(line)?.["response"]));
  // It is asked one thing only.
  const answer = answers.find((each) => each["subtype"] === "success");
  if (answer !== undefined) return { told: objectOf(answer["response"]) };
  const said = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  const problem = said.find((line) => line.startsWith("Error:"))?.slice("Error:".length).trim() ??
    `it does not report its settings${said.length === 0 ? "" : `: ${said.at(-1)}`}`;
  return { problem };
}

/** Settings files that come with a repository. */
const REPOSITORY = { projectSettings: ".claude/settings.json", localSettings: ".claude/settings.local.json" } as const;

/** The events of which a hook beside ours says yes where ours says no, or changes a call that ours has seen (2.1.328). */
const DECIDING = ["PermissionRequest", "PreToolUse"];

/** What keeps our hooks from having the last word, by the settings that `get_settings` tells. */
export function findHookProblem(told: JsonObject): string | undefined {
  const effective = objectOf(told["effective"]);
  if (effective["disableAllHooks"] !== false) {
    return `its settings have disableAllHooks: ${effective["disableAllHooks"]}`;
  }
  if (effective["allowManagedHooksOnly"] === true) return "its settings have allowManagedHooksOnly: true";
  for (const { source, settings } of arrayOf(told["sources"]).map(objectOf)) {
    const file = Object.entries(REPOSITORY).find(([name]) => name === textOf(source))?.[1];
    const hooks = objectOf(objectOf(settings)["hooks"]);
    const event = DECIDING.find((one) => arrayOf(hooks[one]).length > 0);
    if (file !== undefined && event !== undefined) {
      return `${file} has a hook of its own for ${event}, which may permit or change what ours has refused or seen`;
    }
  }
  return undefined;
}
