import type { Role } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { LOOP_NAMES, LOOP_PATTERN, loopProblem, type OwnRole, testerIn } from "./shapes.ts";
import { UsageError } from "../../base/errors.ts";
import { completeSettings, defaultsOf, type SettingSlice, type SettingsOf } from "../../base/settings.ts";

/** The slice of the settings table that the loop itself goes by. The figures are those of the seeds. */
export const REVIEW_LOOP_SETTINGS = {
  startAgent: {
    names: { key: "start_agent", env: "START_AGENT", flag: "--start-agent ROLE" },
    value: {
      kind: "text",
      pattern: /^[a-z][a-z0-9_]{0,31}$/,
      must: "the name of a role of the loop, such as programmer",
      default: "analyst",
    },
    example: "programmer",
    description:
      "The role that starts the first round; a placeholder stands in for the work of earlier roles, whose agents start when they are needed.",
  },
  shape: {
    names: { key: "loop", flag: "--loop LOOP" },
    value: {
      kind: "text",
      pattern: LOOP_PATTERN,
      must: `${LOOP_NAMES.join(", ")}, or roles in order, such as "analyst, programmer, tester"`,
      default: "review",
    },
    description:
      "Who works on the job: all five roles (`review`), a programmer and its reviewer (`pair`), a programmer alone (`solo`), or these " +
      "two after a tester that writes the acceptance tests first (`spec-first`); or roles of your choice in the order in which they " +
      "work, such as `analyst, programmer, tester`. Where the tester is not the last one, the project's test command is needed.",
    flagDescription:
      "who works on the job: review (five roles), pair, solo, spec-first, or roles with commas between them",
    example: "analyst, programmer, tester",
  },
  mendedBy: {
    names: { key: "mended_by" },
    value: { kind: "text", pattern: /^[a-z][a-z0-9_]{0,31}$/, must: "the name of a role of the loop that works" },
    description:
      "The role with which the next round begins when a test has failed. Without it, the programmer, or in " +
      "a loop without one the last role of yours that works.",
    example: "programmer",
  },
  projectTestCmd: {
    names: { key: "project_test_cmd", env: "PROJECT_TEST_CMD", flag: "--test-cmd COMMAND" },
    value: { kind: "command" },
    description: "The project's own test command; PASS counts only if it passes.",
    example: ["npm", "test"],
  },
  testCommandTimeoutSeconds: {
    names: { key: "project_test_timeout_seconds", env: "PROJECT_TEST_TIMEOUT_SECONDS" },
    value: { kind: "seconds", above: 0, default: 1800 },
    description: "Seconds after which the test command and all that it started are killed.",
  },
  maxRounds: {
    names: { key: "limits.max_rounds", env: "MAX_ROUNDS", flag: "--max-rounds" },
    value: { kind: "count", least: 1, default: 8 },
    description: "Rounds, each ending with the tester, before the job counts as failed.",
  },
  maxReviewCycles: {
    names: { key: "limits.max_review_cycles", env: "MAX_REVIEW_CYCLES", flag: "--max-review-cycles" },
    value: { kind: "count", least: 1, default: 3 },
    description: "How often an author and its reviewer take turns in one round.",
  },
  minReviewCyclesBeforeApproval: {
    names: { key: "limits.min_review_cycles_before_approval", env: "MIN_REVIEW_CYCLES_BEFORE_APPROVAL" },
    value: { kind: "count", least: 1, default: 2 },
    description: "The first cycle in which an approval counts; the last cycle where that comes earlier.",
  },
  reviewEvidenceMinMatch: {
    names: { key: "limits.review_evidence_min_match", env: "REVIEW_EVIDENCE_MIN_MATCH" },
    value: { kind: "count", least: 0, most: 4, default: 3 },
    description: "How many of the four kinds of evidence an approval must have.",
  },
  atReviewLimit: {
    names: { key: "limits.at_review_limit", env: "AT_REVIEW_LIMIT" },
    value: { kind: "choice", of: ["proceed", "fail"], default: "proceed" },
    description: "What happens when a reviewer has not approved by the last cycle.",
  },
  condenseCrossPhase: {
    names: { key: "condensation.condense_cross_phase", env: "CONDENSE_CROSS_PHASE" },
    value: { kind: "switch", default: true },
    description: "Whether a retry prompt has the summaries of earlier rounds condensed.",
  },
  condenseUpstreamOnRepeat: {
    names: { key: "condensation.condense_upstream_on_repeat", env: "CONDENSE_UPSTREAM_ON_REPEAT" },
    value: { kind: "switch", default: true },
    description: "Whether a role that was prompted before gets another role's text condensed.",
  },
  condenseExploreOnRepeat: {
    names: { key: "condensation.condense_explore_on_repeat", env: "CONDENSE_EXPLORE_ON_REPEAT" },
    value: { kind: "switch", default: true },
    description: "Whether a role that was prompted before gets the explore summary condensed.",
  },
  condenseReviewFeedback: {
    names: { key: "condensation.condense_review_feedback", env: "CONDENSE_REVIEW_FEEDBACK" },
    value: { kind: "switch", default: true },
    description: "Whether the author gets a reviewer's feedback condensed.",
  },
  condenseTestEvidence: {
    names: { key: "condensation.condense_test_evidence", env: "CONDENSE_TEST_EVIDENCE" },
    value: { kind: "switch", default: true },
    description: "Whether the programmer gets test evidence condensed.",
  },
  maxResponseChars: {
    names: { key: "condensation.max_response_chars", env: "PANEWRIGHT_MAX_RESPONSE_CHARS" },
    value: { kind: "count", least: 1000, default: 20_000 },
    description:
      "Characters of a response that a prompt quotes at most: of a longer one its beginning and end, and the path of the archived file.",
  },
  maxCrossPhaseLines: {
    names: { key: "condensation.max_cross_phase_lines", env: "MAX_CROSS_PHASE_LINES" },
    value: { kind: "count", least: 1, default: 40 },
    description: "Lines kept of another role's text, of the explore summary and of the earlier rounds' summaries.",
  },
  maxFeedbackLines: {
    names: { key: "condensation.max_feedback_lines", env: "MAX_FEEDBACK_LINES" },
    value: { kind: "count", least: 1, default: 30 },
    description: "Lines kept of a reviewer's feedback.",
  },
  maxTestEvidenceLines: {
    names: { key: "condensation.max_test_evidence_lines", env: "MAX_TEST_EVIDENCE_LINES" },
    value: { kind: "count", least: 1, default: 120 },
    description: "Lines kept of the tester's report, and again of the test command's output.",
  },
} as const satisfies SettingSlice;

export const REVIEW_RUN_SETTINGS = {
  startupTimeoutSeconds: {
    names: { key: "startup_timeout_seconds", env: "STARTUP_TIMEOUT_SECONDS" },
    value: { kind: "seconds", above: 0, default: 60 },
    description: "Seconds that an agent may take from its start to its first prompt.",
  },
  quietSeconds: {
    names: { key: "quiet_seconds", env: "QUIET_SECONDS" },
    value: { kind: "seconds", least: 0, default: 8 },
    description:
      "Seconds that a screen which may show an agent at work must stay unchanged to count as idle, if only the screen is known.",
  },
  cleanupOnExit: {
    names: { key: "cleanup_on_exit", env: "CLEANUP_ON_EXIT", flag: "--no-cleanup" },
    value: { kind: "switch", default: true },
    description: "Whether the agents' panes are closed at the end; if not, a person can attach to them.",
    flagDescription: "leave the agents' panes open at the end, for a person to attach to",
  },
  maxAgentRestarts: {
    names: { key: "limits.max_agent_restarts" },
    value: { kind: "count", least: 0, default: 2 },
    description: "How often an agent whose program ends by itself is restarted before the run stops with an error.",
  },
} as const satisfies SettingSlice;

export const TMUX_SETTINGS = {
  socket: {
    names: { key: "tmux.socket", env: "PANEWRIGHT_TMUX_SOCKET", flag: "--tmux-socket NAME" },
    value: {
      kind: "text",
      pattern: /^(?:\/.+|[A-Za-z0-9_.-]{1,64})$/,
      must: "1 to 64 letters, digits, _ . or -, or an absolute path",
    },
    description:
      "The socket of the tmux server to use, as a name or a path; by default each run starts a server of its own.",
    example: "agents",
  },
  session: {
    names: { key: "tmux.session", env: "PANEWRIGHT_TMUX_SESSION", flag: "--tmux-session NAME" },
    value: {
      kind: "text",
      pattern: /^[A-Za-z0-9_][^:.\s]{0,63}$/,
      must: "a name of at most 64 characters that begins with a letter or digit and has no space, colon or dot",
    },
    description: "An existing tmux session in which the agents get their windows.",
    example: "work",
  },
  cols: {
    names: { key: "tmux.cols" },
    value: { kind: "count", least: 80, most: 500, default: 220 },
    description: "The width of each agent's terminal, in columns.",
  },
  rows: {
    names: { key: "tmux.rows" },
    value: { kind: "count", least: 24, most: 200, default: 50 },
    description: "The height of each agent's terminal, in rows.",
  },
} as const satisfies SettingSlice;

export const POST_PROCESSING_SETTINGS = {
  gitCommitMessage: {
    names: { key: "post_processing.git_commit_message" },
    value: { kind: "text" },
    description: "After PASS, all changes of the working directory are committed with this message, with your git's " +
      "hooks; not where these, or git's settings, have changed since the run began.",
    example: "Finish the job",
  },
  openspecChange: {
    names: { key: "post_processing.openspec_change" },
    value: { kind: "text", pattern: /^[A-Za-z0-9][A-Za-z0-9_.-]*$/, must: "letters, digits, _ . or -" },
    description: "After PASS, this openspec change is archived.",
    example: "add-login",
  },
} as const satisfies SettingSlice;

export interface ReviewLoopSettings extends SettingsOf<typeof REVIEW_LOOP_SETTINGS> {
  /** What the project wants of roles, besides what their prompts say. @default {{}} */
  readonly words?: Readonly<Record<Role, string>>;
  /** The roles that the configuration makes. @default {{}} */
  readonly ownRoles?: Readonly<Record<Role, OwnRole>>;
  /** As in `LoopShape`. */
  readonly until?: Role;
}

export const DEFAULT_REVIEW_LOOP_SETTINGS: ReviewLoopSettings = defaultsOf(REVIEW_LOOP_SETTINGS);

export function reviewLoopSettings(
  { words, ownRoles, until, ...given }: {
    readonly [Name in keyof ReviewLoopSettings]?: ReviewLoopSettings[Name] | undefined;
  } = {},
): ReviewLoopSettings {
  const settings = { ...completeSettings(REVIEW_LOOP_SETTINGS, given), ...present({ words, ownRoles }) };
  const problem = loopProblem(settings);
  if (problem !== undefined) throw new UsageError(`Cannot use the loop ${settings.shape}: ${problem}`);
  if (testerIn(settings) !== undefined || settings.projectTestCmd !== undefined) {
    return { ...settings, ...present({ until }) };
  }
  throw new UsageError(
    `Cannot use the loop ${settings.shape}: without a tester, only a test command tells whether it is done`,
  );
}

/** What a turn may take, as `--raise` names it: `handoff.response_timeout`. */
export const RESPONSE_TIMEOUT = "response_timeout";
