import type { AgentEvent } from "../agent.ts";
import { UsageError } from "../../base/errors.ts";
import { systemHost } from "../../base/ports/host.ts";
import { type ProcessGroup, startProcessGroup } from "../../base/ports/process_group.ts";
import { keepTail } from "../../base/ports/process.ts";
import { LineSplitter } from "../../base/follow/line_splitter.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { CliStepProvider } from "../provider.ts";
import { type SandboxReport, writableFolders } from "../sandbox.ts";
import type { Teller } from "./account.ts";
import { type AgentEnd, type AttemptParts, AttemptWatch } from "./attempt_watch.ts";
import type { CommandHooks } from "./command_hooks.ts";
import type { SessionReader } from "./cli.ts";
import type { AttemptRequest } from "./seam.ts";
import { StepFileError } from "./step_files.ts";
import { ToldCalls } from "./told_calls.ts";

/** How long a CLI may run after the end of its turn. */
const LINGER_MS = 5000;

const LOG_FIRST_MS = 2000;

const MAX_STDERR_BYTES = 8000;

const NOT_REFUSED =
  "the CLI runs no hook for its tools: what the step may not write is not refused, and only found after it";

interface CliParts extends AttemptParts {
  readonly provider: CliStepProvider;
  readonly hooks: CommandHooks | undefined;
}

export class CliAtWork {
  readonly #watch: AttemptWatch;
  readonly #reader: SessionReader;
  readonly #report = new LineSplitter();
  readonly #stderr = keepTail(MAX_STDERR_BYTES);
  #linger: AbortController | undefined;
  sandbox: SandboxReport | undefined;
  readonly #folders: readonly string[] = [];
  #told: ToldCalls | undefined;

  constructor(readonly request: AttemptRequest, readonly parts: CliParts) {
    this.#watch = new AttemptWatch(request, parts.account);
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

  async run(): Promise<AgentEnd> {
    const { env = {}, onForcedExit } = this.request;
    const environment = { ...Deno.env.toObject(), ...env };
    const started = Promise.withResolvers<ProcessGroup>();
    const log = await this.#openLog(environment, started.promise);
    let takeBack: (() => void) | undefined;
    try {
      const ended = await this.#watch.run({
        start: async () => {
          const group = await this.#start(environment["PATH"] ?? "");
          takeBack = onForcedExit?.(() => group.killNow(), { mark: this.#watch.mark });
          started.resolve(group);
          return group;
        },
        follow: () => {
          this.#watch.after(LOG_FIRST_MS, () => this.parts.account.decideTeller("report"));
          return [this.#followLog(log), this.#followHooks()];
        },
        drain: () => {
          const rest = this.#report.unfinished();
          if (rest !== "") this.#readReport(rest);
        },
      });
      return { ...ended, stderr: this.#stderr.text().trim() };
    } finally {
      takeBack?.();
    }
  }

  async #start(path: string): Promise<ProcessGroup> {
    const { ask, clock, env = {}, prompt, workdir } = this.request;
    const { hooks, provider: { cli, headless } } = this.parts;
    const { mark, variables } = this.#watch;
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
      writerEnded: this.#watch.written,
    });
  }

  #takeReport(bytes: Uint8Array): void {
    try {
      for (const line of this.#report.push(bytes)) this.#readReport(line);
    } catch (error) {
      this.#watch.stop("broken");
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
          for (const event of this.#reader.readLog(line)) {
            this.#readBack(event);
            this.#take(event, "log");
          }
        }
      }
    } catch (error) {
      if (error instanceof StepFileError) throw error;
      // The report and the command's own record are still there.
      const why = errorText(error);
      this.#take({ type: "trouble", text: `the session log cannot be read: ${why}` }, "log");
    }
  }

  #readBack(event: AgentEvent): void {
    const { foldSandbox } = this.parts.provider.headless;
    if (this.sandbox === undefined || foldSandbox === undefined) return;
    this.sandbox = foldSandbox(this.sandbox, event, this.#folders);
    if (this.sandbox.problem !== undefined) this.#watch.stop("broken");
  }

  async #followHooks(): Promise<void> {
    const { account, hooks } = this.parts;
    await hooks?.follow({
      heard: (id) => this.#told?.heard(id),
      take: (event) => {
        if (event.type === "ended") this.#watch.take({ ...event, source: "hook" }, "report");
        else {
          const { id, command } = event;
          const commands = [{ command, isCertain: true }];
          this.#watch.take({ type: "called", source: "hook", id, commands }, "report");
        }
        return account.question === undefined;
      },
      asked: (call, question) => this.#watch.halt(call, question),
    }, { signal: this.#watch.written });
  }

  /** A call that has run although no hook told of it was judged by nobody, and refused nothing. */
  #requireTold(observation: Extract<AgentEvent, { type: "called" | "ended" }>): void {
    if (this.#told?.lacks(observation) !== true) return;
    this.#told = undefined;
    if (this.request.judge?.judgesAll === true) return this.#watch.stop("unjudged");
    this.parts.files.note(NOT_REFUSED);
    this.request.onProgress?.({ type: "trouble", text: NOT_REFUSED });
  }

  #take(observation: AgentEvent, teller: Teller): void {
    switch (observation.type) {
      case "called":
      case "ended":
        this.#requireTold(observation);
        break;
      case "said":
      case "ran":
        // What does something is not at its end: a new turn may begin by itself.
        this.#linger?.abort();
        break;
      case "turn_end":
        this.#linger?.abort();
        this.#linger = this.#watch.after(LINGER_MS, () => this.#watch.stop("turn_over"));
    }
    this.#watch.take(observation, teller);
  }
}
