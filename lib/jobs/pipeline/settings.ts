/** How much an agent asks: higher asks more. The meaning of each is in `prompts/autonomy.ts`. */
export type AutonomyLevel = 0 | 1 | 2 | 3 | 4 | 5;

/** How a step goes on after its question was answered. */
export type ResumeMode =
  /** In the CLI's own session, which is told the answer only. */
  | "native"
  /** With a new process that is told the task, all answers and what the attempt before it had done. */
  | "replay";

/** What all steps have in common. In the configuration the same names are written in snake_case. */
export interface ExecSettings {
  /** @default {1} */
  readonly autonomyLevel: AutonomyLevel;
  /** @default {"replay"} */
  readonly resume: ResumeMode;
  /** The commands that ask a person, as their leading words. @default {panewright ask, cat-herder ask} */
  readonly askCommands: readonly (readonly [string, ...string[]])[];
  /** How many questions of one step a person is asked. @default {5} */
  readonly maxQuestionsPerStep: number;
  /** What a question at level 0 comes to. @default {"decide"} */
  readonly atLevel0: "decide" | "ask";
  /** Seconds that a question waits for its answer. @default {undefined, no limit} */
  readonly answerTimeoutSeconds: number | undefined;
  /** The answer to a question that nobody answered in time. @default {undefined} */
  readonly defaultAnswer: string | undefined;
  /** @default {false} */
  readonly waitForUsageLimitReset: boolean;
  /** What files changed outside of a step's allow_write come to. @default {"fail"} */
  readonly writesOutside: "fail" | "warn";
}

/** The settings that apply where nothing else is said. */
export const DEFAULT_EXEC_SETTINGS: ExecSettings = {
  autonomyLevel: 1,
  resume: "replay",
  askCommands: [["panewright", "ask"], ["cat-herder", "ask"]],
  maxQuestionsPerStep: 5,
  atLevel0: "decide",
  answerTimeoutSeconds: undefined,
  defaultAnswer: undefined,
  waitForUsageLimitReset: false,
  writesOutside: "fail",
};

/** Seconds that one attempt of a step may take. */
export const DEFAULT_STEP_TIME_LIMIT_SECONDS = 7200;
