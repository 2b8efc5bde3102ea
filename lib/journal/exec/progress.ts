import { basename } from "@std/path/posix";
import type { Recorded } from "../job.ts";
import {
  afterRecord,
  atLevel,
  type Change,
  counted,
  type Done,
  levelOf,
  type Progress,
  tokensCounted,
  warned,
} from "../progress.ts";
import { modelsMay, waitsFor } from "../waiting.ts";
import type { Worker } from "../workers.ts";
import type { ExecFact } from "./facts.ts";
import { ATTEMPT, stepWorker } from "./state.ts";
import { titleOf } from "./task_title.ts";
import type { Usage } from "../../base/usage.ts";
import { present } from "../../base/schema.ts";

type RecordOf<Type extends ExecFact["type"]> = Extract<Recorded<ExecFact>, { readonly type: Type }>;

/**
 * How a run of `panewright exec` stands after a record. A record that changes nothing that is shown needs no case here.
 */
export function execProgress(before: Progress, record: Recorded<ExecFact>): Progress {
  return afterRecord(before, record, changeBy(before, record));
}

function changeBy(before: Progress, record: Recorded<ExecFact>): Change {
  const { at } = record;
  switch (record.type) {
    case "run_started": {
      const { runId, folder, workdir, configFile, target } = record;
      const about = target.text === undefined ? basename(target.path) : titleOf(target.text);
      return {
        runId,
        folder,
        workdir,
        configFile,
        about,
        startedAt: at,
        executedSince: at,
        ...modelsMay(before, record.modelAnswers),
      };
    }
    case "run_resumed":
      return {
        folder: record.folder,
        ...modelsMay(before, record.modelAnswers),
        ...present({ configFile: record.configFile }),
        // An attempt that was under way, or has failed, is made anew.
        ...(["processing", "error"].includes(before.workers[0]?.status ?? "")
          ? changeAgent(before, { status: "starting", since: at })
          : {}),
        executedSince: at,
        activity: undefined,
        finished: undefined,
      };
    case "task_started": {
      const { task: number, file, isText, text, pipeline, steps } = record;
      const name = isText === true ? titleOf(text) : file;
      const place = [{ unit: "task", number, name } as const, stepLevel(1, steps)];
      return { place, pipeline: { name: pipeline, steps }, workers: [] };
    }
    case "task_skipped":
      return { place: [{ unit: "task", number: record.task, name: record.file }], pipeline: undefined, workers: [] };
    case "step_started": {
      const { step: number, name, provider, round } = record;
      const worker = { name, provider, status: "starting", since: at, ...NOTHING_KNOWN } as const;
      const of = before.pipeline?.steps.length ?? number;
      const { place } = atLevel(before, { unit: "step", number, of, name });
      return {
        place: round === undefined ? place : [...place, { unit: "round", number: round }],
        workers: [worker],
        activity: undefined,
      };
    }
    case "attempt_started": {
      const { attempt: number, native, folder } = record;
      const session = native ? {} : { sessionId: undefined };
      return {
        ...atLevel(before, { unit: "attempt", number }),
        ...changeAgent(before, { status: "processing", since: at, folder, ...session }),
        ...counted(before, "turns"),
        tokens: { ...before.tokens, bySource: {} },
        activity: { kind: "turn", since: at, worker: before.workers[0]?.name ?? "" },
      };
    }
    case "session_found":
      return changeAgent(before, { sessionId: record.sessionId });
    case "tokens_counted":
      return ofAttempt(before, record.usage);
    case "attempt_finished":
      return attemptFinished(before, record);
    case "question_asked": {
      const { question: id, stepName: by, text, askedAt, usage, call } = record;
      return {
        ...changeAgent(before, { status: "waiting_user_answer", since: at }),
        activity: undefined,
        ...waitsFor(before, {
          ...{ id, by, text, askedAt },
          ...(call === undefined ? {} : { isPermission: true, fingerprint: call }),
        }),
        ...ofAttempt(before, usage),
      };
    }
    case "question_answered": {
      const { waiting } = before;
      if (waiting === undefined || waiting.id !== record.question) return {};
      const { question: id, answer, by, who } = record;
      return {
        ...changeAgent(before, { status: "starting", since: at }),
        waiting: undefined,
        answers: [...before.answers, {
          id,
          worker: waiting.by,
          asked: waiting.text,
          answer,
          by,
          ...present({ who }),
          at,
        }],
      };
    }
    case "usage_limit_reached":
      return {
        activity: {
          kind: "usage_limit",
          since: at,
          detail: record.message,
          ...present({ until: record.resetsAt }),
        },
      };
    case "usage_limit_waited":
      return { ...changeAgent(before, { status: "starting", since: at }), activity: undefined };
    case "files_look_started":
      return { activity: { kind: "check", since: at, detail: "the files of the working directory" } };
    case "writes_checked": {
      const { enforced, outside, untold } = record;
      const isWrong = enforced && (outside.length > 0 || untold !== undefined);
      return { activity: undefined, ...(isWrong ? changeAgent(before, { status: "error", since: at }) : {}) };
    }
    case "check_started":
      return { activity: { kind: "check", since: at, detail: record.description } };
    case "check_finished":
      return {
        activity: undefined,
        ...(record.passed ? {} : changeAgent(before, { status: "error", since: at })),
      };
    case "step_finished": {
      const { step: number, name, outcome, reason, next } = record;
      const ended = done(before, {
        unit: "step",
        number,
        name,
        outcome,
        at,
        ...present({ reason }),
      });
      if (outcome === "fail" && next === undefined) return { ...ended, waiting: undefined };
      const following = stepLevel(next?.step ?? number + 1, before.pipeline?.steps ?? []);
      return { ...ended, ...atLevel(before, following), workers: [] };
    }
    case "task_finished": {
      const { task: number, file, outcome, reason } = record;
      const name = levelOf(before, "task")?.name ?? file;
      const ended = done(before, {
        unit: "task",
        number,
        name,
        outcome,
        at,
        ...present({ reason }),
      });
      return outcome === "fail" ? ended : { ...ended, place: [], pipeline: undefined, workers: [] };
    }
    case "warning":
      return warned(before, { at, message: record.message });
    case "run_finished": {
      const { outcome, reason, resumeCommand, usage } = record;
      return { usage, finished: { outcome, reason, at, ...present({ resumeCommand }) } };
    }
    default:
      return {};
  }
}

const NOTHING_KNOWN = { sessionId: undefined, pane: undefined, folder: undefined } as const;

function stepLevel(number: number, steps: readonly string[]) {
  const name = steps[number - 1];
  return { unit: "step", number, of: steps.length, ...present({ name }) } as const;
}

/** Changes the agent of the step under way: there is one at a time. */
function changeAgent({ workers }: Progress, change: Partial<Worker>): Pick<Progress, "workers"> {
  return { workers: workers.map((worker) => ({ ...worker, ...change })) };
}

function attemptFinished(
  before: Progress,
  { outcome, usage, usageLimit, sessionId, at }: RecordOf<"attempt_finished">,
) {
  const status = outcome === "completed" ? "completed" : usageLimit === undefined ? "error" : "limited";
  return {
    ...changeAgent(before, { status, since: at, ...present({ sessionId }) }),
    ...(outcome === "completed" ? counted(before, "responses") : {}),
    activity: undefined,
    ...ofAttempt(before, usage),
  };
}

/** What the attempt under way has used so far. */
function ofAttempt(before: Progress, usage: Usage): Change {
  const worker = stepWorker(before.pipeline?.name ?? "", levelOf(before, "step")?.name ?? "");
  return tokensCounted(before, { worker, source: ATTEMPT, usage });
}

function done(before: Progress, what: Done): Change {
  return { done: [...before.done, what] };
}
