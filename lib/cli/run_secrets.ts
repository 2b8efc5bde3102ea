import { loadSettings } from "../config/load.ts";
import type { MeetRun } from "../api/control/act.ts";
import { JOBS } from "../jobs/mod.ts";
import type { Clock } from "../base/ports/clock.ts";
import { agentSecrets } from "../agents/agent_secrets.ts";
import type { LearningRedactor } from "../base/redact/redactor.ts";
import { privateWordsOf } from "../base/redact/secret_patterns.ts";
import { readProgress } from "../run/read_progress.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { errorText } from "../base/text/error_text.ts";
import { firstLine } from "../base/text/lines.ts";
import type { CliIo } from "./console/command.ts";
import { configSource } from "./environment.ts";
import { requireTrust } from "./trust.ts";

const LEARN_AGAIN_MS = 10_000;

interface RunSecrets {
  readonly secrets: readonly string[];
  /** Why the configuration of the run could not be asked, as the rest of a sentence; missing where it was. */
  readonly problem?: string;
}

/**
 * The secrets that the configuration of a run gives to its agents: read again as it is now, where the person trusts it.
 * They are kept nowhere else.
 */
export async function secretsOfRun(folder: RunFolder, io: CliIo): Promise<RunSecrets> {
  const config = await configOf(folder);
  return typeof config === "object" ? await secretsOf(config, io) : { secrets: [] };
}

interface SecretLearnerOptions {
  readonly io: CliIo;
  readonly redactor: LearningRedactor;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
}

/**
 * Lets the redactor of a program that shows many runs know what is secret in each: configurations are read again at most
 * every 10 seconds. Where one cannot be asked, that is told once.
 */
export function createSecretLearner({ io, redactor, clock, warn }: SecretLearnerOptions): MeetRun {
  const configs = new Map<string, RunConfig | undefined>();
  const asked = new Map<string, { readonly atMs: number; readonly learned: Promise<void> }>();
  const told = new Set<string>();

  async function learn(config: RunConfig): Promise<void> {
    const { secrets, problem } = await secretsOf(config, io);
    redactor.learn(secrets);
    if (problem === undefined) return;
    const warning = `secrets that only ${config.path} has may be shown: ${firstLine(redactor.text(problem))}`;
    if (!told.has(warning)) warn(warning);
    told.add(warning);
  }

  return async (folder) => {
    if (!configs.has(folder.path)) {
      const config = await configOf(folder);
      // One that has not begun may have a config yet.
      if (config === "not_begun") return;
      configs.set(folder.path, config);
    }
    const config = configs.get(folder.path);
    if (config === undefined) return;
    const last = asked.get(config.path);
    if (last !== undefined && clock.now() - last.atMs < LEARN_AGAIN_MS) return await last.learned;
    const learned = learn(config);
    asked.set(config.path, { atMs: clock.now(), learned });
    await learned;
  };
}

interface RunConfig {
  readonly path: string;
  readonly workdir: string;
}

async function configOf(folder: RunFolder): Promise<RunConfig | "not_begun" | undefined> {
  const { progress } = await readProgress(folder, JOBS, { brief: true });
  if (progress === undefined) return "not_begun";
  const { configFile: path, workdir } = progress;
  return path === null ? undefined : { path, workdir };
}

async function secretsOf({ path, workdir }: RunConfig, io: CliIo): Promise<RunSecrets> {
  try {
    const there = { ...io, cwd: workdir };
    // What is odd about the configuration was told to who started the run.
    const loaded = await loadSettings(await configSource(there, { path, onWarning: () => {} }));
    await requireTrust({ config: loaded }, { io: there, trust: false, mayAsk: false });
    const ofAgents = loaded.providers.flatMap((provider) => agentSecrets({ provider }));
    return { secrets: [...secretsIn(loaded.config), ...ofAgents] };
  } catch (error) {
    return { secrets: [], problem: errorText(error) };
  }
}

function secretsIn(value: unknown, isVariables = false): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const own = isVariables ? privateWordsOf(Object.fromEntries(texts), "").secrets ?? [] : [];
  return [...own, ...entries.flatMap(([name, inner]) => secretsIn(inner, name === "env"))];
}
