import { HumanInterventionRequiredError } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { type Host, systemHost } from "../ports/host.ts";
import type { Classification } from "../screen/classify.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import type { Screen } from "../screen/screen.ts";
import { type CaptureOptions, capturePane } from "../tmux/capture.ts";
import type { PaneRef } from "../tmux/client.ts";
import { pasteText, sendKeys } from "../tmux/input.ts";
import { sanitizePaste } from "../tmux/sanitize.ts";
import type { TmuxSession } from "../tmux/session.ts";
import { type PaneLook, readScreen, screenExcerpt } from "./pane_look.ts";
import type { LaunchRequest, Provider } from "./provider.ts";
import { waitUntilReady } from "./startup.ts";
import { submitText } from "./submit.ts";

/** Options of {@linkcode startAgentTerminal}. */
export interface AgentTerminalOptions {
  readonly session: TmuxSession;
  readonly provider: Provider;
  readonly request: LaunchRequest;
  /**
   * Milliseconds from the start until the agent must be ready.
   *
   * @default {60000}
   */
  readonly startTimeoutMs?: number;
  /** @default {systemHost(request.env)} */
  readonly host?: Host;
  /** @default {systemClock} */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** What an interrupted or aborted caller may pass to a method of {@linkcode AgentTerminal}. */
export interface TerminalCallOptions {
  readonly signal?: AbortSignal;
}

/** How often the screen is looked at after a key was pressed. */
const LOOK_EVERY_MS = 50;

/** Rows of scrollback that are searched for an agent's last answer. */
const LAST_OUTPUT_ROWS = 5000;

/** Names of shells, as tmux shows the foreground program of a pane. */
const SHELL_NAME = /^-?(?:ba|z|fi|da|a|k|c|tc|nu)?sh$/;

/**
 * Starts an agent in a pane of its own and waits until it can take a prompt. An agent that cannot be started is ended
 * again, unless the session keeps its panes.
 *
 * @throws {HumanInterventionRequiredError} when a dialog stops the start
 * @throws {RuntimeError} when the program ends, or is not ready in time
 */
export async function startAgentTerminal(options: AgentTerminalOptions): Promise<AgentTerminal> {
  const { session, provider, request, startTimeoutMs = 60_000, clock = systemClock, signal } = options;
  const { argv, env, cwd } = provider.launch(request, options.host ?? systemHost(request.env));
  const waiting = signal ? { signal } : {};
  const pane = await session.openPane({ name: request.role, argv, env, cwd, ...waiting });
  const terminal = new AgentTerminal({ name: request.role, session, provider, pane, clock });
  try {
    await terminal.waitUntilReady({ timeoutMs: startTimeoutMs, ...waiting });
    return terminal;
  } catch (error) {
    await terminal[Symbol.asyncDispose]();
    throw error;
  }
}

/** What an {@linkcode AgentTerminal} is made of. */
export interface AgentTerminalParts {
  /** For messages: the role's name. */
  readonly name: string;
  readonly session: TmuxSession;
  readonly provider: Provider;
  readonly pane: PaneRef;
  readonly clock: Clock;
}

/** An agent in a pane: its status, a safe way to give it text, and its last output. Disposal ends it. */
export class AgentTerminal implements AsyncDisposable {
  readonly name: string;
  readonly provider: Provider;
  readonly pane: PaneRef;
  readonly #session: TmuxSession;
  readonly #clock: Clock;
  #isReady = false;
  /** The shell that the agent's program was started by, where it is a script. */
  #wrapperShell: string | undefined;

  /** Use {@linkcode startAgentTerminal}. */
  constructor(parts: AgentTerminalParts) {
    this.name = parts.name;
    this.provider = parts.provider;
    this.pane = parts.pane;
    this.#session = parts.session;
    this.#clock = parts.clock;
  }

  /** See {@linkcode startAgentTerminal}, which has called this. */
  async waitUntilReady(options: TerminalCallOptions & { readonly timeoutMs: number }): Promise<void> {
    const { signal } = options;
    await waitUntilReady(() => this.look(signal ? { signal } : {}), {
      ...options,
      name: this.name,
      provider: this.provider,
      clock: this.#clock,
    });
    const { command } = await this.#capture({});
    if (command !== undefined && SHELL_NAME.test(command)) this.#wrapperShell = command;
    this.#isReady = true;
  }

  /**
   * What the pane shows now, and what that means.
   *
   * @throws {RuntimeError} when the pane cannot be read
   */
  async look(options: TerminalCallOptions = {}): Promise<PaneLook> {
    const screen = await this.#capture({ joinWrapped: this.provider.joinWrappedRows, ...options });
    return readScreen(this.#knowsShell(screen.command) ? omitCommand(screen) : screen, this.provider.rules);
  }

  /** Whether a shell in the foreground says nothing: it may be the script that started the agent. */
  #knowsShell(command: string | undefined): boolean {
    return command !== undefined && (this.#isReady ? command === this.#wrapperShell : SHELL_NAME.test(command));
  }

  #capture(options: CaptureOptions): Promise<Screen> {
    return capturePane(this.#session.client, this.pane, options);
  }

  /**
   * What the agent is doing, and which rule says so.
   *
   * @throws {RuntimeError} when the pane cannot be read
   */
  async status(options: TerminalCallOptions = {}): Promise<Classification> {
    return (await this.look(options)).classification;
  }

  /**
   * Gives the agent a prompt and resolves once it has taken it.
   *
   * @throws {HumanInterventionRequiredError} when a dialog or a person's draft is in the way
   * @throws {RuntimeError} when the agent cannot take the text, or there is no proof that it did
   */
  async submit(text: string, options: TerminalCallOptions = {}): Promise<void> {
    const { client } = this.#session;
    const { paneId } = this.pane;
    await submitText({
      name: this.name,
      look: () => this.look(options),
      paste: (guarded) => pasteText(client, paneId, { text: guarded }),
      pressEnter: () => sendKeys(client, paneId, { keys: ["Enter"] }),
    }, {
      ...this.provider.submit,
      ...options,
      text: this.provider.guardPrompt(sanitizePaste(text)),
      clock: this.#clock,
    });
  }

  /**
   * Accepts the dialog that is open, once, if it is of a kind that the provider knows how to accept.
   *
   * @returns the dialog that was accepted; `undefined` when none was open any more
   * @throws {HumanInterventionRequiredError} when the dialog is of another kind, or stays open
   */
  async acceptDialog(options: TerminalCallOptions = {}): Promise<DialogInfo | undefined> {
    const { screen, classification: { status, dialog } } = await this.look(options);
    if (dialog === undefined && status !== "waiting_user_answer") return undefined;
    const keys = dialog && this.provider.answerKeys(dialog, "accept");
    if (dialog === undefined || keys === undefined) {
      throw new HumanInterventionRequiredError(
        `Cannot accept for ${this.name}: a dialog (${
          dialog?.kind ?? "other"
        }) that only a person may answer is open\n` +
          screenExcerpt(screen),
      );
    }
    await sendKeys(this.#session.client, this.pane.paneId, { keys });
    const start = this.#clock.now();
    for (;;) {
      await this.#clock.sleep(LOOK_EVERY_MS, options.signal);
      const now = await this.look(options);
      if (now.classification.dialog?.fingerprint !== dialog.fingerprint) return dialog;
      if (this.#clock.now() - start < this.provider.submit.proofTimeoutMs) continue;
      throw new HumanInterventionRequiredError(
        `Cannot accept for ${this.name}: the dialog (${dialog.kind}) stays open\n${screenExcerpt(now.screen)}`,
      );
    }
  }

  /** What the agent said last, as far as the terminal shows it: on the alternate screen, the visible rows. */
  async lastOutput(options: TerminalCallOptions = {}): Promise<string> {
    const { joinWrappedRows, lastOutput } = this.provider;
    return lastOutput(
      await this.#capture({ joinWrapped: joinWrappedRows, scrollbackRows: LAST_OUTPUT_ROWS, ...options }),
    );
  }

  /** Ends the agent and everything that it started. */
  async close(): Promise<void> {
    await this.#session.closePane(this.pane);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#session.cleanupOnExit) await this.close();
  }
}

function omitCommand({ command: _command, ...screen }: Screen): Screen {
  return screen;
}
