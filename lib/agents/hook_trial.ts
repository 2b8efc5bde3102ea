export interface HookTrialPlace {
  readonly home: string;
  readonly project: string;
  readonly temporary: string;
  readonly baseUrl: string;
  readonly version: string;
}

export interface HookTrial {
  /** Writes the settings with which the CLI starts at its composer and talks to the model server only. */
  prepare(place: HookTrialPlace): Promise<Readonly<Record<string, string>>>;
  isModelPath(path: string): boolean;
  /**
   * What the model answers: that a command be run, for which the CLI has to ask, and a last word after that.
   *
   * @param body what the CLI sent
   * @returns events for the CLI, and whether the command is among them
   */
  answer(body: unknown, command: string): TrialAnswer;
}

export interface TrialAnswer {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly asksForCommand: boolean;
}

export function eventStreamText(events: TrialAnswer["events"]): string {
  return events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
