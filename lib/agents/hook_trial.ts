/** Where the hooks of an agent's CLI are tried: all of it is temporary. Paths are absolute. */
export interface HookTrialPlace {
  /** HOME of the CLI. */
  readonly home: string;
  /** The folder that it works in. */
  readonly project: string;
  /** A folder for its sockets and temporary files. */
  readonly temporary: string;
  /** The model server, without a slash at the end. */
  readonly baseUrl: string;
  /** What the CLI calls its version. */
  readonly version: string;
}

/** How the hooks of an agent's CLI can be tried without a login: with a model of our own. */
export interface HookTrial {
  /**
   * Writes the settings with which the CLI starts at its composer and talks to the model server only.
   *
   * @returns the variables that go with them
   */
  prepare(place: HookTrialPlace): Promise<Readonly<Record<string, string>>>;
  /** Whether the model is asked here. */
  isModelPath(path: string): boolean;
  /**
   * What the model answers: that a command be run, for which the CLI has to ask, and a last word after that.
   *
   * @param body what the CLI sent
   * @returns events for the CLI, and whether the command is among them
   */
  answer(body: unknown, command: string): TrialAnswer;
}

/** What the model of a trial says. */
export interface TrialAnswer {
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly asksForCommand: boolean;
}

/** Events as a CLI reads them from a stream. */
export function eventStreamText(events: TrialAnswer["events"]): string {
  return events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
