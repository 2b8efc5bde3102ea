import type { CallSource } from "../agent.ts";
import type { FoundAsk } from "../../shell/asks/find_asks.ts";

type AskSource = CallSource | "command" | "process";

export interface AskingCall {
  readonly source: CallSource;
  readonly id: string;
  readonly asks: readonly FoundAsk[];
  readonly command: string;
}

interface AskingCallEnd {
  readonly source: CallSource;
  readonly id: string;
  /** `undefined` while it still runs, and where it is not told. */
  readonly exitCode: number | undefined;
  readonly output: string;
}

/** What `panewright ask` prints while it waits: in a command's output, it proves that the ask was reached. */
export const WAITING_LINE = "panewright: waiting for a person's answer";

/** What its launcher prints before it starts it: that may fail, where Deno has gone or a sandbox forbids it. */
export const ASKING_LINE = "panewright: asking a person";

/**
 * The line that `panewright ask` prints while it waits, with its question: where a sandbox keeps it from recording
 * that, this is the only exact text.
 */
export function waitingLine(question: string): string {
  return `${WAITING_LINE} to ${JSON.stringify(question)}`;
}

/** A shell's exit codes for a program that cannot be started, such as a launcher that is not on its PATH. */
const NOT_STARTED_CODES = new Set([126, 127]);

interface PendingAsk extends FoundAsk {
  readonly source: AskSource;
  readonly id: string;
  readonly key: string;
}

function certain({ comesLater: _, ...ask }: PendingAsk): PendingAsk {
  return { ...ask, isCertain: true };
}

/**
 * Merges what several sources report of the agent's asks, so that each ask counts once.
 *
 * An ask that is exact, certain and the first thing that its command does counts at once. One whose text only the shell
 * knows, or that comes after other commands, waits: for the command's own record, or for the end of the command that it
 * is a part of.
 */
export class AskLedger {
  readonly #seen = new Map<AskSource, Map<string, number>>();
  readonly #counted = new Map<string, number>();
  readonly #questions: string[] = [];
  /** Those whose text is the person's to read as it stands. */
  readonly #exact = new Set<string>();
  readonly #told = new Map<string, number>();
  readonly #unreached = new Set<string>();
  #pending: PendingAsk[] = [];
  /** Commands that have not ended and name none of the programs, by source and id: what they run may ask. */
  readonly #silent = new Map<string, string>();
  readonly #open = new Set<string>();
  readonly #programs: readonly string[];

  constructor(programs: readonly string[]) {
    this.#programs = [...new Set(programs)];
  }

  get questions(): readonly string[] {
    return this.#questions;
  }

  /**
   * What was asked beside the first: by commands that run at the same time, or by other calls of the same reply. An ask
   * whose text only a shell knows may be told twice, in other words: then only the first counts.
   */
  get others(): readonly string[] {
    const [first, ...others] = this.#questions;
    if (first === undefined || !this.#exact.has(first)) return [];
    return [...new Set(others)].filter((one) => one !== first && this.#exact.has(one));
  }

  get awaitsText(): boolean {
    return this.#pending.some(({ isCertain, comesLater }) => isCertain && !comesLater);
  }

  /**
   * The first ask of which nobody knows whether it was reached: its command has not ended, or runs in the background.
   */
  get undecided(): string | undefined {
    return this.#pending.find(({ key }) => !this.#unreached.has(key))?.question;
  }

  /** Whether something runs that may ask, and perhaps no log will tell. */
  get mayAsk(): boolean {
    return this.#questions.length === 0 && (this.#open.size > 0 || this.#pending.length > 0);
  }

  called(call: AskingCall): void {
    if (call.source === "call") this.#open.add(call.id);
    if (!this.#programs.some((program) => call.command.includes(program))) {
      this.#silent.set(`${call.source} ${call.id}`, call.command);
    }
    for (const ask of call.asks) {
      const key = this.#keyOf(call.source, ask.question);
      if (ask.isExact) this.#exact.add(ask.question);
      if (ask.isCertain && ask.isExact && !ask.comesLater) this.#count(call.source, ask.question);
      else this.#pending.push({ ...ask, source: call.source, id: call.id, key });
    }
  }

  ended(end: AskingCallEnd): void {
    const { source, id, exitCode, output } = end;
    if (source === "call" && exitCode !== undefined) this.#open.delete(id);
    this.#endedSilently(end);
    const own = this.#pending.filter((ask) => ask.source === source && ask.id === id);
    if (own.length === 0) return;
    const isReached = output.includes(WAITING_LINE) || output.includes(ASKING_LINE) || this.#couldNotStart(output) ||
      NOT_STARTED_CODES.has(exitCode ?? 0);
    if (exitCode === undefined && !isReached) return;
    const told = waitingQuestion(output);
    for (const ask of own) {
      // An ask waits until it is stopped: a command that went on behind it has not reached it, if it would show that.
      if (!(isReached || ask.isCertain || ask.failsSilently)) {
        if (ask.inBackground) continue;
        this.#unreached.add(ask.key);
      } else if (exitCode === undefined && told === undefined && !ask.isExact) {
        // It has begun to ask, and has yet to say what: the process itself is seen soon.
        this.#pending = this.#pending.map((one) => one === ask ? certain(one) : one);
        continue;
      } else this.#count(source, ask.isExact ? ask.question : told ?? ask.question);
      this.#pending = this.#pending.filter((one) => one !== ask);
    }
  }

  /** A script that does not find the program asks a question that nobody knows. */
  #endedSilently({ source, id, exitCode, output }: AskingCallEnd): void {
    const key = `${source} ${id}`;
    const command = this.#silent.get(key);
    if (command === undefined || exitCode === undefined) return;
    this.#silent.delete(key);
    if (!NOT_STARTED_CODES.has(exitCode) || !this.#couldNotStart(output)) return;
    this.#count(source, unknownQuestion(command));
  }

  recorded(question: string, source: "command" | "process" = "command"): void {
    const same = this.#pending.find((ask) => ask.question === question) ??
      this.#pending.find(({ isExact }) => !isExact);
    this.#pending = this.#pending.filter((ask) => ask !== same);
    this.#exact.add(question);
    this.#count(source, question);
  }

  /**
   * A process was seen to run that asks what it reads: its text may still be told, and is taken as written otherwise.
   */
  reached(): void {
    if (this.#questions.length > 0) return;
    const [command = "a command"] = [...this.#silent.values()].slice(-1);
    const asks: readonly PendingAsk[] = this.#pending.length > 0 ? this.#pending : [
      { source: "process", id: "", key: "", question: unknownQuestion(command), isExact: false, isCertain: true },
    ];
    this.#pending = asks.map(certain);
  }

  settle({ atEnd }: { readonly atEnd: boolean }): void {
    // What runs in the background has not waited for the ask before it.
    const isBeside = ({ inBackground }: PendingAsk) => inBackground === true && this.#questions.length > 0;
    const counts = (ask: PendingAsk) => ask.isCertain && (atEnd || !ask.comesLater || isBeside(ask));
    for (const ask of this.#pending) if (counts(ask)) this.#count(ask.source, ask.question);
    this.#pending = this.#pending.filter((ask) => !counts(ask));
  }

  /** Whether a shell says in a command's output that it cannot start one of the programs. */
  #couldNotStart(output: string): boolean {
    return this.#programs.some((program) => {
      const name = program.replaceAll(/[^\w-]/g, "\\$&");
      // The words are those of the person's language; a shell names itself before it.
      const byShell = `^\\S*sh: (?:[^:\\n]*\\d+: )?(?:\\S*/)?${name}: `;
      const byOther = `(?<![\\w-])${name}['\u2019]?: (?:command not found|not found|No such file|Permission denied)`;
      return new RegExp(`${byShell}|${byOther}|command not found: (?:\\S*/)?${name}$`, "im").test(output);
    });
  }

  #keyOf(source: AskSource, question: string): string {
    const times = (this.#told.get(`${source} ${question}`) ?? 0) + 1;
    this.#told.set(`${source} ${question}`, times);
    return `${times} ${question}`;
  }

  #count(source: AskSource, question: string): void {
    const counts = this.#seen.get(source) ?? new Map<string, number>();
    this.#seen.set(source, counts);
    const times = (counts.get(question) ?? 0) + 1;
    counts.set(question, times);
    if (times <= (this.#counted.get(question) ?? 0)) return;
    this.#counted.set(question, times);
    this.#questions.push(question);
  }
}

function unknownQuestion(command: string): string {
  return `A command wanted to ask, and its question is not known: ${command}`;
}

function waitingQuestion(output: string): string | undefined {
  const at = output.lastIndexOf(`${WAITING_LINE} to "`);
  if (at === -1) return undefined;
  const [line = ""] = output.slice(at + WAITING_LINE.length + " to ".length).split("\n", 1);
  try {
    const question: unknown = JSON.parse(line);
    return typeof question === "string" ? question : undefined;
  } catch {
    // It was cut.
    return undefined;
  }
}
