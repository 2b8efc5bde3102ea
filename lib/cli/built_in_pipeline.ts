import type { LoadedSettings } from "../config/load.ts";
import type { StepConfig } from "../config/pipeline_schema.ts";
import { HumanInterventionRequiredError, UsageError } from "../errors.ts";
import { DEFAULT_STEP_TIME_LIMIT_SECONDS } from "../jobs/pipeline/settings.ts";
import { sanitizeLine } from "../text/sanitize.ts";
import { askLine } from "./console/ask_line.ts";
import { findTestCommand } from "./find_test_command.ts";
import { isAtTerminal, isTrustedByFlag, type TrustSurroundings } from "./trust.ts";

/** What the pipeline of a task is made of that is only a text, where the configuration has none. */
export interface BuiltIn {
  /** The command that must pass after the step, for `sh -c`. @default the test command of the project */
  readonly check?: string | undefined;
  /** Whether the person has named it now; otherwise it is from the project, or from a journal. */
  readonly isOwn: boolean;
}

/** How often the step is tried again. */
const RETRY = 2;
const CHECK_TIME_LIMIT_SECONDS = 600;

/**
 * The settings with the built-in pipeline, where they have none: one step, `work`, whose prompt is the task and whose
 * check is the project's test command. Agents are in the sandbox of their CLI unless the settings say how they work.
 *
 * @returns `check`: the command that a person is still to agree to
 * @throws {UsageError} when the test command cannot be told, or the person has named one for pipelines that have checks
 */
export function withBuiltIn(
  loaded: LoadedSettings,
  builtIn: BuiltIn | undefined,
): { readonly loaded: LoadedSettings; readonly check?: string } {
  const { config, sources, workdir, file } = loaded;
  if (builtIn === undefined) return { loaded };
  if (Object.keys(config.pipelines).length > 0) {
    if (!builtIn.isOwn) return { loaded };
    throw new UsageError(`Cannot use --check: ${file} has pipelines, and their steps have checks`);
  }
  const command = builtIn.check ?? findTestCommand(workdir).command;
  const step: StepConfig = {
    name: "work",
    prompt: "self",
    check: {
      type: "shell",
      command,
      expect: "pass",
      time_limit_seconds: CHECK_TIME_LIMIT_SECONDS,
    },
    retry: RETRY,
    time_limit_seconds: DEFAULT_STEP_TIME_LIMIT_SECONDS,
  };
  const saysHow = sources.get("sandbox")?.kind !== "default" || config.providers[config.provider]?.args !== undefined;
  const changed = { ...config, pipelines: { "built-in": [step] }, ...(saysHow ? {} : { sandbox: "cli" as const }) };
  return { loaded: { ...loaded, config: changed }, ...(builtIn.isOwn ? {} : { check: command }) };
}

/**
 * Lets a check of the built-in pipeline through that is the project's, or a journal's: it runs outside of any sandbox, so
 * a person must agree to it.
 *
 * @throws {HumanInterventionRequiredError} when nobody has
 */
export async function requireOwnCheck(
  command: string,
  { io, trust, mayAsk }: TrustSurroundings,
): Promise<void> {
  if (trust || isTrustedByFlag(io)) return;
  const shown = sanitizeLine(command);
  if (mayAsk && isAtTerminal(io)) {
    using input = io.openTerminalInput();
    const answer = await askLine(`After the work, this command of the project is run: ${shown}\nRun it? [y/N] `, {
      io,
      input,
    });
    if (/^y(es)?$/i.test((answer ?? "").trim())) return;
  }
  throw new HumanInterventionRequiredError(`Cannot check the work with "${shown}": you have not agreed to run it`, {
    hint: `Name it yourself with --check ${JSON.stringify(shown)}, or use --trust.`,
  });
}
