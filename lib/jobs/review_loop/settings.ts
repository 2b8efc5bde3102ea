import { UsageError } from "../../errors.ts";
import type { Role } from "../../roles.ts";
import type { TestCommand } from "../test_command.ts";

/** What the review loop does when a reviewer has not approved by the last cycle. */
export type AtReviewLimit = "proceed" | "fail";

/** The limits and switches of the review loop. In the configuration the same names are written in snake_case. */
export interface ReviewLoopSettings {
  /** How many rounds, each ending with the tester, before the job counts as failed. @default {8} */
  readonly maxRounds: number;
  /** How often an author and its reviewer work in turn in one round. @default {3} */
  readonly maxReviewCycles: number;
  /**
   * The first cycle in which an approval counts. Where it is greater than `maxReviewCycles`, the last cycle is meant.
   *
   * @default {2}
   */
  readonly minReviewCyclesBeforeApproval: number;
  /** How many of the four kinds of evidence an approval must hold, 0 to 4. @default {3} */
  readonly reviewEvidenceMinMatch: number;
  /** @default {"proceed"} */
  readonly atReviewLimit: AtReviewLimit;
  /** The role that begins round 1; the roles before it are replaced by a placeholder. @default {"analyst"} */
  readonly startAgent: Role;
  /** The project's own test command: an argv array, or a string for `sh -c`. @default {undefined} */
  readonly projectTestCmd: TestCommand | undefined;
  /** Seconds after which the test command and all that it started are killed. @default {1800} */
  readonly testCommandTimeoutSeconds: number;
  /** Whether the summaries of earlier rounds are condensed in a retry prompt. @default {true} */
  readonly condenseCrossPhase: boolean;
  /** Whether another role's text is condensed for a role that was prompted before. @default {true} */
  readonly condenseUpstreamOnRepeat: boolean;
  /** Whether the explore summary is condensed for a role that was prompted before. @default {true} */
  readonly condenseExploreOnRepeat: boolean;
  /** Whether a reviewer's feedback is condensed for the author. @default {true} */
  readonly condenseReviewFeedback: boolean;
  /** Whether test evidence is condensed for the programmer. @default {true} */
  readonly condenseTestEvidence: boolean;
  /** Lines of another role's text, of the explore summary and of the earlier rounds' summaries. @default {40} */
  readonly maxCrossPhaseLines: number;
  /** Lines of a reviewer's feedback. @default {30} */
  readonly maxFeedbackLines: number;
  /** Lines of the tester's report, and again of the test command's output. @default {120} */
  readonly maxTestEvidenceLines: number;
}

/** The settings that apply where nothing else is said; the figures are those of the loop that the seeds describe. */
export const DEFAULT_REVIEW_LOOP_SETTINGS: ReviewLoopSettings = {
  maxRounds: 8,
  maxReviewCycles: 3,
  minReviewCyclesBeforeApproval: 2,
  reviewEvidenceMinMatch: 3,
  atReviewLimit: "proceed",
  startAgent: "analyst",
  projectTestCmd: undefined,
  testCommandTimeoutSeconds: 1800,
  condenseCrossPhase: true,
  condenseUpstreamOnRepeat: true,
  condenseExploreOnRepeat: true,
  condenseReviewFeedback: true,
  condenseTestEvidence: true,
  maxCrossPhaseLines: 40,
  maxFeedbackLines: 30,
  maxTestEvidenceLines: 120,
};

const AT_LEAST: Readonly<Partial<Record<keyof ReviewLoopSettings, number>>> = {
  maxRounds: 1,
  maxReviewCycles: 1,
  minReviewCyclesBeforeApproval: 1,
  reviewEvidenceMinMatch: 0,
  maxCrossPhaseLines: 1,
  maxFeedbackLines: 1,
  maxTestEvidenceLines: 1,
};

/**
 * Completes settings with the defaults.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(reviewLoopSettings({ maxRounds: 2 }).maxReviewCycles, 3);
 * ```
 *
 * @throws {UsageError} when a count is no whole number or out of its range
 */
export function reviewLoopSettings(given: Partial<ReviewLoopSettings> = {}): ReviewLoopSettings {
  const settings = { ...DEFAULT_REVIEW_LOOP_SETTINGS, ...given };
  for (const [name, least] of Object.entries(AT_LEAST)) {
    const value = settings[name as keyof ReviewLoopSettings] as number;
    if (!Number.isInteger(value) || value < least) {
      throw new UsageError(`Cannot use ${name} ${value}: it must be a whole number of at least ${least}`);
    }
  }
  if (settings.reviewEvidenceMinMatch > 4) {
    throw new UsageError(
      `Cannot use reviewEvidenceMinMatch ${settings.reviewEvidenceMinMatch}: there are 4 kinds of evidence`,
    );
  }
  if (!(settings.testCommandTimeoutSeconds > 0)) {
    throw new UsageError(
      `Cannot use testCommandTimeoutSeconds ${settings.testCommandTimeoutSeconds}: it must be greater than 0`,
    );
  }
  return settings;
}
