import type { FailureClass } from "../../base/terms.ts";
import type { AgentEvent, AgentFact, ToldCommand, TurnEnd } from "../agent.ts";
import { AskLedger } from "./ask_ledger.ts";
import type { SeenAsk } from "./asking_process.ts";
import { type AskCommands, findAsks } from "../../shell/asks/find_asks.ts";
import { AttemptLog } from "./attempt_log.ts";
import { classifyFailure, type FailureTable } from "../failure.ts";
import { readResetTime } from "../reset_time.ts";
import type { AttemptKnown, HeadlessResult } from "./seam.ts";
import { addUsage, type ToldCost, type Usage } from "../../base/usage.ts";
import { present } from "../../base/schema.ts";

interface AccountOptions {
  readonly askCommands: AskCommands;
  readonly failures?: FailureTable;
  readonly onFact: (fact: AgentFact) => void;
}

interface AccountEnd {
  readonly exitCode: number;
  readonly stderr: string;
  readonly timedOutAfterSeconds?: number;
  readonly isTurnOver: boolean;
}

/** What all that was told of an attempt comes to. It waits for nothing and starts nothing. */
export class Account {
  readonly log = new AttemptLog();
  sessionId: string | undefined;
  /** Whether its conversation was made shorter. */
  compacted: true | undefined;
  cost: ToldCost | undefined;
  readonly #ledger: AskLedger;
  #usage: Usage = {};
  #roughCost: HeadlessResult["usage"] | undefined;
  #turnEnd: TurnEnd | undefined;
  #limit: Extract<AgentEvent, { type: "limit" }> | undefined;
  #mode: string | undefined;
  #denied: readonly string[] = [];
  lastSaid = "";
  #lastTrouble: string | undefined;

  constructor(readonly options: AccountOptions) {
    this.#ledger = new AskLedger(options.askCommands.map(([program]) => program));
  }

  get question(): string | undefined {
    return this.#ledger.questions[0];
  }

  /** What it asked beside that. */
  get otherQuestions(): readonly string[] {
    return this.#ledger.others;
  }

  /** An ask of which nobody knows whether it was reached. */
  get undecidedQuestion(): string | undefined {
    return this.#ledger.undecided;
  }

  get awaitsText(): boolean {
    return this.question === undefined && this.#ledger.awaitsText;
  }

  get usage(): Usage {
    return this.#usage;
  }

  /** Whether something runs that may ask. */
  get mayAsk(): boolean {
    return this.#ledger.mayAsk;
  }

  takeSeen({ question }: SeenAsk): void {
    if (question === undefined) this.#ledger.reached();
    else this.#ledger.recorded(question, "process");
  }

  takeQuestion(question: string): void {
    this.#ledger.recorded(question);
  }

  settleQuestions(): void {
    this.#ledger.settle({ atEnd: false });
  }

  take(observation: AgentEvent): void {
    switch (observation.type) {
      case "session":
        if (this.sessionId === observation.sessionId) return;
        this.sessionId = observation.sessionId;
        return this.#tell(observation);
      case "permitted":
        if (this.#mode === observation.mode) return;
        this.#mode = observation.mode;
        return this.#tell(observation);
      case "denied":
        this.#denied = observation.calls;
        return;
      case "trouble":
        this.#lastTrouble = observation.text;
        return this.#tell(observation);
      case "said":
      case "reasoned":
      case "ran":
      case "saw":
        if (observation.type === "said") this.lastSaid = observation.text;
        return this.#tell(observation);
      case "usage":
        this.cost = observation.cost ?? this.cost;
        return this.#tell(observation);
      case "called": {
        const { source, id, commands } = observation;
        const asks = commands.flatMap(({ command, isCertain }) =>
          findAsks(command, this.options.askCommands).map((ask) => ({ ...ask, isCertain: ask.isCertain && isCertain }))
        );
        const command = commands.map((one) => commandTextOf(one)).join("\n");
        return this.#ledger.called({ source, id, asks, command });
      }
      case "ended":
        return this.#ledger.ended(observation);
      case "spent":
        this.#usage = addUsage(this.#usage, { [observation.model]: observation.tokens });
        return this.#tell({ type: "usage", usage: this.usage });
      case "cost":
        if (observation.isRough) this.#roughCost = observation.usage;
        else this.#usage = observation.usage;
        return;
      case "limit":
        this.#limit = { ...this.#limit, ...observation };
        return;
      case "limit_lifted":
        if (!observation.isSilent) this.#limit = undefined;
        return;
      case "turn_end":
        // A turn that has failed in one account of it has failed.
        if (!hasFailed(this.#turnEnd)) this.#turnEnd = { ...this.#turnEnd, ...observation };
        else if (hasFailed(observation)) this.#turnEnd = observation;
        return;
      case "compacted":
        this.compacted = true;
        return;
      case "opened":
      case "confined":
      case "turn_began":
      case "prompted":
      case "message":
      case "replied":
      case "asked":
      case "answered":
      case "changed":
        return;
      default:
        observation satisfies never;
    }
  }

  close({ isCut }: { readonly isCut: boolean }): void {
    this.#ledger.settle({ atEnd: !isCut });
    const isEmpty = () => Object.keys(this.#usage).length === 0;
    if (isEmpty() && this.#roughCost !== undefined) this.#usage = this.#roughCost;
    if (isEmpty()) return;
    this.#tell({ type: "usage", usage: this.usage, ...present({ cost: this.cost }) });
  }

  result(end: AccountEnd): Omit<HeadlessResult, keyof AttemptKnown> {
    const common = {
      finalText: this.#turnEnd?.finalText ?? this.lastSaid,
      exitCode: end.exitCode,
      timedOut: end.timedOutAfterSeconds !== undefined,
      ...(this.#denied.length === 0 ? {} : { denied: this.#denied }),
    };
    const error = this.#errorOf(end);
    if (error === undefined) return { ...common, outcome: "completed" };
    const failure = this.#classOf(error, common.timedOut);
    if (failure !== "usage_limit") return { ...common, outcome: "failed", error, failure };
    const resetsAt = this.#limit?.resetsAt ?? this.#turnEnd?.resetsAt ?? readResetTime(error, new Date());
    const usageLimit = { message: error, ...present({ resetsAt }) };
    return { ...common, outcome: "failed", error, failure, usageLimit };
  }

  #classOf(error: string, timedOut: boolean): FailureClass {
    if (this.#limit !== undefined) return "usage_limit";
    if (timedOut) return "other";
    const { code, failure, error: text = this.#lastTrouble ?? error } = hasFailed(this.#turnEnd) ? this.#turnEnd : {};
    if (failure !== undefined) return failure;
    return classifyFailure(this.options.failures ?? [], { text, ...present({ code }) });
  }

  #errorOf({ exitCode, isTurnOver, stderr, timedOutAfterSeconds }: AccountEnd): string | undefined {
    if (timedOutAfterSeconds !== undefined) return `the time limit of ${timedOutAfterSeconds} s has passed`;
    if (hasFailed(this.#turnEnd)) return this.#turnEnd.error || "the turn failed";
    if (isTurnOver || exitCode === 0) return undefined;
    const complaints = stderr.trim().split("\n");
    const why = this.#lastTrouble ?? complaints.find((line) => /^error\b/i.test(line)) ?? complaints.at(-1) ?? "";
    return `the agent exited with ${exitCode}${why === "" ? "" : `: ${why}`}`;
  }

  #tell(fact: AgentFact): void {
    // Commands that were broken off with the agent have not ended by themselves.
    const isBrokenOff = this.question !== undefined && fact.type === "saw" && fact.exitCode === undefined;
    if (!isBrokenOff) this.log.add(fact);
    this.options.onFact(fact);
  }
}

function commandTextOf({ command }: ToldCommand): string {
  return typeof command === "string" ? command : command.join(" ");
}

function hasFailed(end: TurnEnd | undefined): end is TurnEnd & { readonly outcome: "failed" | "interrupted" } {
  return end !== undefined && end.outcome !== "completed";
}
