import type { AgentFact } from "../agent.ts";
import { isFile } from "../../base/ports/files.ts";
import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import { findProcess, listProcesses, type ProcessInfo, processTree } from "../../base/ports/process_table.ts";
import type { Request } from "../../policy/request.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import { LookupPace } from "../pane/lookup_pace.ts";
import { openWorkRecord } from "../pane/work_record.ts";
import { SessionTokens } from "../pane/session_tokens.ts";
import type {
  RecordedFailure,
  SessionUsage,
  StatusReport,
  StatusSource,
  StatusSourceContext,
} from "../pane/status_source.ts";
import { createClaudeReader, createTranscriptReader } from "./reader.ts";
import { type ClaudeStatus, parseClaudeStatus } from "./status_file.ts";
import { findTranscript, listTranscripts } from "./transcript_files.ts";
import { type ClaudeLogState, EMPTY_CLAUDE_LOG, foldClaudeLog, lastAnswerIn } from "./log_view.ts";

/** How long a process counts as alive after a look at it: a file outlives an agent that was killed. */
const ALIVE_MS = 10_000;

/** The transcript is written up to 100 ms later than the status (2.1.328). */
const TRANSCRIPT_LAG_MS = 1000;

interface ClaudeStatusFileOptions {
  readonly processRunner?: ProcessRunner;
}

/**
 * The file that Claude Code keeps about each of its processes, as a source of its status (2.1.156 and later). It is
 * there from the composer on, not while a dialog stops the start.
 *
 * It is found by the pane's processes, and belongs to the very process that has this id and start time.
 */
export function openClaudeStatusFile(
  context: StatusSourceContext,
  options: ClaudeStatusFileOptions = {},
): StatusSource {
  return new ClaudeStatusFile(context, options.processRunner ?? systemProcessRunner);
}

class ClaudeStatusFile implements StatusSource {
  readonly name = "status file";
  readonly #folder: string;
  readonly #pace: LookupPace;
  #process: ProcessInfo | undefined;
  #aliveMs = 0;
  #last: ClaudeStatus | undefined;
  #tokens: { readonly sessionId: string; readonly count: SessionTokens } | undefined;
  #log: Transcript | undefined;
  #lastRead: Promise<unknown> = Promise.resolve();
  #sinceMs = 0;
  #newsMs = 0;
  /** When the last prompt was submitted, in milliseconds since the epoch. */
  #promptedAt = -Infinity;

  constructor(readonly context: StatusSourceContext, readonly runner: ProcessRunner) {
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
    return {
      ...reported,
      sinceMs: this.#sinceMs,
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
    for (const start = this.context.clock.now();;) {
      const turn = await this.#transcript();
      if (turn === undefined) return undefined;
      const isCurrent = (turn.promptedAt ?? Infinity) >= this.#promptedAt;
      if (isCurrent && turn.ended) return lastAnswerIn(turn);
      if (this.context.clock.now() - start >= TRANSCRIPT_LAG_MS) return isCurrent ? lastAnswerIn(turn) : undefined;
      await this.context.clock.sleep(50);
    }
  }

  async lastFailure(): Promise<RecordedFailure | undefined> {
    for (const start = this.context.clock.now();;) {
      const turn = await this.#transcript();
      if (turn === undefined) return undefined;
      const { failure, promptedAt } = turn;
      if (failure !== undefined && (promptedAt ?? Infinity) >= this.#promptedAt) {
        // A refusal may come so soon that the status file never says `busy` (2.1.328): the transcript has the turn.
        const endsTurn = promptedAt !== undefined && failure.writtenAt >= promptedAt;
        return { ...failure, endsTurn, evidence: "API error in its transcript" };
      }
      if (this.context.clock.now() - start >= TRANSCRIPT_LAG_MS) return undefined;
      await this.context.clock.sleep(50);
    }
  }

  async pendingRequests(): Promise<readonly Request[]> {
    return (await this.#transcript())?.calls ?? [];
  }

  async questionAnswers(callId: string): Promise<Readonly<Record<string, string>> | undefined> {
    return (await this.#transcript())?.answers[callId];
  }

  async usage(): Promise<SessionUsage | undefined> {
    const { sessionId } = this.#last ?? {};
    if (this.#last !== undefined && sessionId !== undefined && sessionId !== this.#tokens?.sessionId) {
      const path = await this.#findTranscript(this.#last);
      if (path === undefined) return undefined;
      this.#tokens?.count[Symbol.dispose]();
      const readLine = createTranscriptReader();
      const count = new SessionTokens({ listFiles: () => listTranscripts(path), readerOf: () => readLine });
      this.#tokens = { sessionId, count };
    }
    // An agent that is gone has used what it has used.
    return this.#tokens && { sessionId: this.#tokens.sessionId, usage: await this.#tokens.count.read() };
  }

  async takeWork(): Promise<readonly AgentFact[]> {
    await this.#transcript();
    return this.#log?.work.take() ?? [];
  }

  [Symbol.dispose](): void {
    this.#log?.tail[Symbol.dispose]();
    this.#tokens?.count[Symbol.dispose]();
    this.#pace.rest();
    this.#process = undefined;
  }

  async #lookUp(): Promise<void> {
    const processes = await listProcesses(this.runner).catch(() => []);
    for (const one of processTree(processes, this.context.pane.pid)) {
      const status = await readStatusFile(this.#pathFor(one.pid));
      if (status === undefined || !isOf(status, one)) continue;
      this.#process = one;
      this.#aliveMs = this.context.clock.now();
      this.#pace.rest();
      return;
    }
  }

  async #readStatus(): Promise<ClaudeStatus | undefined> {
    const process = this.#process;
    if (process === undefined) return undefined;
    const status = await readStatusFile(this.#pathFor(process.pid));
    if (status !== undefined && isOf(status, process)) this.#note(status);
    // Half a file is one that is being written: what it said before still holds.
    else if (status !== undefined || !await isFile(this.#pathFor(process.pid))) return this.#lose();
    return await this.#isAlive(process) ? this.#last : this.#lose();
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
    return await findProcess(pid, this.runner).then((now) => now?.startTime === startTime, () => true);
  }

  #lose(): undefined {
    this.#process = undefined;
    this.#last = undefined;
    this.#pace.want();
    return undefined;
  }

  #transcript(): Promise<ClaudeLogState | undefined> {
    // It is read on from where the last read stopped: two at once would spoil that.
    const read = this.#lastRead.then(() => this.#readOn());
    this.#lastRead = read.catch(() => {});
    return read;
  }

  async #readOn(): Promise<ClaudeLogState | undefined> {
    if (this.#last === undefined) return undefined;
    const { sessionId } = this.#last;
    if (sessionId !== this.#log?.sessionId) {
      const path = await this.#findTranscript(this.#last);
      if (path === undefined) return undefined;
      this.#log?.tail[Symbol.dispose]();
      this.#log = openTranscript(sessionId, path);
    }
    const log = this.#log;
    for (;;) {
      // A transcript that cannot be read any more tells nothing new.
      const { lines, restarted } = await log.tail.read().catch(() => ({ lines: [], restarted: undefined }));
      if (restarted !== undefined) Object.assign(log, startOf());
      for (const event of lines.flatMap((line) => log.reader.readLog(line))) {
        log.state = foldClaudeLog(log.state, event);
        log.work.add(event);
      }
      if (lines.length === 0) return log.state;
    }
  }

  async #findTranscript(session: ClaudeStatus): Promise<string | undefined> {
    return await findTranscript(this.#folder, session);
  }

  #pathFor(pid: number): string {
    return `${this.#folder}/sessions/${pid}.json`;
  }
}

type Transcript = ReturnType<typeof openTranscript>;

function openTranscript(sessionId: string, path: string) {
  return { sessionId, tail: new LineTail(path), ...startOf() };
}

function startOf() {
  return { reader: createClaudeReader(), state: EMPTY_CLAUDE_LOG, work: openWorkRecord() };
}

function isOf({ pid, procStart }: ClaudeStatus, process: ProcessInfo): boolean {
  if (pid !== process.pid) return false;
  return Deno.build.os !== "linux" || procStart === undefined || procStart === process.startTime;
}

async function readStatusFile(path: string): Promise<ClaudeStatus | undefined> {
  return parseClaudeStatus(await Deno.readTextFile(path).catch(() => ""));
}

function ageOf(writtenAt: number): number {
  return Number.isNaN(writtenAt) ? 0 : Math.max(0, Date.now() - writtenAt);
}
