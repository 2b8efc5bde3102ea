import type { Clock } from "../base/ports/clock.ts";
import type { ProcessMark } from "../base/ports/end_processes.ts";
import type { ProcessInfo } from "../base/ports/process_table.ts";
import type { OnForcedExit } from "../base/ports/watchdog.ts";
import type { ToldCost } from "../base/usage.ts";
import type { AcpActivity } from "./acp/activity.ts";
import type { PendingRequest } from "./acp/pending.ts";
import type { Agent, AgentEvent } from "./agent.ts";
import type { AgentFailure } from "./failure.ts";
import type { SessionUsage } from "./pane/status_source.ts";
import type { AgentLaunch } from "./launch_plan.ts";
import type { AgentProcesses } from "./left_commands.ts";
import type { Provider } from "./provider.ts";

/** What drives an agent: its screen in a pane, its CLI without a terminal, the Agent Client Protocol. */
export const DRIVERS = ["pane", "process", "acp"] as const;

export type Driver = (typeof DRIVERS)[number];

/** Told of what an agent has told; of nothing where only its view has changed. */
export type AgentListener = (events: readonly AgentEvent[]) => void;

/** What an agent is doing, by its process and its own words. */
export interface AgentView {
  readonly state: "idle" | "working" | "waiting" | "ended";
  readonly turns: number;
  readonly lastMessage: string;
  readonly quietMs: number;
  /**
   * Whether its turn may be over although it never said so: it has been silent for a while, and nothing of it runs or
   * waits. A response that is complete may then be taken; without one it is at work.
   */
  readonly mayBeOver: boolean;
  readonly evidence: string;
}

/** An agent with what a role's terminal and a step's attempt need to know of it, whatever drives it. */
export interface DrivenAgent extends Agent {
  readonly driver: Driver;
  readonly id: string;
  readonly provider: Provider;
  /** Of the one process that it is; missing where each turn has its own. */
  readonly pid?: number;
  /** In milliseconds since the epoch. */
  readonly launchedAtMs: number;
  readonly sessionId: string | undefined;
  /** Whether it continues the session that was named; missing where that shows later. */
  readonly resumed?: boolean;
  readonly notResumedBecause?: string;
  /** The mode of its session, where it is driven by a protocol that tells it. */
  readonly mode?: string | undefined;
  /** The program of its latest turn has ended by itself, or was ended; `stop` ends what that has left. */
  readonly ended: Promise<void>;
  /** Calls back at once, for all that it tells and for each change of its view: first for what nobody has heard yet. */
  listen(listener: AgentListener): Disposable;
  view(): AgentView;
  /** What it waits for, each with its answer. */
  requests(): readonly PendingRequest[];
  /** Asks it to end its turn. */
  cancel(): Promise<void>;
  /** What it has used since it was started; `undefined` where it never tells. */
  usage(): (SessionUsage & { readonly cost?: ToldCost }) | undefined;
  failure(): AgentFailure | undefined;
  /** Why it must not work on, and was ended. */
  problem(): Error | undefined;
  /** Why nothing proves that its turn was confined as it was asked to be. */
  unproven(): Error | undefined;
  /** How its process ended, or why we have ended it, such as "killed by signal 9"; `undefined` while it may work. */
  describeEnd(): string | undefined;
  exitCode(): number | undefined;
  /** Whether its turn is over although its process still runs. */
  lingers(): boolean;
  stderrTail(): string;
  listPids(): Promise<readonly number[]>;
  /** Its processes, with those that its commands have left. */
  processes(): Promise<AgentProcesses>;
  /** Leaves these processes to somebody else: they do not end with it. */
  keep(processes: readonly ProcessInfo[]): void;
  /** Stands the commands still that these processes are a part of; they are killed with the agent's end. */
  freeze(pids: readonly number[]): Promise<void>;
}

/** What an agent is started with, whatever drives it. */
export interface AgentStart<Of extends Provider = Provider> {
  readonly provider: Of;
  readonly name: string;
  /** Whose agent it is. @default {"role"} */
  readonly worker?: "role" | "step";
  readonly launch: AgentLaunch;
  /** Variables of ours, which go before those that the agent is launched with. */
  readonly variables?: Readonly<Record<string, string>>;
  /** The id of the session that it is to continue. */
  readonly resume?: string;
  /** Its processes carry it in their environment, so that they can be found and ended later. */
  readonly mark: ProcessMark;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onActivity?: (activity: AcpActivity) => void;
  /** Told what runs when the program of a role's turn has ended by itself, before that is ended: it may keep some. */
  readonly onLeft?: (agent: Pick<DrivenAgent, "processes" | "keep">) => Promise<void>;
  /** Told of each line that it told, as it came: over its protocol, in its report, in its CLI's own log. */
  readonly onLine?: (line: string, from: "agent" | "us" | "report" | "log") => void;
  /** Told where its program is gone for a while: with this it is waited for. */
  readonly onProgramGone?: (text: string) => void;
  /** By it the agent's processes are killed. */
  readonly onForcedExit?: OnForcedExit;
}

const MAX_UNHEARD = 2000;

/** Who listens to an agent. What was told while nobody did is kept for the first. */
export class Listeners {
  readonly #listeners = new Set<AgentListener>();
  #unheard: AgentEvent[] = [];

  listen(listener: AgentListener): Disposable {
    // One function may listen twice.
    const own: AgentListener = (events) => listener(events);
    this.#listeners.add(own);
    const unheard = this.#unheard;
    this.#unheard = [];
    if (unheard.length > 0) own(unheard);
    return { [Symbol.dispose]: () => void this.#listeners.delete(own) };
  }

  tell(events: readonly AgentEvent[]): void {
    if (this.#listeners.size === 0) this.#unheard = [...this.#unheard, ...events].slice(-MAX_UNHEARD);
    for (const listener of this.#listeners) listener(events);
  }

  /** What is told from now on, until the agent has ended or the signal is aborted. */
  events({ ended, signal }: { readonly ended: Promise<void>; readonly signal?: AbortSignal | undefined }) {
    const stack = new DisposableStack();
    return new ReadableStream<AgentEvent>({
      start: (controller) => {
        const close = () => {
          if (stack.disposed) return;
          stack.dispose();
          controller.close();
        };
        stack.use(this.listen((events) => events.forEach((event) => controller.enqueue(event))));
        ended.then(close);
        signal?.addEventListener("abort", close, { once: true });
        if (signal?.aborted) close();
      },
      cancel: () => stack.dispose(),
    });
  }
}

/** How a program ended, by its exit code. */
export function exitWords(code: number): string {
  return code > 128 ? `killed by signal ${code - 128}` : `exit code ${code}`;
}
