import type { AgentFact } from "../agent.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { PaneRef } from "../../tmux/client.ts";
import { pasteText, sendKeys } from "../../tmux/input.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import { answerDialog, type AnswerOptions, type AnswerOutcome } from "./answer_dialog.ts";
import { answerQuestions, type QuestionOptions, type QuestionsOutcome } from "./answer_questions.ts";
import type { DialogAnswer } from "./dialog_keys.ts";
import { runsCommand } from "../running_commands.ts";
import { stillText } from "./still_text.ts";
import { findShownFailure, judgeFailure } from "./failure_report.ts";
import type { AgentPane, PaneLook } from "./pane_look.ts";
import { PaneReader } from "./pane_reader.ts";
import type { AgentProcesses } from "../left_commands.ts";
import type { AgentFailure } from "../failure.ts";
import type { Request } from "../../policy/request.ts";
import type { PaneProvider } from "../provider.ts";
import { waitUntilReady } from "./startup.ts";
import type { SandboxWatch } from "./sandbox_watch.ts";
import type { HookMail } from "./hook_witness.ts";
import type { SessionUsage } from "./status_source.ts";
import type { JudgedStatus, StatusTracker } from "./status_tracker.ts";
import { hasDraft, holdsDraft, type SubmitOptions, submitText } from "./submit.ts";
import { hookWakeSource, paneWakeSource, type WakeSource } from "./wake_source.ts";
import { sanitizePaste } from "../../base/text/sanitize.ts";

// An agent in a pane of tmux: prompts and answers come in, its status, its requests and its last words go out. What it
// does is judged by its screen, by the record of its CLI and by that one's hooks.

interface TerminalCallOptions {
  readonly signal?: AbortSignal;
}

interface AgentTerminalParts {
  readonly name: string;
  readonly session: TmuxSession;
  readonly provider: PaneProvider;
  readonly pane: PaneRef;
  /** When the agent was started, in milliseconds since the epoch. */
  readonly launchedAtMs: number;
  readonly tracker: StatusTracker;
  readonly clock: Clock;
  readonly sandboxWatch?: SandboxWatch;
  readonly hookMail?: HookMail;
  readonly adopted?: { readonly wrapperShell: string | undefined };
}

/** An agent in a pane: its status, a safe way to give it text, and its last output. Disposal ends it. */
export class AgentTerminal implements AsyncDisposable {
  readonly via = "pane";
  readonly name: string;
  readonly provider: PaneProvider;
  readonly pane: PaneRef;
  readonly launchedAtMs: number;
  readonly #parts: AgentTerminalParts;
  readonly #reader: PaneReader;
  /** Whether it has been given nothing since it was started. */
  #isFresh: boolean;

  constructor(parts: AgentTerminalParts) {
    this.name = parts.name;
    this.provider = parts.provider;
    this.pane = parts.pane;
    this.launchedAtMs = parts.launchedAtMs;
    this.#parts = parts;
    this.#isFresh = parts.adopted === undefined;
    this.#reader = new PaneReader({ ...parts, client: parts.session.client });
  }

  get id(): string {
    return this.pane.paneId;
  }

  get wrapperShell(): string | undefined {
    return this.#reader.wrapperShell;
  }

  get seenRules(): readonly string[] {
    return this.#parts.tracker.seenRules;
  }

  get sessionId(): string | undefined {
    return this.#parts.tracker.record?.sessionId;
  }

  async waitUntilReady(
    options: TerminalCallOptions & { readonly timeoutMs: number; readonly resumes?: boolean },
  ): Promise<void> {
    await waitUntilReady({ ...this.#paneFor(options), ...options, provider: this.provider });
    await this.#reader.noteReady();
  }

  look(options: TerminalCallOptions = {}): Promise<PaneLook> {
    return this.#reader.look(options);
  }

  /** A look whose status comes from both screen and record; a doubtful screen is believed at once. */
  async #lookWithRecord(options: TerminalCallOptions): Promise<PaneLook> {
    const look = await this.look(options);
    return { ...look, classification: await this.#parts.tracker.judge(look, { quietMs: 0 }) };
  }

  async status(options: TerminalCallOptions = {}): Promise<JudgedStatus> {
    const judged = await this.#parts.tracker.judge(await this.#reader.lookIfChanged(options));
    return this.#parts.sandboxWatch?.judge(judged) ?? judged;
  }

  describeEnd(options: TerminalCallOptions = {}): Promise<string | undefined> {
    return this.#reader.describeEnd(options);
  }

  async failure(options: TerminalCallOptions = {}): Promise<AgentFailure | undefined> {
    const look = await this.look(options);
    // What a new program shows of a session that it resumes is over.
    const told = this.#isFresh
      ? { overBy: "nothing was submitted since its start" }
      : await this.#parts.tracker.lastFailure();
    return judgeFailure(this.provider, { ...told, shown: findShownFailure(look, this.provider), now: new Date() });
  }

  get wakeSources(): readonly WakeSource[] {
    const { hookMail: mail, session: { client: { paneEvents } } } = this.#parts;
    return [
      ...(paneEvents ? [paneWakeSource(paneEvents, this.pane.paneId)] : []),
      ...(mail ? [hookWakeSource(mail)] : []),
    ];
  }

  async submit(
    text: string,
    options: TerminalCallOptions & Pick<SubmitOptions, "onStep" | "mayBePasted"> = {},
  ): Promise<void> {
    const guarded = this.provider.terminal.guardPrompt(sanitizePaste(text));
    let announced = false;
    const announce = async () => {
      if (!announced) {
        this.#isFresh = false;
        await this.#parts.tracker.noteSubmission(guarded);
        this.#parts.sandboxWatch?.noteSubmission();
      }
      announced = true;
    };
    const pane = this.#paneFor(options);
    await submitText({
      ...pane,
      // Until Enter the record counts as well: an agent that looks finished may still be streaming.
      look: () => announced ? pane.look() : this.#lookWithRecord(options),
      async press(keys) {
        await announce();
        await pane.press(keys);
      },
    }, { ...this.provider.terminal.submit, ...options, text: guarded });
  }

  #paneFor(options: TerminalCallOptions): AgentPane {
    const { name, pane: { paneId } } = this;
    const { clock, session: { client } } = this.#parts;
    return {
      ...options,
      name,
      look: () => this.look(options),
      press: (keys) => sendKeys(client, paneId, { keys }),
      paste: (text) => pasteText(client, paneId, { text }),
      proofTimeoutMs: this.provider.terminal.submit.proofTimeoutMs,
      clock,
    };
  }

  holdsText(text: string, options: TerminalCallOptions = {}): Promise<boolean> {
    const guarded = this.provider.terminal.guardPrompt(sanitizePaste(text));
    return holdsDraft(this.#paneFor(options), guarded);
  }

  /** Whether words stand in the agent's composer that nobody has submitted, whoever typed them. */
  hasDraft(options: TerminalCallOptions = {}): Promise<boolean> {
    return hasDraft(this.#paneFor(options));
  }

  /** Answers a dialog that was seen in the pane, if it is still the one that is open. */
  answerDialog(
    dialog: DialogInfo,
    answer: DialogAnswer,
    options: TerminalCallOptions & Pick<AnswerOptions, "isMeant"> = {},
  ): Promise<AnswerOutcome> {
    const way = this.provider.terminal.answerWay(dialog, answer);
    return answerDialog(this.#paneFor(options), { ...options, dialog, answer, way });
  }

  answerQuestions(
    { callId, questions, replies }: Pick<QuestionOptions, "questions" | "replies"> & { readonly callId: string },
    options: TerminalCallOptions & Pick<QuestionOptions, "isMeant" | "perform">,
  ): Promise<QuestionsOutcome> {
    const { label, terminal: { questionDialogs: dialogs } } = this.provider;
    if (dialogs === undefined) throw new TypeError(`Questions of ${label} are answered by a person`);
    const recorded = async () => await (await this.#parts.tracker.readRecord())?.questionAnswers?.(callId);
    return answerQuestions(this.#paneFor(options), { ...options, dialogs, questions, replies, recorded });
  }

  /**
   * What the agent said last: in full where its CLI's record has it, otherwise as far as the terminal shows it. On the
   * alternate screen that is the visible rows.
   */
  async lastOutput(options: TerminalCallOptions = {}): Promise<string> {
    return await this.#parts.tracker.lastAnswer() ?? await this.#reader.lastBlock(options);
  }

  async pendingRequests(): Promise<readonly Request[]> {
    return await (await this.#parts.tracker.readRecord())?.pendingRequests?.() ?? [];
  }

  async compactions(): Promise<number> {
    return await (await this.#parts.tracker.readRecord())?.compactions?.() ?? 0;
  }

  async usage(): Promise<SessionUsage | undefined> {
    return await this.#parts.tracker.record?.usage?.();
  }

  async takeWork(): Promise<readonly AgentFact[]> {
    return await this.#parts.tracker.record?.takeWork?.() ?? [];
  }

  interrupt(options: TerminalCallOptions = {}): Promise<void> {
    return this.#paneFor(options).press(["Escape"]);
  }

  async workMark(options: TerminalCallOptions = {}): Promise<string | undefined> {
    if (await runsCommand(await this.processes(), this.provider.commandVariable)) return undefined;
    const [{ screen }, used] = [await this.look(options), await this.#parts.tracker.record?.usage?.()];
    return JSON.stringify([used, stillText(screen)]);
  }

  /** Its processes, with those that its commands have left. */
  async processes(): Promise<AgentProcesses> {
    const { pane, session } = this.#parts;
    return { root: pane.pid, own: await session.processesOf(pane) };
  }

  async close(): Promise<void> {
    await this.#parts.session.closePane(this.pane);
  }

  /**
   * Stops reading the record of the agent's CLI. The agent keeps running; its status is then read from the screen
   * alone.
   */
  releaseRecord(): void {
    this.#parts.tracker[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.releaseRecord();
    if (this.#parts.session.cleanupOnExit) await this.close();
  }
}
