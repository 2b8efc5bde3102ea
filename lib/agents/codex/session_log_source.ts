import type { AgentFact } from "../agent.ts";
import { LineTail } from "../../base/follow/line_tail.ts";
import type { Request } from "../../policy/request.ts";
import { type SandboxReport, writableFolders } from "../sandbox.ts";
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
import { findSessionLog, type SessionLogQuery } from "./find_log.ts";
import { sessionLogLister } from "./helper_logs.ts";
import { type CodexLogState, foldCodexLog, foldCodexSandbox, type SandboxTurns } from "./log_view.ts";
import { createCodexReader, createCodexTokenReader } from "./reader.ts";

/** Most lines are not records that count here, and need no parsing; a quoted one is told apart after parsing. */
const MAY_COUNT = /"(?:session_meta|turn_context|event_msg|(?:function|custom_tool|local_shell)_call(?:_output)?)"/;

const MAX_PROMPTS = 5;

interface CodexSessionLogOptions {
  readonly find?: (query: SessionLogQuery) => Promise<string | undefined>;
}

/**
 * The log that Codex keeps of its session, as a source of its status: when a turn began, and how it ended. There is
 * none before the first prompt (0.169.0).
 *
 * Finding it looks through processes, so that is done only after a prompt, and when the screen contradicts; each poll
 * then reads what was added to one file.
 */
export function openCodexSessionLog(context: StatusSourceContext, options: CodexSessionLogOptions = {}): StatusSource {
  return new CodexSessionLog(context, options.find ?? findSessionLog);
}

class CodexSessionLog implements StatusSource {
  readonly name = "session log";
  readonly #pace: LookupPace;
  readonly #prompts: string[] = [];
  #tail: LineTail | undefined;
  #tokens: SessionTokens | undefined;
  #reader = createCodexReader({});
  #state: CodexLogState = {};
  #work = openWorkRecord();
  #sinceMs = 0;
  #newsMs = 0;
  #disposed = false;
  #sandboxReport: SandboxReport = { turns: 0 };
  readonly #turnContext: SandboxTurns;

  constructor(
    readonly context: StatusSourceContext,
    readonly find: (query: SessionLogQuery) => Promise<string | undefined>,
  ) {
    this.#pace = new LookupPace(context.clock);
    const { sandbox = { writable: [] }, workdir, startedAt } = context;
    this.#turnContext = { folders: writableFolders(sandbox, workdir), startedAt };
  }

  async read(): Promise<StatusReport | undefined> {
    await this.#readOn();
    if (this.#pace.take()) {
      await this.#lookUp();
      await this.#readOn();
    }
    const { turn } = this.#state;
    if (turn === undefined || this.#isAbandoned(turn)) return undefined;
    const { id, record, writtenAt: _writtenAt, ...reported } = turn;
    const evidence = id === "" ? record : `${record} of turn ${id}`;
    return { ...reported, sinceMs: this.#sinceMs, newsMs: this.#newsMs, evidence };
  }

  /** Whether a turn was under way in an earlier process: the agent resumes the session, but not that turn. */
  #isAbandoned({ state, writtenAt }: NonNullable<CodexLogState["turn"]>): boolean {
    return state !== "at_rest" && this.#prompts.length === 0 && writtenAt < this.context.startedAt;
  }

  expectPrompt(text: string): void {
    // A log that is known already shows within a moment that it grows.
    this.#pace.want(this.#tail === undefined ? 0 : 1000);
    this.#prompts.push(text);
    if (this.#prompts.length > MAX_PROMPTS) this.#prompts.shift();
  }

  doubt(): void {
    this.#pace.want();
  }

  get sessionId(): string | undefined {
    return this.#state.session?.id;
  }

  lastAnswer(): Promise<string | undefined> {
    return Promise.resolve(this.#state.lastAnswer?.trim());
  }

  lastFailure(): Promise<RecordedFailure | undefined> {
    const { failure, turn, limitResetsAt } = this.#state;
    if (failure === undefined || turn?.state !== "at_rest") return Promise.resolve(undefined);
    const { id, record, writtenAt } = turn;
    return Promise.resolve({
      ...failure,
      evidence: `${record}${id === "" ? "" : ` of turn ${id}`} in its session log`,
      writtenAt,
      ...(limitResetsAt === undefined ? {} : { resetsAt: new Date(limitResetsAt) }),
    });
  }

  pendingRequests(): Promise<readonly Request[]> {
    return Promise.resolve(this.#state.calls ?? []);
  }

  async usage(): Promise<SessionUsage | undefined> {
    const path = this.#tail?.path;
    const sessionId = this.#state.session?.id;
    if (path === undefined || sessionId === undefined) return undefined;
    this.#tokens ??= new SessionTokens({
      listFiles: sessionLogLister(path, sessionId),
      readerOf: createCodexTokenReader,
    });
    return { sessionId, usage: await this.#tokens.read() };
  }

  takeWork(): Promise<readonly AgentFact[]> {
    return Promise.resolve(this.#work.take());
  }

  sandboxReport(): SandboxReport {
    return this.#sandboxReport;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#tail?.[Symbol.dispose]();
    this.#tokens?.[Symbol.dispose]();
  }

  async #lookUp(): Promise<void> {
    const { pane, workdir, env, startedAt } = this.context;
    const path = await this.find({
      panePid: pane.pid,
      workdir,
      codexHome: env["CODEX_HOME"] ?? `${env["HOME"] ?? ""}/.codex`,
      startedAt,
      prompts: this.#prompts,
    }).catch(() => undefined);
    if (path === undefined || path === this.#tail?.path || this.#disposed) return;
    this.#tail?.[Symbol.dispose]();
    this.#tokens?.[Symbol.dispose]();
    this.#tail = new LineTail(path);
    this.#tokens = undefined;
    this.#forget();
  }

  async #readOn(): Promise<void> {
    for (;;) {
      // A log that cannot be read any more tells nothing; the screen is still there.
      const read = await this.#tail?.read().catch(() => undefined);
      if (read === undefined || (read.lines.length === 0 && read.restarted === undefined)) return;
      if (read.restarted !== undefined) this.#forget();
      this.#fold(read.lines);
    }
  }

  #fold(lines: readonly string[]): void {
    const before = this.#state.turn;
    for (const event of lines.filter((line) => MAY_COUNT.test(line)).flatMap((line) => this.#reader.readLog(line))) {
      this.#state = foldCodexLog(this.#state, event);
      this.#sandboxReport = foldCodexSandbox(this.#sandboxReport, event, this.#turnContext);
      this.#work.add(event);
    }
    this.#newsMs = this.context.clock.now();
    const { turn } = this.#state;
    if (turn !== undefined && turn !== before) this.#sinceMs = this.#newsMs - ageOf(turn.writtenAt);
    // The log that grows after a prompt is the right one.
    if (lines.length > 0) this.#pace.rest();
  }

  #forget(): void {
    this.#reader = createCodexReader({});
    this.#state = {};
    this.#work = openWorkRecord();
  }
}

function ageOf(writtenAt: number): number {
  return Number.isNaN(writtenAt) ? 0 : Math.max(0, Date.now() - writtenAt);
}
