import type { SandboxGround } from "./sandbox.ts";
import type { AgentLaunch } from "./launch_plan.ts";

/** How a CLI with hooks is driven. */
export type TrialWay = "pane" | "process";

/** What the model asks for one after the other; each only makes a file in the trial's own folder. */
export const TRIAL_COMMANDS = {
  allowed: "touch panewright-hook-trial-allowed",
  asked: "touch panewright-hook-trial-asked",
  denied: "touch panewright-hook-trial-denied",
} as const;

export interface HookTrialPlace {
  readonly home: string;
  readonly project: string;
  readonly temporary: string;
  readonly baseUrl: string;
  readonly version: string;
  readonly way: TrialWay;
}

export interface HookTrial {
  /**
   * Writes the settings with which the CLI starts at its composer and talks to the model server only, and those of a
   * repository that switches hooks off.
   */
  prepare(place: HookTrialPlace): Promise<Readonly<Record<string, string>>>;
  isModelPath(path: string): boolean;
  /**
   * What the model answers: that the next of the commands be run, and a last word after the last of them.
   *
   * @param body what the CLI sent
   * @returns events for the CLI, and whether a command is among them
   */
  answer(body: unknown, way: TrialWay): TrialAnswer;
  /** Whether it asks for permissions without a terminal as well. */
  readonly asksWithoutTerminal: boolean;
  /** Absolute paths of settings of this machine that go before our flags. */
  readonly machineFiles: readonly string[];
  /**
   * What in the settings that hold where an agent is to work keeps our hooks from having the last word, as the CLI
   * itself tells those settings; that it does not tell them is a problem, too.
   */
  findProblem(launch: AgentLaunch & SandboxGround): Promise<string | undefined>;
}

export interface TrialAnswer {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly asksForCommand: boolean;
}

export function eventStreamText(events: TrialAnswer["events"]): string {
  return events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
