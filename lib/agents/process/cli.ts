import type { AgentEvent } from "../agent.ts";
import type { Host } from "../../base/ports/host.ts";
import type { SandboxReport } from "../sandbox.ts";
import type { Usage } from "../../base/usage.ts";
import type { CommandHookSet } from "./command_hooks.ts";
import type { AgentLaunch, LaunchPlan } from "../launch_plan.ts";

/** What a CLI is started with for one turn. */
export interface HeadlessLaunch extends AgentLaunch {
  /** Resumes a session of the CLI's own instead of beginning one. */
  readonly resumeSessionId?: string | undefined;
}

export interface HeadlessPlanOptions {
  readonly host: Host;
  /** PATH as it would be without us. */
  readonly path: string;
  /** The commands that ask a person, and the folder of their launchers; missing where there are none. */
  readonly ask?: AskLaunchers | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly hooks?: CommandHookSet;
}

export interface AskLaunchers {
  readonly commands: readonly (readonly [string, ...string[]])[];
  readonly launcherFolder: string;
}

/** How it is started; in which folder is told apart. */
export type HeadlessPlan = Omit<LaunchPlan, "cwd">;

export interface LogQuery {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prompt: string;
  readonly resumeSessionId?: string | undefined;
  /** When the CLI was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly sessionId: () => string | undefined;
  readonly listPids: () => Promise<readonly number[]>;
  readonly writerEnded: AbortSignal;
}

export interface SessionUsageQuery {
  readonly sessionId: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ISO 8601: what it used before does not count. */
  readonly since: string;
}

interface StepGround {
  readonly isRepository: boolean;
  readonly sandbox: boolean;
}

export interface HeadlessProvider {
  /** Whether it asks for no permission: what its own settings do not let it do fails. @default {false} */
  readonly neverAsks?: boolean;
  readonly argsToWork?: (ground: StepGround) => readonly string[];
  plan(launch: HeadlessLaunch, options: HeadlessPlanOptions): HeadlessPlan | Promise<HeadlessPlan>;
  createReader(launch: Pick<AgentLaunch, "model" | "args">): SessionReader;
  readonly foldSandbox?: (report: SandboxReport, event: AgentEvent, folders: readonly string[]) => SandboxReport;
  /**
   * The lines that the attempt adds to the CLI's own session log, as they are written. Absent where the CLI's report
   * tells all of it.
   */
  readonly openLog?: (query: LogQuery) => Promise<AsyncIterable<readonly string[]>>;
  readonly sessionUsage?: (query: SessionUsageQuery) => Promise<Usage | undefined>;
}

export interface SessionReader {
  readReport(line: string): readonly AgentEvent[];
  readLog(line: string): readonly AgentEvent[];
}
