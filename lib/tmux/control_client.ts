import { present } from "../base/schema.ts";
import { RuntimeError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { type StartPipedProcess, startPipedProcess } from "../base/ports/piped_process.ts";
import type { CommandResult } from "../base/ports/process.ts";
import type { TmuxClient, TmuxCommand, TmuxRunOptions } from "./client.ts";
import { controlLine, isQuestion } from "./control_command.ts";
import {
  type ControlConnection,
  type ControlConnectionOptions,
  type ControlReply,
  openControlConnection,
} from "./control_connection.ts";
import { PaneEventHub, type PaneEvents } from "./pane_events.ts";
import { tmuxProgram } from "./plain_client.ts";
import { errorText } from "../base/text/error_text.ts";

interface ControlClientOptions {
  readonly plain: TmuxClient;
  /** Told in one line when the connection cannot be had, or is lost. */
  readonly log: (message: string) => void;
  /**
   * Whether it hears what happens in panes. Without it tmux never holds a program back for our sake, even if this
   * process stands still, and a pane is known by its captures alone.
   */
  readonly hearsPanes?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly startProcess?: StartPipedProcess;
}

/**
 * How the client attaches. It must not change the size of windows. Seconds of output that is held back for us before
 * tmux leaves it out. While this process is stopped, tmux 3.3a may also let a program wait that writes much.
 */
const CLIENT_FLAGS = "ignore-size,pause-after=5";
const DEAF_FLAGS = "ignore-size,no-output";

/** Tells of each pane of the session, when it appears and when its program ends; tmux looks once a second (3.3a). */
const SUBSCRIPTION = "panewright";
const SUBSCRIBE = controlLine([["refresh-client", "-B", `${SUBSCRIPTION}:%*:#{pane_dead}`]])!;

const RETRY_PAUSES_MS = [1000, 2000, 5000, 10_000, 30_000] as const;
const LASTING_MS = 60_000;

/** These end the server, which waits for its control clients (tmux 3.3a): the connection must go first. */
const ENDS_SERVER: ReadonlySet<string> = new Set(["kill-server", "kill-session"]);

/**
 * A client that asks tmux through a connection that stays open, and hears from it what happens in panes.
 *
 * Questions (captures, formats, lists) go through the connection, which takes 0.1 ms instead of the 2 ms of a process
 * each. Commands that change something go through the plain client: when a connection breaks before the answer arrives,
 * a question can be asked again, but a key must not be pressed again. A lost connection is restored after a pause.
 *
 * Nothing is connected before {@linkcode ControlClient.connect}.
 */
export class ControlClient implements TmuxClient, AsyncDisposable {
  readonly socket: string;
  readonly #options: ControlClientOptions;
  readonly #clock: Clock;
  readonly #hub: PaneEventHub;
  #session: string | undefined;
  #connection: ControlConnection | undefined;
  #connecting: Promise<void> = Promise.resolve();
  #closing: Promise<void> = Promise.resolve();
  #attempts = 0;
  #nextAttemptMs = Infinity;

  constructor(options: ControlClientOptions) {
    this.socket = options.plain.socket;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#hub = new PaneEventHub(this.#clock);
  }

  get paneEvents(): PaneEvents {
    return this.#hub;
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen ?? false;
  }

  async connect(session: string): Promise<void> {
    this.#session = session;
    this.#connecting = this.#connect(session);
    await this.#connecting;
  }

  async disconnect(): Promise<void> {
    this.#session = undefined;
    await this.#connecting;
    const connection = this.#connection;
    this.#connection = undefined;
    await Promise.all([connection?.close(), this.#closing]);
  }

  run(command: TmuxCommand, options?: TmuxRunOptions): Promise<CommandResult> {
    return this.runAll([command], options);
  }

  async runAll(commands: readonly TmuxCommand[], options: TmuxRunOptions = {}): Promise<CommandResult> {
    const { signal, stdin } = options;
    if (stdin === undefined && commands.every(isQuestion)) {
      const line = controlLine(commands);
      const connection = line === undefined ? undefined : this.#openConnection();
      if (line !== undefined && connection) {
        try {
          const asked = { commandCount: commands.length, ...present({ signal }) };
          const { ok, stdout, stderr } = await connection.request(line, asked);
          return { code: ok ? 0 : 1, stdout, stderr, timedOut: false, truncated: false };
        } catch {
          signal?.throwIfAborted();
        }
      }
    }
    if (commands.some(([name]) => ENDS_SERVER.has(name))) await this.disconnect();
    return await this.#options.plain.runAll(commands, options);
  }

  runAllSync(commands: readonly TmuxCommand[]): void {
    this.#options.plain.runAllSync(commands);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.disconnect();
    this.#hub[Symbol.dispose]();
  }

  #openConnection(): ControlConnection | undefined {
    if (this.#connection?.isOpen) return this.#connection;
    if (this.#session !== undefined && this.#clock.now() >= this.#nextAttemptMs) {
      this.#nextAttemptMs = Infinity;
      this.#connecting = this.#connect(this.#session);
    }
    return undefined;
  }

  async #connect(session: string): Promise<void> {
    const { startProcess = startPipedProcess, log, hearsPanes = true } = this.#options;
    const flags = hearsPanes ? CLIENT_FLAGS : DEAF_FLAGS;
    const startedMs = this.#clock.now();
    try {
      const connection = await openControlConnection({
        process: startProcess(tmuxProgram(["-C", "attach-session", "-t", `=${session}`, "-f", flags], {
          socket: this.socket,
          ...present({ env: this.#options.env }),
        })),
        clock: this.#clock,
        onEvent: (event) => this.#takeEvent(event),
      });
      if (hearsPanes) {
        const { ok, stderr } = await connection.request(SUBSCRIBE, { commandCount: 1 }).catch(asRefusal);
        if (!ok) {
          await connection.close();
          throw new RuntimeError(stderr.trim());
        }
      }
      this.#connection = connection;
      this.#hub.setConnected(true);
      void connection.ended.then((reason) => this.#noteLoss(connection, { reason, startedMs }));
    } catch (error) {
      if (this.#attempts === 0) log(fallbackMessage(error));
      this.#planAttempt();
    }
  }

  #noteLoss(
    connection: ControlConnection,
    { reason, startedMs }: { readonly reason: string; readonly startedMs: number },
  ): void {
    this.#hub.setConnected(false);
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#closing = connection.close();
    if (this.#clock.now() - startedMs >= LASTING_MS) this.#attempts = 0;
    if (this.#attempts === 0) this.#options.log(fallbackMessage(reason));
    this.#planAttempt();
  }

  #planAttempt(): void {
    const pause = RETRY_PAUSES_MS[Math.min(this.#attempts, RETRY_PAUSES_MS.length - 1)]!;
    this.#attempts++;
    this.#nextAttemptMs = this.#clock.now() + pause;
  }

  #takeEvent(event: Parameters<ControlConnectionOptions["onEvent"]>[0]): void {
    if (event.type === "output") return this.#hub.noteOutput(event.paneId, event.escaped);
    const { name, rest } = event;
    if (name === "pause") {
      this.#hub.noteGap(rest);
      const line = controlLine([["refresh-client", "-A", `${rest}:continue`]]);
      // If the connection ends meanwhile, no pane needs to continue.
      if (line) void this.#connection?.request(line, { commandCount: 1 }).catch(() => {});
    } else if (name === "subscription-changed") {
      const found = /^panewright \S+ \S+ \S+ (%\d+)[^:]* : ([01]?)$/.exec(rest);
      if (found) this.#hub.noteDead(found[1]!, found[2] === "1");
    } else if (name !== "continue") this.#hub.noteCommonChange();
  }
}

function asRefusal(error: unknown): ControlReply {
  return { ok: false, stdout: "", stderr: errorText(error) };
}

function fallbackMessage(reason: unknown): string {
  const words = errorText(reason);
  return `tmux's control mode cannot be used (${words}): plain tmux commands take its place`;
}
