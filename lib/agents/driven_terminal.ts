import { AgentAtWorkError, HumanInterventionRequiredError, RuntimeError } from "../base/errors.ts";
import { abortable } from "../base/ports/abortable.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { ProcessInfo } from "../base/ports/process_table.ts";
import type { AgentFact } from "./agent.ts";
import type { PendingRequest } from "./acp/pending.ts";
import type { DrivenAgent } from "./driven_agent.ts";
import type { AgentProcesses } from "./left_commands.ts";
import type { AgentFailure } from "./failure.ts";
import type { WakeSource } from "./pane/wake_source.ts";
import type { Provider } from "./provider.ts";
import { runsCommand } from "./running_commands.ts";
import { type AgentReading, readView } from "./read_view.ts";

interface DrivenTerminalParts {
  readonly agent: DrivenAgent;
  readonly hasResponse: () => boolean;
  readonly clock: Clock;
}

interface CallOptions {
  readonly signal?: AbortSignal;
}

const NEVER = new AbortController().signal;

const MAX_WORK = 2000;

/** How long an agent may take to end a turn that was cancelled. */
const CANCEL_LIMIT_MS = 5000;
const CANCEL_LOOK_MS = 50;

/** A role's terminal over an agent that has none. */
export class DrivenTerminal implements AsyncDisposable {
  readonly #agent: DrivenAgent;
  readonly #hasResponse: () => boolean;
  readonly #clock: Clock;
  readonly #listening: Disposable;
  /** How often it has told something. */
  #told = 0;
  #compactions = 0;
  /** What it has run and seen since that was taken last. */
  #work: AgentFact[] = [];
  /** Why it was ended although its process did nothing wrong. */
  #givenUp: string | undefined;

  constructor({ agent, hasResponse, clock }: DrivenTerminalParts) {
    this.#agent = agent;
    this.#hasResponse = hasResponse;
    this.#clock = clock;
    this.#listening = agent.listen((events) => {
      this.#told++;
      this.#compactions += events.filter(({ type }) => type === "compacted").length;
      const work = events.filter((event) => event.type === "ran" || event.type === "saw");
      if (work.length > 0) this.#work = [...this.#work, ...work].slice(-MAX_WORK);
    });
  }

  get via() {
    return this.#agent.driver === "acp" ? "acp" : "process";
  }

  get id(): string {
    return this.#agent.id;
  }

  get provider(): Provider {
    return this.#agent.provider;
  }

  get launchedAtMs(): number {
    return this.#agent.launchedAtMs;
  }

  get sessionId(): string | undefined {
    return this.#agent.sessionId;
  }

  get seenRules(): readonly string[] {
    return [];
  }

  get wakeSources(): readonly WakeSource[] {
    return [{
      onHint: (listener) => {
        let before = this.#phase();
        return this.#agent.listen(() => {
          const now = this.#phase();
          if (now !== before) listener("at_once");
          before = now;
        });
      },
    }];
  }

  #phase(): string {
    const { state, turns } = this.#agent.view();
    return [state, turns, ...this.#agent.pending().map(({ id }) => id)].join(" ");
  }

  status(): Promise<AgentReading> {
    try {
      this.#requireObedience();
      return Promise.resolve(readView(this.#agent.view(), {
        driver: this.#agent.driver,
        end: this.#end(),
        failure: this.#agent.failure(),
        hasResponse: this.#hasResponse,
      }));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async submit(
    text: string,
    { onStep, signal = NEVER }: CallOptions & { readonly onStep?: (step: "paste" | "enter") => void | Promise<void> } =
      {},
  ): Promise<void> {
    this.#requireObedience();
    const { state } = this.#agent.view();
    if (state === "ended") throw new RuntimeError(`Cannot send a prompt to ${this.id}: ${this.#end()}`);
    if (state === "working") throw new AgentAtWorkError(`Cannot send a prompt to ${this.id}: it is at work`);
    if (state === "waiting") {
      throw new HumanInterventionRequiredError(`Cannot send a prompt to ${this.id}: it waits for an answer`);
    }
    await onStep?.("enter");
    await this.#agent.send(text, { signal });
  }

  /** There is no composer in which a text could stand. */
  holdsText(): Promise<boolean> {
    return Promise.resolve(false);
  }

  hasDraft(): Promise<boolean> {
    return Promise.resolve(false);
  }

  lastOutput(): Promise<string> {
    return Promise.resolve(this.#agent.view().lastMessage);
  }

  describeEnd(): Promise<string | undefined> {
    return Promise.resolve(this.#end());
  }

  failure(): Promise<AgentFailure | undefined> {
    return Promise.resolve(this.#agent.failure());
  }

  usage(): Promise<ReturnType<DrivenAgent["usage"]>> {
    return Promise.resolve(this.#agent.usage());
  }

  /** What it has run and seen since the last call. */
  takeWork(): Promise<readonly AgentFact[]> {
    const work = this.#work;
    this.#work = [];
    return Promise.resolve(work);
  }

  pending(): readonly PendingRequest[] {
    return this.#agent.requests();
  }

  async cancel(): Promise<void> {
    await this.#agent.cancel();
  }

  /**
   * Makes sure that a turn is over whose response was taken: one whose end was never told is cancelled, and an agent
   * that does not end it then is ended itself.
   */
  async endTurn({ signal }: CallOptions = {}): Promise<void> {
    const isOver = () => ["idle", "ended"].includes(this.#agent.view().state);
    if (isOver()) return;
    await abortable(() => this.#agent.cancel(), signal);
    for (const startMs = this.#clock.now(); !isOver();) {
      if (this.#clock.now() - startMs >= CANCEL_LIMIT_MS) {
        this.#givenUp = "it never reported the end of its turn, not even when the turn was cancelled";
        return await this.close();
      }
      await this.#clock.sleep(CANCEL_LOOK_MS, signal);
    }
  }

  interrupt(options: CallOptions = {}): Promise<void> {
    return this.endTurn(options);
  }

  compactions(): Promise<number> {
    return Promise.resolve(this.#compactions);
  }

  async workMark(): Promise<string | undefined> {
    const runs = await runsCommand(await this.processes(), this.provider.commandVariable);
    return runs ? undefined : String(this.#told);
  }

  processes(): Promise<AgentProcesses> {
    return this.#agent.processes();
  }

  keep(processes: readonly ProcessInfo[]): void {
    this.#agent.keep(processes);
  }

  evidence(): string {
    const { state, evidence, lastMessage } = this.#agent.view();
    return [
      `state: ${state} (${evidence})`,
      ...(this.#end() === undefined ? [] : [`end: ${this.#end()}`]),
      "",
      "--- what it said last ---",
      lastMessage,
      "",
      "--- the end of its standard error ---",
      this.#agent.stderrTail(),
    ].join("\n");
  }

  async close(): Promise<void> {
    await this.#agent.stop();
    this.#listening[Symbol.dispose]();
  }

  releaseRecord(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #end(): string | undefined {
    return this.#givenUp ?? this.#agent.describeEnd();
  }

  #requireObedience(): void {
    const { state, turns } = this.#agent.view();
    const problem = this.#agent.problem() ?? (state === "idle" && turns > 0 ? this.#agent.unproven() : undefined);
    if (problem !== undefined) throw problem;
  }
}
