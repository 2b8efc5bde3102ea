/** Jobs of review loops, for tests that need one and do not care what it says. */
import { GOOD_REVIEW, PASS } from "../jobs/review_loop/scripted_agents.ts";
import type { BuiltInRole } from "../../lib/base/roles.ts";

/** The shortest that is one. */
export const FLAG_JOB = "*** ORIGINAL EXPLORE SUMMARY ***\nAdd a flag.\n*** SCENARIO TEST ***\nRun it.\n";

/** One of the sandbox's project, with nothing to do. */
export const GREETER_JOB = [
  "Keep the greeter as it is.",
  "*** ORIGINAL EXPLORE SUMMARY ***",
  "There is nothing to explore.",
  "*** SCENARIO TEST ***",
  "1. Nothing happens.",
  "",
].join("\n");

/** What each role answers in a job that passes. */
export const ANSWERS: Readonly<Record<BuiltInRole, string>> = {
  analyst: "Analysis: change src/greet.ts.",
  analyst_review: GOOD_REVIEW,
  programmer: "Files changed: src/greet.ts.",
  programmer_review: GOOD_REVIEW,
  tester: PASS,
};
