import { runTool } from "./operation.ts";
import * as z from "zod";
import { explainStatuses } from "../show/explain_statuses.ts";
import { JOBS } from "../../jobs/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { readRun } from "../../run/overview.ts";
import { isJournalOf, readFacts } from "../../journal/read_facts.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";
import { count, text } from "../output/shapes.ts";
import { role, state } from "./fields.ts";
import { whyOf } from "./run_state.ts";

const DEFAULT_STATUSES = 30;

export const explainTool = runTool({
  title: "Explain a run",
  description: "Why a run stands where it stands: what it waits for, warnings, and by what evidence each agent was " +
    "taken to do what it did.",
  input: {
    role: role.optional(),
    limit: z.int().min(1).max(200).describe("How many of the last changes of status; 30 where it is missing.")
      .optional(),
  },
  output: z.object({
    run: z.string(),
    state,
    why: z.array(z.string()).describe("Why it stands where it stands, in words."),
    statuses: z.array(z.object({
      at: z.string(),
      turnId: z.string(),
      role,
      status: z.enum(TERMINAL_STATUSES),
      rule: text("The rule, or the witness, that decided.").optional(),
      record: text("What the agent's own record says.").optional(),
    })),
    leftOut: count("How many older changes were left out."),
  }),
  isReadOnly: true,
  async act(folder, { role, limit = DEFAULT_STATUSES }) {
    const overview = await readRun(folder, JOBS);
    const journal = overview.problem === undefined && overview.progress?.job === "run"
      ? await readFacts(folder, JOBS)
      : undefined;
    const statuses = journal !== undefined && isJournalOf(journal, REVIEW_LOOP)
      ? explainStatuses(journal.facts, { run: folder.id, role })
      : [];
    return {
      run: folder.id,
      state: overview.condition,
      why: [...whyOf(overview)],
      statuses: statuses.slice(-limit).map(({ run: _run, ...status }) => status),
      leftOut: Math.max(0, statuses.length - limit),
    };
  },
});
