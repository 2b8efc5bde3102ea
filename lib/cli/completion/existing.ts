import { JOBS } from "../../jobs/mod.ts";
import { ROLES } from "../../base/roles.ts";
import { meantRunIds } from "../../run/find_run.ts";
import { readOverview } from "../../run/overview.ts";
import { isRunId, type RunFolder } from "../../run/run_folder.ts";
import type { CliIo, CommandEntry, Completed } from "../console/command.ts";
import { listed } from "../console/help.ts";
import { findListedWorkdir, runsAtHand } from "../find_named_run.ts";
import { openQuestions } from "../open_questions.ts";
import { conditionText } from "../../api/show/run_words.ts";
import { ago } from "../../journal/words/words.ts";

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

interface ExistingOptions {
  readonly io: CliIo;
  readonly entries: readonly CommandEntry[];
  readonly wd: string | undefined;
  readonly run: string | undefined;
}

/** How many runs are offered, the newest: more are not looked through by eye. */
const MAX_RUNS = 50;

export async function existing(kind: Completed, options: ExistingOptions): Promise<readonly Candidate[]> {
  const { io, entries, wd, run } = options;
  switch (kind) {
    case "files":
    case "folders":
      return [];
    case "roles":
      return ROLES.map((role) => ({ value: role, description: "" }));
    case "commands":
      return listed(entries).map(({ name, summary }) => ({ value: name, description: summary }));
    case "runs":
      return await newestRuns((await runsAtHand(io, wd)).runs);
    case "asking_runs":
      return (await questions(io, wd)).map((question) => ({
        value: question.run,
        description: `${question.step}: ${question.text}`,
      }));
    case "questions": {
      const ids = (await runsAtHand(io, wd)).runs.map(({ id }) => id).toReversed();
      // What names no run is the answer.
      const meant = run === undefined ? [] : meantRunIds(run, ids);
      return (await questions(io, wd)).filter((question) => meant.length === 0 || meant.includes(question.run))
        .map(({ id, step, text }) => ({ value: id, description: `${step}: ${text}` }));
    }
  }
}

async function newestRuns(runs: readonly RunFolder[]): Promise<readonly Candidate[]> {
  const newest = runs.filter(({ id }) => isRunId(id)).slice(0, MAX_RUNS);
  const now = new Date();
  return await Promise.all(newest.map(async (run) => {
    const { id } = run;
    const overview = await readOverview(run, JOBS, { brief: true });
    const { job = "", startedAt } = overview.progress ?? {};
    const began = startedAt === undefined ? "" : `, began ${ago(startedAt, now)}`;
    return { value: id, description: `${job} ${conditionText(overview)}${began}`.trim() };
  }));
}

async function questions(io: CliIo, wd: string | undefined) {
  const open = [];
  const silent = { ...io, stderr: () => {} };
  for await (const question of openQuestions(await findListedWorkdir(io, wd), { io: silent, wd })) {
    if (!question.answered) open.push(question);
  }
  return open.toReversed();
}
