import { explainStatuses } from "../../cli/show/explain_statuses.ts";
import { listRuns } from "../control/list_runs.ts";
import { resultOf } from "../control/result_of.ts";
import { JOBS } from "../../jobs/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import { isJournalOf, readFacts } from "../../journal/read_facts.ts";
import { abridge } from "../../base/text/abridge.ts";
import { deadlineOf, type ToolActs } from "./call.ts";
import { isMessageOver, requireMessage } from "./message_state.ts";
import {
  doingOf,
  endedOf,
  isOver,
  needsAttention,
  nextOf,
  nextOfMessage,
  questionsOf,
  short,
  warningsOf,
  whyOf,
} from "./run_state.ts";
import { findServed, type Served, workdirOf } from "./served_folders.ts";
import { MAX_WAIT_SECONDS } from "./tool_fields.ts";
import { watchRun } from "./watch_run.ts";
import { present } from "../../base/schema.ts";

const DEFAULT_RUNS = 20;
const DEFAULT_STATUSES = 30;
const MAX_SUMMARY_CHARS = 20_000;

/** The acts of the tools that tell how runs are, and change nothing. */
export function createLookActs(
  { clock, ...served }: Served & { readonly clock: Clock },
): Pick<ToolActs, "wait" | "result" | "runs" | "explain"> {
  return {
    async wait({ after = 0, until = "attention", message, timeoutSeconds, ...named }, call) {
      const folder = await findServed(named, served);
      const stateOf = (overview: RunOverview) =>
        message === undefined ? undefined : requireMessage(folder, overview, message);
      const { overview, ...seen } = await watchRun(folder, {
        ...{ after, clock, call },
        deadlineMs: deadlineOf(timeoutSeconds, { usual: MAX_WAIT_SECONDS, clock }),
        isEnough: (overview, seen) =>
          isMessageOver(stateOf(overview)?.state) || needsAttention(overview, seen) ||
          until === "change" && seen.changes > 0,
      });
      const told = stateOf(overview);
      return {
        run: folder.id,
        state: overview.condition,
        isOver: isOver(overview),
        ...seen,
        ...doingOf(overview, new Date()),
        questions: [...questionsOf(overview)],
        ...present({ message: told }),
        ...endedOf(overview),
        next: told === undefined ? nextOf(overview) : nextOfMessage(told, overview),
      };
    },

    async result(named) {
      const folder = await findServed(named, served);
      const outcome = await resultOf(folder, served);
      const overview = await readRun(folder, JOBS);
      const { progress, problem } = overview;
      const over = isOver(overview);
      const warnings = warningsOf(overview).map(short);
      return {
        run: folder.id,
        state: overview.condition,
        isOver: over,
        about: progress?.about ?? "",
        ...endedOf(overview),
        ...(outcome.last === undefined ? {} : { summary: abridge(outcome.last.text, { maxChars: MAX_SUMMARY_CHARS }) }),
        usage: Object.fromEntries(
          Object.entries(outcome.usage).map(([model, { inputTokens, cachedInputTokens, outputTokens }]) => [model, {
            inputTokens,
            cachedInputTokens,
            outputTokens,
          }]),
        ),
        changedFiles: [...outcome.changedFiles],
        moreFiles: outcome.moreFiles,
        done: (progress?.done ?? []).map(({ unit, number, name, outcome, reason }) =>
          [`${unit} ${number}`, name, outcome.toUpperCase(), reason].filter((part) => part !== undefined).join(", ")
        ),
        warnings: problem === undefined ? warnings : [...warnings, problem.message],
        next: nextOf(overview),
      };
    },

    async runs({ limit = DEFAULT_RUNS, workdir }) {
      const meant = workdir === undefined ? served.workdirs : [workdirOf(workdir, served.workdirs)];
      const found = await Promise.all(
        meant.map(async (folder) => (await listRuns(folder, served)).map((row) => ({ row, folder }))),
      );
      // An id begins with the run's start.
      const all = found.flat().sort((a, b) => a.row.folder.id < b.row.folder.id ? 1 : -1);
      return {
        runs: all.slice(0, limit).map(({ row, folder }) => {
          const { progress, question, answered, problem, condition } = row;
          const reason = problem?.message ?? progress?.finished?.reason;
          return {
            run: row.folder.id,
            workdir: folder,
            job: progress?.job ?? null,
            state: condition,
            isOver: isOver(row),
            startedAt: progress?.startedAt ?? null,
            ...(progress === undefined ? {} : { about: short(progress.about) }),
            ...(question?.id === undefined || answered ? {} : { question: question.id }),
            ...(reason === undefined ? {} : { reason: short(reason) }),
          };
        }),
        leftOut: Math.max(0, all.length - limit),
      };
    },

    async explain({ role, limit = DEFAULT_STATUSES, ...named }) {
      const folder = await findServed(named, served);
      const overview = await readRun(folder, JOBS);
      const journal = overview.problem === undefined && overview.progress?.job === "run"
        ? await readFacts(folder.journalPath, JOBS)
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
  };
}
