import { ASK_CHANNEL_VARIABLE } from "../../base/ports/marks.ts";
import type { AgentEvent } from "../agent.ts";
import type { SeenAsk } from "./asking_process.ts";
import type { ProcessMark } from "../../base/ports/end_processes.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Account, Teller } from "./account.ts";
import { ATTEMPT_VARIABLE, followAsks } from "./ask_channel.ts";
import { type AskingProcesses, findAskingProcesses, followAskingProcesses } from "./asking_processes.ts";
import type { Request } from "../../policy/request.ts";
import { launchedProgram } from "./launchers.ts";
import type { AttemptRequest } from "./seam.ts";
import type { StepFiles } from "./step_files.ts";

/** How long an ask that runs, and whose text cannot be seen, waits for the command's own record. */
const OWN_RECORD_MS = 1500;

/** How long an ask whose exact text only the shell knows waits until it runs: npx alone takes 10 s on a busy machine. */
const EXACT_TEXT_MS = 30_000;

type AttemptEnd =
  | "ended"
  | "turn_over"
  | "asked"
  | "halted"
  | "unjudged"
  | "aborted"
  | "time_limit"
  | "broken";

/** The ends that come before what the agent would have come to later. */
const CUT: readonly AttemptEnd[] = ["halted", "unjudged", "aborted", "time_limit"];

export interface AgentProcesses {
  readonly ended: Promise<number>;
  readonly listPids: () => Promise<readonly number[]>;
  /** Ends all of them; it may be called at any time. */
  readonly stop: () => Promise<void>;
}

export interface AttemptParts {
  readonly account: Account;
  readonly files: StepFiles;
}

export interface AgentEnd {
  readonly end: AttemptEnd;
  readonly exitCode: number;
  readonly stderr: string;
  readonly halted?: { readonly question: string; readonly call: Request };
  /** Why what it did counts for nothing, unless it asked before. */
  readonly error?: Error;
  /** The same, unless the attempt has failed anyway. */
  readonly unproven?: Error;
}

interface WatchedWork<T extends AgentProcesses> {
  /** Starts it; the signal is aborted where the attempt is to end before that is done. */
  readonly start: (signal: AbortSignal) => Promise<T>;
  readonly follow: (agent: T) => readonly Promise<void>[];
  readonly drain?: () => void;
}

/** The exit code of an agent that was stopped before it had started. */
const NOT_STARTED_CODE = 128 + 15;

export class AttemptWatch {
  readonly mark: ProcessMark = { name: ATTEMPT_VARIABLE, value: crypto.randomUUID() };
  #isStopped = false;
  readonly #stop = Promise.withResolvers<AttemptEnd>();
  readonly #written = new AbortController();
  readonly #over = new AbortController();
  #halted: AgentEnd["halted"];

  constructor(readonly request: AttemptRequest, readonly account: Account) {}

  get written(): AbortSignal {
    return this.#written.signal;
  }

  get variables(): Readonly<Record<string, string>> {
    return { [ASK_CHANNEL_VARIABLE]: this.request.ask.channelFolder, [this.mark.name]: this.mark.value };
  }

  /** Whether the attempt is about to end: the agent must not be let do anything any more. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  stop(end: AttemptEnd): void {
    this.#isStopped = true;
    this.#stop.resolve(end);
  }

  halt(call: Request, question: string): void {
    this.#halted = { question, call };
    this.stop("halted");
  }

  take(observation: AgentEvent, teller: Teller): void {
    this.account.take(observation, teller);
    if (observation.type === "called" || observation.type === "ended") this.#stopIfAsked();
  }

  /** Does something after a time, unless the attempt is over by then, or the returned controller is aborted. */
  after(ms: number, act: () => void): AbortController {
    const cancel = new AbortController();
    this.request.clock.sleep(ms, AbortSignal.any([cancel.signal, this.#over.signal])).then(act, () => {});
    return cancel;
  }

  /** Starts an agent, and waits until it ends or is stopped: nothing of its processes is left then, and all was read. */
  async run<T extends AgentProcesses>(
    { start, follow, drain }: WatchedWork<T>,
  ): Promise<Pick<AgentEnd, "end" | "exitCode" | "halted">> {
    const { signal, timeLimitSeconds } = this.request;
    const onAbort = () => this.stop("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    if (timeLimitSeconds !== undefined) this.after(timeLimitSeconds * 1000, () => this.stop("time_limit"));
    const unstarted = new AbortController();
    let isStarted = false;
    this.#stop.promise.then(() => isStarted || unstarted.abort());
    let end: AttemptEnd = "broken";
    try {
      const agent = await start(unstarted.signal).catch((error) => {
        if (!unstarted.signal.aborted) throw error;
      });
      isStarted = true;
      if (agent === undefined) {
        end = await this.#stop.promise;
        return { end, exitCode: NOT_STARTED_CODE };
      }
      end = await this.#watch(agent, follow(agent), drain);
      return { end, exitCode: await agent.ended, ...(this.#halted === undefined ? {} : { halted: this.#halted }) };
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#over.abort();
      this.account.close({ isCut: CUT.includes(end) });
    }
  }

  async #watch(
    agent: AgentProcesses,
    listeners: readonly Promise<void>[],
    drain: (() => void) | undefined,
  ): Promise<AttemptEnd> {
    const { ask } = this.request;
    const processes = { ...ask, self: launchedProgram(ask), listPids: agent.listPids, mark: this.mark };
    const decided = new AbortController();
    const listening = Promise.all([
      ...listeners,
      this.#followAsks(),
      this.#followProcesses(processes, decided.signal),
    ]);
    // It is awaited below; until then an agent must not work without a record.
    listening.catch(() => this.stop("broken"));
    try {
      const end = await Promise.race([agent.ended.then(() => "ended" as const), this.#stop.promise]);
      decided.abort();
      try {
        // What the agent has left behind may ask, and is seen for the last time.
        const mayBeLeft = end === "ended"
          ? (await agent.listPids()).length > 0
          : end === "turn_over" || end === "time_limit";
        if (mayBeLeft) { for (const seen of await findAskingProcesses(processes)) this.#takeSeen(seen); }
      } finally {
        await agent.stop();
      }
      return end;
    } finally {
      try {
        drain?.();
      } finally {
        this.#written.abort();
        await listening;
      }
    }
  }

  async #followAsks(): Promise<void> {
    const { channelFolder } = this.request.ask;
    for await (const question of followAsks(channelFolder, { attempt: this.mark.value, signal: this.written })) {
      this.account.takeQuestion(question);
      this.#stopIfAsked();
    }
  }

  async #followProcesses(processes: AskingProcesses, signal: AbortSignal): Promise<void> {
    const { clock } = this.request;
    const mayAsk = () => this.account.mayAsk;
    const onTrouble = (error: unknown) => {
      this.take({ type: "trouble", text: `the processes cannot be looked at: ${errorText(error)}` }, "report");
    };
    for await (const seen of followAskingProcesses(processes, { mayAsk, onTrouble, clock, signal })) {
      this.#takeSeen(seen);
    }
  }

  #takeSeen(seen: SeenAsk): void {
    // One ask may be several processes, such as those of `npx`.
    if (this.account.question === undefined) this.account.takeSeen(seen);
    this.#stopIfAsked();
    if (seen.question === undefined) this.#settleAfter(OWN_RECORD_MS);
  }

  #stopIfAsked(): void {
    if (this.account.question !== undefined) this.stop("asked");
    if (this.account.awaitsText) this.#settleAfter(EXACT_TEXT_MS);
  }

  #settleAfter(ms: number): void {
    this.after(ms, () => {
      this.account.settleQuestions();
      this.#stopIfAsked();
    });
  }
}
