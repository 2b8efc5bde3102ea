import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";

Deno.test("settings are completed with the defaults", () => {
  assertEquals(reviewLoopSettings(), DEFAULT_REVIEW_LOOP_SETTINGS);
  assertEquals(reviewLoopSettings({ maxRounds: 2 }), { ...DEFAULT_REVIEW_LOOP_SETTINGS, maxRounds: 2 });
});

Deno.test("settings out of range are refused by name", () => {
  for (
    const [name, values] of Object.entries({
      maxRounds: [0, -1, 1.5, NaN, Infinity],
      maxReviewCycles: [0],
      minReviewCyclesBeforeApproval: [0],
      reviewEvidenceMinMatch: [-1, 5],
      maxCrossPhaseLines: [0],
      maxFeedbackLines: [0],
      maxTestEvidenceLines: [0],
      testCommandTimeoutSeconds: [0, -1, NaN],
    })
  ) {
    for (const value of values) {
      assertThrows(
        () => reviewLoopSettings({ [name]: value }),
        UsageError,
        `Cannot use ${value} as ${name}: it must be `,
      );
    }
  }
});
