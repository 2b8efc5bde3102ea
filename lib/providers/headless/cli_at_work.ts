import type { SeenAsk } from "../../ask/asking_process.ts";
import { UsageError } from "../../errors.ts";
import { systemHost } from "../../ports/host.ts";
import { type ProcessGroup, startProcessGroup } from "../../ports/process_group.ts";
import { keepTail } from "../../ports/tail.ts";
import { LineSplitter } from "../../session_log/line_splitter.ts";
import { errorText } from "../../text/error_text.ts";
import type { StepProvider } from "../provider.ts";
import { type SandboxReport, writableFolders } from "../sandbox.ts";
import type { Account, Teller } from "./account.ts";
import { ASK_CHANNEL_VARIABLE, ATTEMPT_VARIABLE, followAsks } from "./ask_channel.ts";
import { type AskingProcesses, findAskingProcesses, followAskingProcesses } from "./asking_processes.ts";
import type { JudgedCall } from "./call_judge.ts";
import type { CommandHooks } from "./command_hooks.ts";
import { launchedProgram } from "./launchers.ts";
import type { Observation, SessionReader } from "./observation.ts";
import type { AttemptRequest } from "./seam.ts";
import { StepFileError, type StepFiles } from "./step_files.ts";
import { ToldCalls } from "./told_calls.ts";

/** How long an ask that runs, and whose text cannot be seen, waits for the command's own record. */
const OWN_RECORD_MS = 1500;

/** How long an ask whose exact text only the shell knows waits until it runs. */
const EXACT_TEXT_MS = 10_000;

/** How long a CLI may run after the end of its turn. */
const LINGER_MS = 5000;

/** How long the report's account of what happens is held back for the fuller one of the session log. */
const LOG_FIRST_MS = 2000;

/** How much of the end of its standard error is kept. */
const MAX_STDERR_BYTES = 8000;

/** How an attempt ends: its process by itself, or what stops it. */
export type AttemptEnd = "ended" | "asked" | "halted" | "unjudged" | "aborted" | "time limit" | "lingered" | "broken";

/** What is told where a CLI does not know our hooks, or does not run them. */
const NOT_REFUSED =
  "the CLI runs no hook for its tools: what the step may not write is not refused, and only found after it";

/** The ends that come before what the agent would have come to later. */
const CUT: readonly AttemptEnd[] = ["halted", "unjudged", "aborted", "time limit"];

/** What an attempt tells of, and what it is told by. */
export interface AttemptParts {
  readonly account: Account;
  readonly provider: StepProvider;
  readonly files: StepFiles;
  /** Missing where the CLI's hooks tell nothing. */
  readonly hooks: CommandHooks | undefined;
}

/** A CLI at work: its processes, and everything that is listened to meanwhile. */
export class CliAtWork {
  readonly #id = crypto.randomUUID();
  readonly #reader: SessionReader;
  readonly #report = new LineSplitter();
  readonly #stderr = keepTail(MAX_STDERR_BYTES);
  readonly #stop = Promise.withResolvers<AttemptEnd>();
  /** Aborted when nothing more is written. */
  readonly #written = new AbortController();
  /** Ends every timer. */
  readonly #over = new AbortController();
  #linger: AbortController | undefined;
  /** What the session log tells of the sandbox; missing where the agent has none, or its log tells nothing. */
  sandbox: SandboxReport | undefined;
  readonly #folders: readonly string[] = [];
  /** The call that is put to a person. */
  halted: { readonly question: string; readonly call: JudgedCall } | undefined;
  /** Missing where it does not matter whether hooks run. */
  #told: ToldCalls | undefined;

  constructor(readonly request: AttemptRequest, readonly parts: AttemptParts) {
    this.#reader = parts.provider.headless.createReader(request);
    if (request.judge?.judgesAll === true || request.refuseWrite !== undefined) this.#told = new ToldCalls();
    const { sandbox, workdir } = request;
    if (sandbox === undefined || parts.provider.headless.foldSandbox === undefined) return;
    this.sandbox = { turns: 0 };
    // A narrowed sandbox names this folder; another one only says that it counts.
    const tmpdir = sandbox.within && (request.env?.["TMPDIR"] ?? Deno.env.get("TMPDIR"));
    const writable = tmpdir === undefined ? sandbox.writable : [...sandbox.writable, tmpdir];
    this.#folders = writableFolders({ writable }, workdir);
  }

  /** Runs the CLI until it ends or is stopped; all that it has written by then was read. */
  async run(): Promise<{ readonly end: AttemptEnd; readonly exitCode: number; readonly stderr: string }> {
    const { env = {}, signal, timeLimitSeconds } = this.request;
    const { account } = this.parts;
    const environment = { ...Deno.env.toObject(), ...env };
    const started = Promise.withResolvers<ProcessGroup>();
    const log = await this.#openLog(environment, started.promise);
    const group = await this.#start(environment["PATH"] ?? "");
    started.resolve(group);
    const mark = { name: ATTEMPT_VARIABLE, value: this.#id };
    const { ask } = this.request;
    const processes = { ...ask, self: launchedProgram(ask), listPids: group.listPids, mark };
    const onAbort = () => this.#stop.resolve("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const takeBack = this.request.onForcedExit?.(() => group.killNow(), { mark });
    if (timeLimitSeconds !== undefined) this.#after(timeLimitSeconds * 1000, () => this.#stop.resolve("time limit"));
    this.#after(LOG_FIRST_MS, () => account.decideTeller("report"));
    const decided = new AbortController();
    const listening = Promise.all([
      this.#followLog(log),
      this.#followAsks(),
      this.#followHooks(),
      this.#followProcesses(processes, decided.signal),
    ]);
    // It is awaited below; until then an agent must not work without a record.
    listening.catch(() => this.#stop.resolve("broken"));
    let end: AttemptEnd = "broken";
    try {
      end = await Promise.race([group.ended.then(() => "ended" as const), this.#stop.promise]);
      decided.abort();
      try {
        // What the agent has left behind may ask, and is seen for the last time.
        if (end === "ended" || end === "lingered" || end === "time limit") {
          for (const seen of await findAskingProcesses(processes)) this.#takeSeen(seen);
        }
      } finally {
        await group.stop();
      }
      return { end, exitCode: await group.ended, stderr: this.#stderr.text().trim() };
    } finally {
      signal.removeEventListener("abort", onAbort);
      takeBack?.();
      const rest = this.#report.unfinished();
      if (rest !== "") this.#readReport(rest);
      this.#written.abort();
      await listening;
      this.#over.abort();
      account.close({ isCut: CUT.includes(end) });
    }
  }

  async #start(path: string): Promise<ProcessGroup> {
    const { ask, clock, env = {}, prompt, workdir } = this.request;
    const { hooks, provider: { cli, headless } } = this.parts;
    const mark = { name: ATTEMPT_VARIABLE, value: this.#id };
    const variables = { [ASK_CHANNEL_VARIABLE]: ask.channelFolder, [mark.name]: mark.value };
    const plan = await headless.plan(this.request, {
      host: systemHost(env),
      path,
      launcherFolder: ask.launcherFolder,
      variables,
      ...(hooks === undefined ? {} : { hooks: hooks.commands }),
    });
    try {
      return startProcessGroup({
        argv: plan.argv,
        cwd: workdir,
        env: plan.env,
        stdin: prompt,
        mark,
        clock,
        onStdout: (bytes) => this.#takeReport(bytes),
        onStderr: (bytes) => this.#stderr.push(bytes),
      });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new UsageError(`Cannot start ${plan.argv[0]}: there is no such program, or no folder ${workdir}`, {
        ...(cli ? { hint: cli.installHint } : {}),
        cause: error,
      });
    }
  }

  async #openLog(environment: Readonly<Record<string, string>>, started: Promise<ProcessGroup>) {
    const { prompt, resumeSessionId, workdir } = this.request;
    return await this.parts.provider.headless.openLog?.({
      workdir,
      env: environment,
      prompt,
      resumeSessionId,
      startedAt: Date.now(),
      sessionId: () => this.parts.account.sessionId,
      listPids: async () => await (await started).listPids(),
      writerEnded: this.#written.signal,
    });
  }

  #takeReport(bytes: Uint8Array): void {
    try {
      for (const line of this.#report.push(bytes)) this.#readReport(line);
    } catch (error) {
      this.#stop.resolve("broken");
      throw error;
    }
  }

  #readReport(line: string): void {
    this.parts.files.raw(line);
    for (const observation of this.#reader.readReport(line)) this.#take(observation, "report");
  }

  async #followLog(log: AsyncIterable<readonly string[]> | undefined): Promise<void> {
    if (log === undefined) return;
    try {
      for await (const lines of log) {
        this.parts.account.decideTeller("log");
        for (const line of lines) {
          this.parts.files.session(line);
          this.#readBack(line);
          for (const observation of this.#reader.readLog(line)) this.#take(observation, "log");
        }
      }
    } catch (error) {
      if (error instanceof StepFileError) throw error;
      // The report and the command's own record are still there.
      const why = errorText(error);
      this.#take({ type: "trouble", text: `the session log cannot be read: ${why}` }, "log");
    }
  }

  #readBack(line: string): void {
    const { foldSandbox } = this.parts.provider.headless;
    if (this.sandbox === undefined || foldSandbox === undefined) return;
    this.sandbox = foldSandbox(this.sandbox, line, this.#folders);
    if (this.sandbox.problem !== undefined) this.#stop.resolve("broken");
  }

  async #followAsks(): Promise<void> {
    const { channelFolder } = this.request.ask;
    for await (const question of followAsks(channelFolder, { attempt: this.#id, signal: this.#written.signal })) {
      this.parts.account.takeQuestion(question);
      this.#stopIfAsked();
    }
  }

  async #followHooks(): Promise<void> {
    const { account, hooks } = this.parts;
    await hooks?.follow({
      heard: (id) => this.#told?.heard(id),
      take: (event) => {
        if (event.type === "ended") account.take({ ...event, source: "hook" }, "report");
        else {
          const { id, command } = event;
          account.take({ type: "called", source: "hook", id, commands: [{ command, isCertain: true }] }, "report");
        }
        this.#stopIfAsked();
        return account.question === undefined;
      },
      asked: (call, question) => {
        this.halted = { question, call };
        this.#stop.resolve("halted");
      },
    }, { signal: this.#written.signal });
  }

  /** A call that has run although no hook told of it was judged by nobody, and refused nothing. */
  #requireTold(observation: Extract<Observation, { type: "called" | "ended" }>): void {
    if (this.#told?.lacks(observation) !== true) return;
    this.#told = undefined;
    if (this.request.judge?.judgesAll === true) return this.#stop.resolve("unjudged");
    this.parts.files.note(NOT_REFUSED);
    this.request.onProgress?.({ type: "trouble", text: NOT_REFUSED });
  }

  async #followProcesses(processes: AskingProcesses, signal: AbortSignal): Promise<void> {
    const { account } = this.parts;
    const { clock } = this.request;
    const mayAsk = () => account.mayAsk;
    const onTrouble = (error: unknown) => {
      this.#take({ type: "trouble", text: `the processes cannot be looked at: ${errorText(error)}` }, "report");
    };
    for await (const seen of followAskingProcesses(processes, { mayAsk, onTrouble, clock, signal })) {
      this.#takeSeen(seen);
    }
  }

  #takeSeen(seen: SeenAsk): void {
    // One ask may be several processes, such as those of `npx`.
    if (this.parts.account.question === undefined) this.parts.account.takeSeen(seen);
    this.#stopIfAsked();
    if (seen.question === undefined) this.#settleAfter(OWN_RECORD_MS);
  }

  #take(observation: Observation, teller: Teller): void {
    this.parts.account.take(observation, teller);
    switch (observation.type) {
      case "called":
      case "ended":
        this.#requireTold(observation);
        return this.#stopIfAsked();
      case "said":
      case "ran":
        // What does something is not at its end: a new turn may begin by itself.
        return this.#linger?.abort();
      case "turn_end":
        this.#linger?.abort();
        this.#linger = this.#after(LINGER_MS, () => this.#stop.resolve("lingered"));
    }
  }

  #stopIfAsked(): void {
    const { account } = this.parts;
    if (account.question !== undefined) this.#stop.resolve("asked");
    if (account.awaitsText) this.#settleAfter(EXACT_TEXT_MS);
  }

  #settleAfter(ms: number): void {
    this.#after(ms, () => {
      this.parts.account.settleQuestions();
      this.#stopIfAsked();
    });
  }

  /** Does something after a time, unless the attempt is over by then, or the returned controller is aborted. */
  #after(ms: number, act: () => void): AbortController {
    const cancel = new AbortController();
    this.request.clock.sleep(ms, AbortSignal.any([cancel.signal, this.#over.signal])).then(act, () => {});
    return cancel;
  }
}
