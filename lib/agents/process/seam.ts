import type { FailureClass } from "../../base/terms.ts";
import type { AgentFact } from "../agent.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import { HumanInterventionRequiredError, type PanewrightErrorOptions } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Request } from "../../policy/request.ts";
import type { CallJudge } from "./call_judge.ts";
import type { RefuseWrite } from "./command_hooks.ts";
import type { SandboxRequest } from "../sandbox.ts";
import type { ToldCost, Usage } from "../../base/usage.ts";

/** How the agent of a step asks a person, and where its question arrives. */
export interface AskSettings {
  /** The commands that ask, as their leading words: `[["panewright", "ask"], ["cat-herder", "ask"]]`. */
  readonly commands: readonly (readonly [string, ...string[]])[];
  /** Absolute folder in which the command leaves its question; made when it is not there. */
  readonly channelFolder: string;
  /**
   * Absolute folder that gets a launcher for each of the commands; it is put first on the PATH of the agent's commands.
   */
  readonly launcherFolder: string;
  /** The argv that starts panewright for the launchers; this very executable by default. */
  readonly panewright?: readonly [string, ...string[]];
  /**
   * Absolute folder for what the CLI's hooks tell of commands: none that an agent in a sandbox can write. It is made,
   * and removed. Without it there are no such hooks.
   */
  readonly hookFolder?: string;
}

/** One attempt of a step: what an agent is started with. */
export interface AttemptRequest {
  /** Absolute path of the folder that the agent works in. */
  readonly workdir: string;
  /** Goes to standard input, which is closed after it. */
  readonly prompt: string;
  readonly model?: string;
  /** Arguments added after the provider's own. */
  readonly args?: readonly string[];
  /** Program and leading arguments, instead of the provider's own program. */
  readonly command?: readonly [string, ...string[]];
  /** Variables set for the agent, besides those that it inherits. */
  readonly env?: Readonly<Record<string, string>>;
  /** The CLI's own sandbox, switched on; missing where the agent starts as the CLI's settings say. */
  readonly sandbox?: SandboxRequest;
  /** Resumes a session of the CLI's own instead of beginning one; the prompt is then only what is new. */
  readonly resumeSessionId?: string;
  /** Absolute folder that gets `raw.ndjson`, `log.txt` and `reasoning.txt`, as they come; made when it is not there. */
  readonly stepFolder: string;
  readonly ask: AskSettings;
  /** Refuses what the CLI's tools are about to do, where it has a hook for that. @default {() => undefined} */
  readonly refuseWrite?: RefuseWrite;
  /** Decides about its calls; missing where only the CLI's own settings do. */
  readonly judge?: CallJudge;
  /** Seconds after which the agent is stopped. No limit by default. */
  readonly timeLimitSeconds?: number;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** By it the agent's processes are killed. */
  readonly onForcedExit?: OnForcedExit;
  /** Told of each fact as it becomes known. */
  readonly onProgress?: (fact: AgentFact) => void;
}

/** How an attempt ended that was not stopped by a question. */
export interface HeadlessResult {
  /** `completed`: the turn ended, without an error. Anything else is a failure. */
  readonly outcome: "completed" | "failed";
  /** What the agent said last; empty where it said nothing. */
  readonly finalText: string;
  /** Why it failed. */
  readonly error?: string;
  /** The exit code, 128 + n after a signal. */
  readonly exitCode: number;
  readonly sessionId?: string;
  /** By model. */
  readonly usage: Usage;
  /** What it has cost, where the agent tells that. */
  readonly cost?: ToldCost;
  /** Of what kind the failure is; missing where there is none. */
  readonly failure?: FailureClass;
  /** The calls that the CLI did not permit, as lines that tell about them; missing where there were none. */
  readonly denied?: readonly string[];
  /** Present where the account's limit ended the turn. */
  readonly usageLimit?: { readonly resetsAt?: Date; readonly message: string };
  /** What the agent said, ran and saw: condensed, of limited size, and empty only where nothing happened. */
  readonly attemptLog: string;
  readonly seconds: number;
  readonly timedOut: boolean;
}

/** What is known of an attempt that a question ended. */
export interface AgentAskedOptions extends PanewrightErrorOptions {
  readonly sessionId?: string;
  readonly attemptLog: string;
  readonly usage: Usage;
  readonly cost?: ToldCost;
  readonly seconds: number;
  /** The call that a person has to decide about; missing for a question of the agent's own. */
  readonly call?: Request;
}

/** The agent asked a person. Its processes are gone by the time this is thrown. */
export class AgentAskedError extends HumanInterventionRequiredError {
  override name = "AgentAskedError";
  readonly sessionId: string | undefined;
  /** As in {@linkcode HeadlessResult}. */
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
