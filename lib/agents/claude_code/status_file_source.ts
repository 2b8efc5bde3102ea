import type { AgentFact } from "../agent.ts";
import { isFile } from "../../base/ports/files.ts";
import {
  findProcess,
  listInnerPids,
  listProcesses,
  type ProcessInfo,
  processTree,
} from "../../base/ports/process_table.ts";
import type { Request } from "../../policy/request.ts";
import type { LogState } from "../log_state.ts";
import { LookupPace } from "../pane/lookup_pace.ts";
import { SessionLog } from "../session_log.ts";
import {
  ageOf,
  type RecordedFailure,
  type SessionUsage,
  type StatusReport,
  type StatusSource,
  type StatusSourceContext,
} from "../pane/status_source.ts";
import { createClaudeReader } from "./reader.ts";
import { type ClaudeStatus, parseClaudeStatus } from "./status_file.ts";
import { findTranscript, transcriptTokens } from "./transcript_files.ts";

/** How long a process counts as alive after a look at it: a file outlives an agent that was killed. */
const ALIVE_MS = 10_000;

/** The transcript is written up to 100 ms later than the status (2.1.328). */
const TRANSCRIPT_LAG_MS = 1000;

const FORM = {
  createReader() {
    const reader = createClaudeReader();
    return (line: string) => reader.readLog(line);
  },
  tokens: transcriptTokens,
};

/**
 * The file that Claude Code keeps about each of its processes, as a source of its status (2.1.156 and later). It is
 * there from the composer on, not while a dialog stops the start.
 *
 * It is found by the pane's processes, and belongs to the very process that has this start time, and knows itself by this
 * id: in a sandbox that is another one than outside.
 */
export function openClaudeStatusFile(context: StatusSourceContext): StatusSource {
  return new ClaudeStatusFile(context);
}

class ClaudeStatusFile implements StatusSource {
  readonly name = "status file";
  readonly #folder: string;
  readonly #pace: LookupPace;
  #process: ProcessInfo | undefined;
  /** The id by which it knows itself. */
  #ownPid = 0;
  #aliveMs = 0;
  #last: ClaudeStatus | undefined;
  #transcript: { readonly sessionId: string; readonly log: SessionLog } | undefined;
  #sinceMs = 0;
  #newsMs = 0;
  /** When the last prompt was submitted, in milliseconds since the epoch. */
  #promptedAt = -Infinity;

  constructor(readonly context: StatusSourceContext) {
    const { env } = context;
    this.#folder = env["CLAUDE_CONFIG_DIR"] ?? `${env["HOME"] ?? ""}/.claude`;
    this.#pace = new LookupPace(context.clock);
    // It is there as soon as the agent is ready, before the first prompt.
    this.#pace.want();
  }

  async read(): Promise<StatusReport | undefined> {
    if (this.#process === undefined && this.#pace.take()) await this.#lookUp();
    const status = await this.#readStatus();
    if (status?.reported === undefined) return undefined;
    const { reported, words, sessionId } = status;
    const failedMs = reported.state === "at_rest" ? await this.#failedMs(status) : undefined;
    return {
      ...(failedMs === undefined ? reported : { state: "at_rest", outcome: "error" }),
      sinceMs: Math.max(this.#sinceMs, failedMs ?? -Infinity),
      newsMs: this.#newsMs,
      evidence: `${words} in session ${sessionId}`,
    };
  }

  get sessionId(): string | undefined {
    return this.#last?.sessionId;
  }

  expectPrompt(): void {
    this.#promptedAt = Date.now();
    if (this.#process === undefined) this.#pace.want();
  }

  doubt(): void {
    this.#aliveMs = -Infinity;
    if (this.#process === undefined) this.#pace.want();
  }

  async lastAnswer(): Promise<string | undefined> {
    const told = await this.#settle(({ turn }) => turn?.state === "at_rest");
    return told?.answer?.trim();
  }

  async lastFailure(): Promise<RecordedFailure | undefined> {
    const { failure, beganAt = NaN } = await this.#settle(({ failure }) => failure !== undefined) ?? {};
    // A refusal may come so soon that the status file never says `busy` (2.1.328): the transcript has the turn.
    return failure && { ...failure, endsTurn: failure.writtenAt >= beganAt, evidence: "API error in its transcript" };
  }

  async pendingRequests(): Promise<readonly Request[]> {
    return (await this.#readLog())?.calls ?? [];
  }

  async questionAnswers(callId: string): Promise<Readonly<Record<string, string>> | undefined> {
    return (await this.#readLog())?.answers[callId];
  }

  async compactions(): Promise<number> {
    return (await this.#readLog())?.compactions ?? 0;
  }

  async usage(): Promise<SessionUsage | undefined> {
    // An agent that is gone has used what it has used.
    if (this.#last !== undefined && !await this.#openTranscript(this.#last)) return undefined;
    return await this.#transcript?.log.usage(this.#transcript.sessionId);
  }

  async takeWork(): Promise<readonly AgentFact[]> {
    await this.#readLog();
    return this.#transcript?.log.takeWork() ?? [];
  }

  [Symbol.dispose](): void {
    this.#transcript?.log[Symbol.dispose]();
    this.#pace.rest();
    this.#process = undefined;
  }

  async #lookUp(): Promise<void> {
    const tree = processTree(await listProcesses().catch(() => []), this.context.pane.pid);
    const inner = await listInnerPids(tree.map(({ pid }) => pid)).catch(() => new Map<number, number>());
    for (const one of tree) {
      const pid = inner.get(one.pid) ?? one.pid;
      const status = await readStatusFile(this.#pathFor(pid));
      if (status === undefined || !isOf(status, { ...one, pid })) continue;
      this.#process = one;
      this.#ownPid = pid;
      this.#aliveMs = this.context.clock.now();
      this.#pace.rest();
      return;
    }
  }

  async #readStatus(): Promise<ClaudeStatus | undefined> {
    const process = this.#process;
    if (process === undefined) return undefined;
    const pid = this.#ownPid;
    const status = await readStatusFile(this.#pathFor(pid));
    if (status !== undefined && isOf(status, { ...process, pid })) this.#note(status);
    // Half a file is one that is being written: what it said before still holds.
    else if (status !== undefined || !await isFile(this.#pathFor(pid))) return this.#lose();
    return await this.#isAlive(process) ? this.#last : this.#lose();
  }

  /**
   * When its turn has ended with an error: the file does not say so, nor that it worked where it was refused at once, and
   * the screen may draw it as an answer. One that was written before this process began to rest is of another turn, or of
   * another process.
   */
  async #failedMs({ statusSince }: ClaudeStatus): Promise<number | undefined> {
    const { failure, turn, beganAt = NaN } = await this.#readLog() ?? {};
    if (failure === undefined || turn?.state !== "at_rest" || turn.outcome !== "error") return undefined;
    const { writtenAt } = failure;
    const isOfTurn = writtenAt >= this.#promptedAt && writtenAt >= statusSince - TRANSCRIPT_LAG_MS;
    return isOfTurn && !(writtenAt < beganAt) ? this.context.clock.now() - ageOf(writtenAt) : undefined;
  }

  #note(status: ClaudeStatus): void {
    const before = this.#last;
    const nowMs = this.context.clock.now();
    this.#last = status;
    if (before?.words !== status.words || before.statusSince !== status.statusSince) {
      this.#sinceMs = nowMs - ageOf(status.statusSince);
      this.#newsMs = nowMs;
    } else if (before.updatedAt !== status.updatedAt) this.#newsMs = nowMs;
  }

  async #isAlive({ pid, startTime }: ProcessInfo): Promise<boolean> {
    const nowMs = this.context.clock.now();
    if (nowMs - this.#aliveMs < ALIVE_MS) return true;
    this.#aliveMs = nowMs;
    return await findProcess(pid).then((now) => now?.startTime === startTime, () => true);
  }

  #lose(): undefined {
    this.#process = undefined;
    this.#last = undefined;
    this.#pace.want();
    return undefined;
  }

  /** What the transcript tells of the turn of the last prompt, once it is settled there or had the time to be. */
  async #settle(isSettled: (state: LogState) => boolean): Promise<LogState | undefined> {
    for (const start = this.context.clock.now();;) {
      if (this.#last === undefined) return undefined;
      // The transcript of a session may come after the end of its first turn.
      const state = await this.#readLog();
      const isCurrent = state !== undefined && !(state.beganAt < this.#promptedAt);
      if (isCurrent && isSettled(state)) return state;
      if (this.context.clock.now() - start >= TRANSCRIPT_LAG_MS) return isCurrent ? state : undefined;
      await this.context.clock.sleep(50);
    }
  }

  async #readLog(): Promise<LogState | undefined> {
    if (this.#last === undefined || !await this.#openTranscript(this.#last)) return undefined;
    await this.#transcript?.log.read();
    return this.#transcript?.log.state;
  }

  async #openTranscript(status: ClaudeStatus): Promise<boolean> {
    const { sessionId } = status;
    if (sessionId === this.#transcript?.sessionId) return true;
    const path = await findTranscript(this.#folder, status);
    if (path === undefined) return false;
    // Another call may have been faster.
    if (sessionId === this.#transcript?.sessionId) return true;
    this.#transcript?.log[Symbol.dispose]();
    this.#transcript = { sessionId, log: new SessionLog(path, FORM) };
    return true;
  }

  #pathFor(pid: number): string {
    return `${this.#folder}/sessions/${pid}.json`;
  }
}

function isOf({ pid, procStart }: ClaudeStatus, process: ProcessInfo): boolean {
  if (pid !== process.pid) return false;
  return Deno.build.os !== "linux" || procStart === undefined || procStart === process.startTime;
}

async function readStatusFile(path: string): Promise<ClaudeStatus | undefined> {
  return parseClaudeStatus(await Deno.readTextFile(path).catch(() => ""));
}
