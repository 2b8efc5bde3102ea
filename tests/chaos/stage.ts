import type { PanewrightCommand } from "../support/panewright.ts";
import type { Sandbox } from "../support/sandbox.ts";
import type { AgentEvent } from "./agent_log.ts";
import type { Delivery } from "./evidence.ts";
import type { JobFigures } from "./plan.ts";

/** A kind of job that is played under kills. */
export interface ChaosJob {
  readonly name: "demo" | "codex" | "acp" | "codex_acp";
  readonly figures: JobFigures;
  /** Whether agents end with panewright. @default {false} */
  readonly agentsEnd?: boolean;
  /** How long a single command may take, in milliseconds. */
  readonly patienceMs: number;
  setUp(panewright: PanewrightCommand): Promise<Stage>;
}

/** A project that a job is played in. Disposal ends and removes all of it. */
export interface Stage extends AsyncDisposable {
  readonly sandbox: Sandbox;
  /** The environment in which a person would start panewright. */
  readonly env: Readonly<Record<string, string>>;
  /** The config file's name, below the project's folder. */
  readonly config: string;
  /** The prompts that arrived, oldest first. */
  deliveries(): Promise<readonly Delivery[]>;
  /** What agents that are in no pane have logged themselves; missing where all are in panes. */
  readonly agentLog?: () => readonly AgentEvent[];
}
