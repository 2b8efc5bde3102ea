import type { FailureClass } from "../../base/terms.ts";
import type { AgentFact } from "../agent.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import { HumanInterventionRequiredError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Request } from "../../policy/request.ts";
import type { AgentStart, Driver } from "../driven_agent.ts";
import type { AgentLaunch } from "../launch_plan.ts";
import type { Provider } from "../provider.ts";
import type { SpoolPlace } from "../spool.ts";
import type { CallJudge } from "./call_judge.ts";
import type { AskLaunchers } from "./cli.ts";
import type { ToldCost, Usage } from "../../base/usage.ts";

/** Why a step may not do what a tool is about to do; `undefined` where it may. */
type RefuseWrite = (request: Request) => string | undefined;

interface AskSettings extends AskLaunchers {
  readonly channelFolder: string;
  readonly panewright?: readonly [string, ...string[]];
  readonly hooks?: SpoolPlace;
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
  /** Minutes after which the agent has stalled if it tells nothing and no command of it runs. @default {never} */
  readonly stallMinutes?: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly onForcedExit?: OnForcedExit;
  readonly onProgress?: (fact: AgentFact) => void;
  /** Told what runs when its turn is over, before that is ended: it may keep some. */
  readonly onLeft?: AgentStart["onLeft"];
  readonly onProgramGone?: AgentStart["onProgramGone"];
}

/** What is known of an attempt, however it ends. */
export interface AttemptKnown {
  readonly sessionId?: string;
  /** Whether the session's conversation was made shorter. */
  readonly compacted?: true;
  readonly usage: Usage;
  readonly cost?: ToldCost;
  readonly attemptLog: string;
  readonly seconds: number;
}

export interface HeadlessResult extends AttemptKnown {
  readonly outcome: "completed" | "failed";
  readonly finalText: string;
  readonly error?: string;
  readonly exitCode: number;
  readonly failure?: FailureClass;
  readonly denied?: readonly string[];
  readonly usageLimit?: { readonly resetsAt?: Date; readonly message: string };
  readonly timedOut: boolean;
}

export interface AskedKnown extends AttemptKnown {
  readonly call?: Request;
  /** What the agent asked beside the question, at the same time. @default {[]} */
  readonly others?: readonly string[];
}

export class AgentAskedError extends HumanInterventionRequiredError {
  override name = "AgentAskedError";

  constructor(readonly question: string, readonly known: AskedKnown) {
    super(`Cannot continue without an answer: ${question}`);
  }
}
