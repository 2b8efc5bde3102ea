import type { FailureClass } from "../../base/terms.ts";
import type { AgentFact } from "../agent.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import { HumanInterventionRequiredError, type PanewrightErrorOptions } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Request } from "../../policy/request.ts";
import type { Driver } from "../driven_agent.ts";
import type { AgentLaunch } from "../launch_plan.ts";
import type { Provider } from "../provider.ts";
import type { CallJudge } from "./call_judge.ts";
import type { AskLaunchers } from "./cli.ts";
import type { ToldCost, Usage } from "../../base/usage.ts";

/** Why a step may not do what a tool is about to do; `undefined` where it may. */
type RefuseWrite = (request: Request) => string | undefined;

interface AskSettings extends AskLaunchers {
  readonly channelFolder: string;
  readonly panewright?: readonly [string, ...string[]];
  readonly hookFolder?: string;
}

export interface AttemptRequest extends AgentLaunch {
  readonly provider: Provider;
  /** What drives the agent. @default what its provider offers for a step */
  readonly driver?: Driver;
  readonly prompt: string;
  /** Resumes a session of the CLI's own instead of beginning one; the prompt is then only what is new. */
  readonly resumeSessionId?: string;
  /** Absolute folder that gets `raw.ndjson`, `log.txt` and `reasoning.txt`, as they come; made when it is not there. */
  readonly stepFolder: string;
  readonly ask: AskSettings;
  readonly refuseWrite?: RefuseWrite;
  readonly judge?: CallJudge;
  /** Seconds after which the agent is stopped. No limit by default. */
  readonly timeLimitSeconds?: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onForcedExit?: OnForcedExit;
  readonly onProgress?: (fact: AgentFact) => void;
}

export interface HeadlessResult {
  readonly outcome: "completed" | "failed";
  readonly finalText: string;
  readonly error?: string;
  readonly exitCode: number;
  readonly sessionId?: string;
  readonly usage: Usage;
  readonly cost?: ToldCost;
  readonly failure?: FailureClass;
  readonly denied?: readonly string[];
  readonly usageLimit?: { readonly resetsAt?: Date; readonly message: string };
  readonly attemptLog: string;
  readonly seconds: number;
  readonly timedOut: boolean;
}

interface AgentAskedOptions extends PanewrightErrorOptions {
  readonly sessionId?: string;
  readonly attemptLog: string;
  readonly usage: Usage;
  readonly cost?: ToldCost;
  readonly seconds: number;
  readonly call?: Request;
}

export class AgentAskedError extends HumanInterventionRequiredError {
  override name = "AgentAskedError";
  readonly sessionId: string | undefined;
  readonly attemptLog: string;
  readonly usage: Usage;
  readonly cost: ToldCost | undefined;
  readonly seconds: number;
  readonly call: Request | undefined;

  constructor(readonly question: string, options: AgentAskedOptions) {
    super(`Cannot continue without an answer: ${question}`, options);
    this.sessionId = options.sessionId;
    this.attemptLog = options.attemptLog;
    this.usage = options.usage;
    this.cost = options.cost;
    this.seconds = options.seconds;
    this.call = options.call;
  }
}
