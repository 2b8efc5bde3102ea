import type { AgentFact } from "../agent.ts";
import type { Request } from "../../policy/request.ts";
import { type SandboxReport, writableFolders } from "../sandbox.ts";
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
import { findSessionLog, type SessionLogQuery } from "./find_log.ts";
import { sessionLogLister } from "./helper_logs.ts";
import { createCodexReader, createCodexTokenReader } from "./reader.ts";
import { foldCodexSandbox, type SandboxTurns } from "./sandbox.ts";
import { laterReport, StatusReports } from "./status_reports.ts";

/** Most lines are not records that count here, and need no parsing; a quoted one is told apart after parsing. */
const MAY_COUNT = /"(?:session_meta|turn_context|event_msg|(?:function|custom_tool|local_shell)_call(?:_output)?)"/;

const MAX_PROMPTS = 5;

const FORM = {
  createReader() {
    const reader = createCodexReader({});
    return (line: string) => MAY_COUNT.test(line) ? reader.readLog(line) : [];
  },
  tokens: (path: string, sessionId: string) => ({
    listFiles: sessionLogLister(path, sessionId),
    readerOf: createCodexTokenReader,
  }),
};

interface CodexSessionLogOptions {
  readonly find?: (query: SessionLogQuery) => Promise<string | undefined>;
}

/**
 * The log that Codex keeps of its session, as a source of its status: when a turn began, and how it ended. There is
 * none before the first prompt (0.169.0). With it go the reports that Codex writes to its terminal.
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
  readonly #reports: StatusReports;
  readonly #prompts: string[] = [];
  #log: SessionLog | undefined;
  #sinceMs = 0;
  #newsMs = 0;
  #disposed = false;
  #sandboxReport: SandboxReport = { turns: 0 };
  readonly #sandboxTurns: SandboxTurns;

  constructor(
    readonly context: StatusSourceContext,
    readonly find: (query: SessionLogQuery) => Promise<string | undefined>,
  ) {
    this.#pace = new LookupPace(context.clock);
    this.#reports = new StatusReports(context);
    const { sandbox = { writable: [] }, workdir, startedAt } = context;
    this.#sandboxTurns = { folders: writableFolders(sandbox, workdir), startedAt };
  }

  async read(): Promise<StatusReport | undefined> {
    await this.#readOn();
    if (this.#pace.take()) {
      await this.#lookUp();
      await this.#readOn();
    }
    return laterReport(this.#logged(), this.#reports.last);
  }

  get sessionId(): string | undefined {
    return this.#log?.state.session?.id;
  }

  expectPrompt(text: string): void {
    // A log that is known already shows within a moment that it grows.
    this.#pace.want(this.#log === undefined ? 0 : 1000);
    this.#prompts.push(text);
    if (this.#prompts.length > MAX_PROMPTS) this.#prompts.shift();
  }

  doubt(): void {
    this.#pace.want();
  }

  lastAnswer(): Promise<string | undefined> {
    return Promise.resolve(this.#log?.state.answer?.trim());
  }

  lastFailure(): Promise<RecordedFailure | undefined> {
    const { failure, turn, limitResetsAt } = this.#log?.state ?? {};
    if (failure === undefined || turn?.state !== "at_rest") return Promise.resolve(undefined);
    return Promise.resolve({
      ...failure,
      evidence: `${evidenceOf(turn)} in its session log`,
      writtenAt: turn.at,
      ...(limitResetsAt === undefined ? {} : { resetsAt: new Date(limitResetsAt) }),
    });
  }

  pendingRequests(): Promise<readonly Request[]> {
    return Promise.resolve(this.#log?.state.calls ?? []);
  }

  questionAnswers(callId: string): Promise<Readonly<Record<string, string>> | undefined> {
    return Promise.resolve(this.#log?.state.answers[callId]);
  }

  compactions(): Promise<number> {
    return Promise.resolve(this.#log?.state.compactions ?? 0);
  }

  async usage(): Promise<SessionUsage | undefined> {
    return this.sessionId === undefined ? undefined : await this.#log?.usage(this.sessionId);
  }

  takeWork(): Promise<readonly AgentFact[]> {
    return Promise.resolve(this.#log?.takeWork() ?? []);
  }

  sandboxReport(): SandboxReport {
    return this.#sandboxReport;
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#log?.[Symbol.dispose]();
    this.#reports[Symbol.dispose]();
  }

  #logged(): StatusReport | undefined {
    const turn = this.#log?.state.turn;
    if (turn === undefined) return undefined;
    const { id: _id, record: _record, at, ...reported } = turn;
    // An agent that resumes a session does not resume the turn that an earlier process was in.
    if (turn.state !== "at_rest" && this.#prompts.length === 0 && at < this.context.startedAt) return undefined;
    return { ...reported, sinceMs: this.#sinceMs, newsMs: this.#newsMs, evidence: evidenceOf(turn) };
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
    if (path === undefined || path === this.#log?.path || this.#disposed) return;
    this.#log?.[Symbol.dispose]();
    this.#log = new SessionLog(path, FORM);
  }

  async #readOn(): Promise<void> {
    const before = this.#log?.state.turn;
    const events = await this.#log?.read();
    if (events === undefined) return;
    for (const event of events) {
      this.#sandboxReport = foldCodexSandbox(this.#sandboxReport, event, this.#sandboxTurns);
    }
    this.#newsMs = this.context.clock.now();
    const turn = this.#log?.state.turn;
    if (turn !== undefined && turn !== before) this.#sinceMs = this.#newsMs - ageOf(turn.at);
    // The log that grows after a prompt is the right one.
    this.#pace.rest();
  }
}

function evidenceOf({ id, record = "task_started" }: NonNullable<LogState["turn"]>): string {
  return id === "" ? record : `${record} of turn ${id}`;
}
