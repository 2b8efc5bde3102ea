import type { Job } from "../../journal/loop/fields.ts";
import { oneLine } from "../../base/text/lines.ts";
import { EXPLORE_HEADER, parseJob, SCENARIO_HEADER } from "./job.ts";

/**
 * A job to start from, with both sections that a job needs. The blank line below each header keeps formatters of Markdown
 * from joining the two.
 */
export const JOB_TEMPLATE = `What stands above the first section is for you: a title, a ticket number, notes.

${EXPLORE_HEADER}

Say here what to do and what is known about it: the goal, the files and modules concerned, decisions
already taken, what must not change. The analyst turns this into a plan, and the programmer works by it.

${SCENARIO_HEADER}

Say here how the tester can check that it is done: the commands to run and what they must show, step by step. The
programmer sees this section but may not change it; the tester ends with PASS only if every step holds.
`;

/** The headers of the sections that a job has as they are in {@linkcode JOB_TEMPLATE}. */
export function unwrittenSections(job: Pick<Job, "exploreSummary" | "scenarioTest">): readonly string[] {
  const template = parseJob(JOB_TEMPLATE);
  const isSame = (key: "exploreSummary" | "scenarioTest") => oneLine(job[key]) === oneLine(template[key]);
  return [
    ...(isSame("exploreSummary") ? [EXPLORE_HEADER] : []),
    ...(isSame("scenarioTest") ? [SCENARIO_HEADER] : []),
  ];
}
