import type { ExecOverrides } from "../../../lib/journal/exec/fields.ts";
import type { ModelAnswers } from "../../../lib/base/terms.ts";
import { DEFAULT_PERMISSION_POLICY, type PermissionPolicy } from "../../../lib/policy/mod.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import { AgentAskedError, type AttemptRequest, type HeadlessResult } from "../../../lib/agents/process/seam.ts";
import type { TokenUsage } from "../../../lib/base/usage.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import type { ExecEvent } from "../../../lib/journal/exec/facts.ts";
import { type ExecOptions, type ExecReport, executeExec, resumeExec } from "../../../lib/jobs/pipeline/execute.ts";
import type { ExecPlan, StepPlan } from "../../../lib/jobs/pipeline/plan.ts";
import { EXEC_SETTINGS, type ExecSettings } from "../../../lib/jobs/pipeline/settings.ts";
import { defaultsOf } from "../../../lib/base/settings.ts";
import type { TempDir } from "../../support/temp_dir.ts";

/** What an agent does in one attempt. */
export type Act = (request: AttemptRequest) => HeadlessResult | Promise<HeadlessResult>;

/** Agents that play one act an attempt, in the order of the attempts. */
export interface Cast {
  readonly requests: AttemptRequest[];
  readonly runHeadless: (request: AttemptRequest) => Promise<HeadlessResult>;
}

/** Tokens of one attempt of a scripted agent. */
export const TOKENS: Readonly<Record<string, TokenUsage>> = {
  "test-model": { inputTokens: 100, cachedInputTokens: 10, outputTokens: 5 },
};

export function cast(...acts: readonly Act[]): Cast {
  const requests: AttemptRequest[] = [];
  return {
    requests,
    async runHeadless(request) {
      const act = acts[requests.length];
      requests.push(request);
      if (act === undefined) throw new Error(`There is no act for attempt ${requests.length}`);
      request.onProgress?.({ type: "session", sessionId: `session-${requests.length}` });
      return await act(request);
    },
  };
}

/** The turn ends well. */
export function says(finalText = "done"): Act {
  return () => result({ finalText, attemptLog: `said: ${finalText}` });
}

/** The turn ends in an error. */
export function fails(error: string, more: Partial<HeadlessResult> = {}): Act {
  return () => result({ outcome: "failed", error, exitCode: 1, ...more });
}

/** The agent asks, after it has done what its log says. */
export function asks(
  question: string,
  more: { readonly log?: string; readonly sessionId?: string; readonly others?: readonly string[] } = {},
): Act {
  return () =>
    Promise.reject(
      new AgentAskedError(question, {
        sessionId: more.sessionId ?? "session-of-the-question",
        attemptLog: more.log ?? "$ ls",
        usage: TOKENS,
        seconds: 1,
        others: more.others ?? [],
      }),
    );
}

function result(more: Partial<HeadlessResult>): HeadlessResult {
  return {
    outcome: "completed",
    finalText: "",
    exitCode: 0,
    usage: TOKENS,
    attemptLog: "",
    seconds: 1,
    timedOut: false,
    ...more,
  };
}

/** A step for tests: the task itself, without a check. */
export function step(name: string, more: Partial<StepPlan> = {}): StepPlan {
  return {
    name,
    prompt: { kind: "self" },
    provider: codexProvider,
    args: [],
    env: {},
    checks: [{ type: "none" }],
    retry: 0,
    timeLimitSeconds: 60,
    ...more,
  };
}

/** What a test's run differs in. */
export interface RunOptions extends Partial<Omit<ExecOptions, "plan">> {
  readonly settings?: Partial<ExecSettings>;
  readonly caps?: ExecPlan["caps"];
  readonly askPolicy?: NonNullable<ExecPlan["askPolicy"]>;
  readonly noProgress?: ExecPlan["noProgress"];
  readonly prices?: NonNullable<ExecPlan["prices"]>;
  readonly overrides?: ExecOverrides;
  readonly pipelines?: ExecPlan["pipelines"];
  readonly defaultPipeline?: string;
  /** @default {permitting({})} */
  readonly permitted?: ReturnType<typeof permitting>;
  /** The task's file, or a folder that ends with a slash; relative to the directory. @default {"task.md"} */
  readonly task?: string;
  /** The task's text, where it is in no file. */
  readonly text?: string;
  /** Told each event at once, also of a run that rejects. */
  readonly onFact?: (event: ExecEvent) => void;
}

/** How a test's run ended, and what it told. */
export interface Ended {
  readonly report: ExecReport;
  readonly events: readonly ExecEvent[];
}

/** Executes a run in a directory. */
export async function runIn(
  dir: TempDir,
  steps: readonly StepPlan[],
  options: RunOptions & Pick<Cast, "runHeadless">,
): Promise<Ended> {
  const task = options.task ?? "task.md";
  const target = task.endsWith("/") ? { kind: "folder", path: `${dir.path}/${task.slice(0, -1)}` } as const : {
    kind: "task",
    path: `${dir.path}/${task}`,
    ...(options.text === undefined ? {} : { text: options.text }),
  } as const;
  return await collect(
    dir,
    steps,
    options,
    (all) => executeExec({ target, overrides: options.overrides ?? {}, configFile: null }, all),
  );
}

/** Goes on with a run of a directory. */
export async function resumeIn(
  dir: TempDir,
  steps: readonly StepPlan[],
  options: RunOptions & Pick<Cast, "runHeadless"> & { readonly run: string },
): Promise<Ended> {
  return await collect(dir, steps, options, (all) => resumeExec(runFolderAt(dir.path, options.run), all));
}

async function collect(
  dir: TempDir,
  steps: readonly StepPlan[],
  options: RunOptions & Pick<Cast, "runHeadless">,
  execute: (options: ExecOptions) => Promise<ExecReport>,
): Promise<Ended> {
  const {
    caps = {},
    askPolicy,
    noProgress = {},
    prices,
    settings,
    permitted = permitting({}),
    overrides: _,
    pipelines,
    defaultPipeline,
    task: __,
    onFact,
    ...rest
  } = options;
  const events: ExecEvent[] = [];
  const plan: ExecPlan = {
    workdir: dir.path,
    pipelines: pipelines ?? { main: steps },
    defaultPipeline,
    settings: { ...defaultsOf(EXEC_SETTINGS), ...settings },
    ...permitted,
    caps,
    noProgress,
    ...(askPolicy === undefined ? {} : { askPolicy }),
    ...(prices === undefined ? {} : { prices }),
  };
  const onEvent = (event: ExecEvent) => {
    events.push(event);
    onFact?.(event);
  };
  const report = await execute({ ...rest, plan, onEvent });
  return { report, events };
}

/** What a plan says of permissions: the policy decides. */
export function permitting(
  policy: Partial<PermissionPolicy>,
  { autoAccept = true, dryRun = false, modelAnswers = "questions" }: {
    readonly autoAccept?: boolean;
    readonly dryRun?: boolean;
    readonly modelAnswers?: ModelAnswers;
  } = {},
): Pick<ExecPlan, "handoff" | "permissions"> {
  return {
    handoff: { autoAcceptPermissions: autoAccept },
    permissions: {
      policy: { ...DEFAULT_PERMISSION_POLICY, ...policy },
      dryRun,
      modelAnswers,
      acceptTypedInput: false,
      answersFrom: "person",
      dialogTimeoutSeconds: 600,
      hookTrial: "required",
    },
  };
}

/** The events of one type. */
export function only<T extends ExecEvent["type"]>(
  events: readonly ExecEvent[],
  type: T,
): Extract<ExecEvent, { type: T }>[] {
  return events.filter((event) => event.type === type) as Extract<ExecEvent, { type: T }>[];
}
