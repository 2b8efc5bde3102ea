import type { AgentEvent } from "../agent.ts";
import type { Host } from "../../base/ports/host.ts";
import type { SandboxReport } from "../sandbox.ts";
import type { Usage } from "../../base/usage.ts";
import type { CommandHookSet } from "./command_hooks.ts";
import type { AttemptRequest } from "./seam.ts";

/** What a CLI is started with, besides the request. */
export interface HeadlessPlanOptions {
  readonly host: Host;
  /** PATH as it would be without us. */
  readonly path: string;
  /** The folder with the launchers, for the PATH of the agent's commands. */
  readonly launcherFolder: string;
  /** Further variables for the agent's commands. */
  readonly variables: Readonly<Record<string, string>>;
  /** What tells of commands and asks about calls; missing where there is no place for it. */
  readonly hooks?: CommandHookSet;
}

/** How a CLI is started. */
export interface HeadlessPlan {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** What the log of one attempt is found by. */
export interface LogQuery {
  readonly workdir: string;
  /** The CLI's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prompt: string;
  readonly resumeSessionId?: string | undefined;
  /** When the CLI was started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** The session's id, once the CLI has reported it. */
  readonly sessionId: () => string | undefined;
  /** The ids of the CLI's processes. */
  readonly listPids: () => Promise<readonly number[]>;
  /** Aborted when nothing more is written. */
  readonly writerEnded: AbortSignal;
}

/** Which session's use is asked for. */
export interface SessionUsageQuery {
  readonly sessionId: string;
  readonly workdir: string;
  /** The CLI's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** ISO 8601: what it used before does not count. */
  readonly since: string;
}

/** Where a step is to work. */
interface StepGround {
  /** Whether its working directory is in a git repository. */
  readonly isRepository: boolean;
  /** Whether the sandbox of its CLI is switched on. */
  readonly sandbox: boolean;
}

/** What is known of running a CLI without a terminal. */
export interface HeadlessProvider {
  /** The arguments without which a step can do no work there; none where they are missing. Pure. */
  readonly argsToWork?: (ground: StepGround) => readonly string[];
  /** Pure. */
  plan(request: AttemptRequest, options: HeadlessPlanOptions): HeadlessPlan | Promise<HeadlessPlan>;
  createReader(request: Pick<AttemptRequest, "model" | "args">): SessionReader;
  /** Adds what the session log tells to what that says of the sandbox; missing where it tells nothing of it. Pure. */
  readonly foldSandbox?: (report: SandboxReport, event: AgentEvent, folders: readonly string[]) => SandboxReport;
  /**
   * The lines that the attempt adds to the CLI's own session log, as they are written. Absent where the CLI's report
   * tells all of it.
   */
  readonly openLog?: (query: LogQuery) => Promise<AsyncIterable<readonly string[]>>;
  /** What a session has used by the record that the CLI keeps of it; `undefined` where there is none. */
  readonly sessionUsage?: (query: SessionUsageQuery) => Promise<Usage | undefined>;
}

/** Reads what one attempt's CLI reports and logs, line by line. It keeps what later lines need. */
export interface SessionReader {
  /** A line that the CLI printed. */
  readReport(line: string): readonly AgentEvent[];
  /** A line of its session log. */
  readLog(line: string): readonly AgentEvent[];
}
