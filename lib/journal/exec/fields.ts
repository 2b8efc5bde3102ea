import { oneOf, type ValueOf } from "../../base/schema.ts";

export const autonomyLevel = oneOf(0, 1, 2, 3, 4, 5);

export const attemptReason = oneOf(
  "first",
  /** The one before it failed, or a check after it. */
  "retry",
  /** The question of the one before it was answered. */
  "answered",
  /** The one before it was interrupted: panewright was stopped, or crashed. */
  "interrupted",
  /** The one before it met the account's usage limit, which was waited for. */
  "limit_reset",
  /** What the one before it failed of is no fault of its own, and passes. */
  "recovered",
  /** A person has worked in the session of the one before it. */
  "handed_back",
  /** A person has something to say to the agent of the one before it. */
  "told",
);

export const answeredBy = oneOf(
  /** A person in the terminal of the run. */
  "terminal",
  /** `panewright answer`. */
  "command",
  /** A program or a page over HTTP. */
  "http",
  /** A model over MCP. */
  "mcp",
  /** The button of a notification. */
  "notification",
  /** Nobody in time: the default answer of the configuration. */
  "timeout",
  /** Nobody: at autonomy level 0 the agent is told to decide. */
  "level",
  /** Nobody: the step had asked its share of questions before. */
  "cap",
  /** Nobody: by `ask_policy` the agent continues with its best guess, to be confirmed. */
  "assume",
);

export type AttemptReason = ValueOf<typeof attemptReason>;

export type AnsweredBy = ValueOf<typeof answeredBy>;

/**
 * What `panewright exec` was told on its command line: it goes before the task's front matter and the configuration.
 */
export interface ExecOverrides {
  readonly autonomyLevel?: AutonomyLevel;
  readonly resume?: "native" | "replay";
  readonly pipeline?: string;
  /** The session of `provider` that the first step continues: a copy of it. */
  readonly session?: { readonly id: string; readonly file: string };
  readonly keepGoing?: boolean;
  /** The only tasks of a folder that are done, by the names of their files, with or without `.md`. @default all */
  readonly only?: readonly string[];
  readonly force?: boolean;
  readonly provider?: string;
  /** The command for `sh -c` that must pass after the step of the built-in pipeline. */
  readonly check?: string;
  /** Whether another agent reviews what the built-in pipeline has made. @default {"never"}, as in older journals */
  readonly review?: Review;
  /** How many of a folder's tasks are done side by side, each in a workspace. @default one after another, in the folder */
  readonly parallel?: number;
  /** Whether any remark on a PASS makes it a FAIL. @default what the configuration says */
  readonly strict?: boolean;
  /** How often each task is tried side by side, each time in a workspace. @default once */
  readonly attempts?: number;
  /** Which of them is landed. @default {"smallest"} */
  readonly choose?: Chooser;
  /** What the roles of a review loop, which do each task, were told on the command line. @default a pipeline does them */
  readonly roles?: { readonly cwd: string; readonly flags: Readonly<Record<string, unknown>> };
}

/** When a task without a pipeline is reviewed. */
export const REVIEWS = ["if_needed", "always", "never"] as const;

export type Review = (typeof REVIEWS)[number];

/** By what one of several attempts that have passed is chosen. */
export const CHOOSERS = ["smallest", "first", "judge", "person"] as const;

export type Chooser = (typeof CHOOSERS)[number];

/** What is executed: one task, or the tasks of a folder. Paths are absolute. */
export interface ExecTarget {
  readonly kind: "task" | "folder";
  readonly path: string;
  /** The task itself, where it is in no file: the path only names it then. */
  readonly text?: string;
}

export const END = "end";

export type AutonomyLevel = ValueOf<typeof autonomyLevel>;
