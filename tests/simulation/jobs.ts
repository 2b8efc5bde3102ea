import { packProvider } from "../../lib/agents/packs/provider.ts";
import { replayProvider } from "../../lib/agents/replay/provider.ts";
import { ROLES } from "../../lib/base/roles.ts";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { defaultsOf } from "../../lib/base/settings.ts";
import { errorText } from "../../lib/base/text/error_text.ts";
import { executeReviewRun, resumeReviewRun } from "../../lib/jobs/review_loop/execute.ts";
import type { ReviewRunPlan } from "../../lib/jobs/review_loop/plan.ts";
import {
  POST_PROCESSING_SETTINGS,
  REVIEW_RUN_SETTINGS,
  reviewLoopSettings,
  TMUX_SETTINGS,
} from "../../lib/jobs/review_loop/settings.ts";
import { executeExec, resumeExec } from "../../lib/jobs/pipeline/execute.ts";
import type { ExecPlan } from "../../lib/jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../../lib/jobs/pipeline/settings.ts";
import type { RunFolder } from "../../lib/run/run_folder.ts";
import { DIALOG_SETTINGS } from "../../lib/turn/desk/settings.ts";
import { HANDOFF_SETTINGS } from "../../lib/turn/settings.ts";
import { createRandom } from "../support/random.ts";
import { JOB } from "../jobs/review_loop/scripted_agents.ts";
import type { Machine } from "./machine/machine.ts";
import type { Fact, NightPlan } from "./night.ts";
import { LOGIN_VARIABLE } from "./agent.ts";
import { hasOtherLogin, OTHER_LOGIN, PROJECT } from "./world.ts";

/** How a process of panewright ended. */
export interface Played {
  readonly outcome: string;
  readonly reason: string;
}

interface NightOptions {
  readonly machine: Machine;
  readonly plan: NightPlan;
  readonly signal: AbortSignal;
  readonly onFact: (fact: Fact) => void;
}

/** The tasks of a night of `panewright exec`. */
export const TASKS = [1, 2, 3] as const;

/** Whether a night does its other tasks although one failed, or waits for an answer. */
export function keepsGoing({ seed }: NightPlan): boolean {
  return seed % 2 === 0;
}

/** Whether a run waits for answers, as one without a terminal does; otherwise a question ends its process. */
function isPatient({ seed }: NightPlan): boolean {
  return seed % 4 === 1;
}

const PROVIDER = packProvider("night", {
  label: "Night",
  program: "night-agent",
  ask_mode: { id: "default", asks_before: ["execute", "edit", "delete", "move"] },
  tools: [{ kind: "execute", as: "command", subject: { from: "input", path: ["command"] } }],
  usage: [],
  resume: ["resume"],
});

const AGENT = { provider: PROVIDER, args: [], env: {} };

const PANE_AGENT = { provider: replayProvider, command: ["night-pane"], args: ["--script", "none"], env: {} } as const;

function agentOf(plan: NightPlan) {
  const agent = plan.inPanes ? PANE_AGENT : AGENT;
  if (!hasOtherLogin(plan)) return agent;
  return {
    ...agent,
    fallbacks: [{ ...agent, env: { [LOGIN_VARIABLE]: OTHER_LOGIN }, login: `night (${OTHER_LOGIN})` }],
  };
}

export async function executeNight(options: NightOptions): Promise<Played> {
  const { plan: { job } } = options;
  if (job === "run") {
    const origin = { configFile: null, cwd: PROJECT, flags: {} };
    return await played(options, (rest) => executeReviewRun(origin, { plan: reviewPlan(options), ...rest }));
  }
  const { files } = options.machine;
  files.mkdir(`${PROJECT}/tasks`, { recursive: true });
  for (const number of TASKS) files.write(`${PROJECT}/tasks/${number}.md`, `Do thing ${number}.\n`);
  const target = { kind: "folder", path: `${PROJECT}/tasks` } as const;
  return await played(
    options,
    (rest) =>
      executeExec({ target, overrides: { keepGoing: keepsGoing(options.plan) }, configFile: null }, {
        plan: execPlan(options),
        isPatient: isPatient(options.plan),
        ...rest,
      }),
  );
}

export async function resumeNight(folder: RunFolder, options: NightOptions): Promise<Played> {
  return options.plan.job === "run"
    ? await played(options, (rest) => resumeReviewRun(folder, { plan: reviewPlan(options), ...rest }))
    : await played(
      options,
      (rest) => resumeExec(folder, { plan: execPlan(options), isPatient: isPatient(options.plan), ...rest }),
    );
}

async function played(
  { machine, signal, onFact }: NightOptions,
  play: (options: {
    readonly onEvent: (fact: unknown) => void;
    readonly signal: AbortSignal;
    readonly clock: ReturnType<Machine["time"]["clock"]>;
    readonly wallClock: () => Date;
  }) => Promise<Played>,
): Promise<Played> {
  try {
    const { outcome, reason } = await play({
      ...{ signal, clock: machine.time.clock(), wallClock: () => new Date() },
      onEvent: (fact) => onFact(fact as Fact),
    });
    return { outcome, reason };
  } catch (error) {
    if (signal.aborted) return { outcome: "interrupted", reason: errorText(error) };
    const outcome = error instanceof HumanInterventionRequiredError ? "needs_human" : "error";
    return {
      outcome,
      reason: error instanceof Error && !("hint" in error) ? `${errorText(error)} ${error.stack}` : errorText(error),
    };
  }
}

function permissions(): ReviewRunPlan["permissions"] {
  return {
    ...defaultsOf(DIALOG_SETTINGS),
    policy: {
      deny: [],
      ask: [{ command: "deploy *" }],
      allow: [{ command: "panewright ask *" }],
      liftBuiltin: [],
      default: "ask",
    },
  };
}

function reviewPlan({ plan }: NightOptions): ReviewRunPlan {
  const { seed } = plan;
  const random = createRandom(seed * 101 + 7);
  return {
    ...{ workdir: PROJECT, caps: {}, job: JOB, permissions: permissions() },
    ...defaultsOf(REVIEW_RUN_SETTINGS),
    agents: Object.fromEntries(ROLES.map((role) => [role, agentOf(plan)])) as unknown as ReviewRunPlan["agents"],
    loop: reviewLoopSettings({
      maxRounds: 2,
      maxReviewCycles: 1 + random.int(2),
      minReviewCyclesBeforeApproval: 1,
      startAgent: random.pick(["analyst", "programmer", "programmer"]),
      ...(random.int(2) === 0 ? {} : { projectTestCmd: ["make", "test"] }),
    }),
    handoff: {
      ...defaultsOf(HANDOFF_SETTINGS),
      maxFileReminders: 1,
      maxErrorRetries: 8,
      pollSeconds: random.pick([2, 5, 20]),
      autoAcceptPermissions: random.int(2) === 0,
      waitForUsageLimitReset: random.int(2) === 0,
      stallMinutes: random.pick([0, 20]),
    },
    tmux: defaultsOf(TMUX_SETTINGS),
    postProcessing: defaultsOf(POST_PROCESSING_SETTINGS),
  };
}

function execPlan({ plan }: NightOptions): ExecPlan {
  const { seed } = plan;
  const random = createRandom(seed * 103 + 9);
  const step = (name: string, checks: ExecPlan["pipelines"][string][number]["checks"]) => (
    { ...agentOf(plan), name, prompt: { kind: "self" } as const, checks, retry: 1, timeLimitSeconds: 3600 }
  );
  const shell = { type: "shell", command: ["make", "test"], expect: "pass", timeLimitSeconds: 600 } as const;
  return {
    ...{ workdir: PROJECT, caps: {}, defaultPipeline: undefined, permissions: permissions() },
    pipelines: {
      main: [step("write", [{ type: "none" }]), step("check", random.int(2) === 0 ? [shell] : [{ type: "none" }])],
    },
    settings: {
      ...defaultsOf(EXEC_SETTINGS),
      waitForUsageLimitReset: random.int(2) === 0,
      resume: random.pick(["native", "replay"]),
    },
    handoff: { autoAcceptPermissions: true },
  };
}
