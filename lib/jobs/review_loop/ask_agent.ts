import { RuntimeError } from "../../errors.ts";
import type { Role } from "../../roles.ts";
import type { DialogDesk } from "../../handoff/dialog_desk.ts";
import { continuationPrompt, replacementPrompt } from "../../handoff/instruction.ts";
import { playTurn } from "../../handoff/play_turn.ts";
import type { BegunTurn, Message } from "../../handoff/settings.ts";
import { openWakeUp } from "../../handoff/wake_up.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readRegularFile } from "../../ports/regular_file.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentTerminal } from "../../providers/terminal/agent_terminal.ts";
import type { WakeSource } from "../../providers/terminal/wake_source.ts";
import { sha256Hex } from "../../text/digest.ts";
import type { AgentTeam } from "./agents.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type { DialogDeskTurn } from "../../dialogs/desk_context.ts";
import type { HeadlessFact } from "../../providers/headless.ts";
import type { ReviewFact } from "./facts.ts";
import { saveFailureScreen } from "./failure_screen.ts";
import { contextOf } from "./fold.ts";
import { lookUpNames } from "./existing_names.ts";
import { keepMessage, type KeptMessage, MAX_KEPT_BYTES, readMessage } from "./messages.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { buildPrompt } from "./prompts/mod.ts";
import type { OpenTurn, RunState } from "./run_state.ts";
import type { LoopResponse, Turn } from "./state.ts";
import { type TokenCounter, whileCounting } from "./token_counter.ts";

/** What the turns of a run are played with. */
export interface AskAgentOptions {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  /** Takes secrets out of the screens that are kept. */
  readonly redactor: Redactor;
  readonly team: AgentTeam;
  readonly counter: TokenCounter;
  /** Tells of new response files. */
  readonly responses: WakeSource;
  /** Where the run stands, with everything that was recorded. */
  readonly state: () => RunState;
  /** Writes an event to the journal; a response's with its text. */
  readonly record: (event: ReviewFact, text?: string) => void;
  /** Shows the panes to a person. */
  readonly attachCommand: string;
  /** Told once for each draft that a person has to submit or delete. */
  readonly onStuck: (role: Role, message: string) => void;
  /** Makes the desk that deals with the dialogs of one turn. */
  readonly createDesk: (turn: DialogDeskTurn) => DialogDesk;
  /** Makes what is told of each thing that a role's agent runs in a turn. */
  readonly commandsOf: (role: Role, turnId: string) => (fact: HeadlessFact) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The review loop's way to its agents: sends a role's prompt to its pane and waits for the response file.
 *
 * What is sent is written down first, and so is that it is about to be sent; a turn that an earlier process began
 * continues where that one left it. A turn that fails leaves the screen of its pane in the run's folder.
 */
export function createAskAgent(
  options: AskAgentOptions,
): (role: Role, prompt: string, turn: Turn) => Promise<LoopResponse> {
  const { plan, folder, redactor, team, counter, responses, state, record, createDesk, clock, signal } = options;
  /** The terminals that were used before. */
  const known = new Set<string>();
  const acceptTimes = new Map<string, number>();

  return async (role, prompt, turn) => {
    // With the time of an agent that was lost: the turn's minutes are capped.
    const startedAtMs = clock.now();
    let isNew = await team.start(role);
    for (;;) {
      // What an agent before was told may be new to this one.
      const text = isNew ? buildPrompt({ context: contextOf(state()), state: state().loop, turn }) : prompt;
      const terminal = team.terminalOf(role);
      try {
        return await play(role, text, { turnId: turn.id, terminal, startedAtMs });
      } catch (error) {
        if (!await restart(role, { error, terminal })) throw error;
      }
      isNew = true;
    }
  };

  /** Starts an agent again whose program ended by itself; false where that is not what the turn failed of. */
  async function restart(
    role: Role,
    { error, terminal }: { readonly error: unknown; readonly terminal: AgentTerminal },
  ): Promise<boolean> {
    const restart = (state().restarts[role] ?? 0) + 1;
    const { maxAgentRestarts: maxRestarts } = plan;
    if (signal.aborted || !(error instanceof RuntimeError) || restart > maxRestarts) return false;
    const reason = await terminal.describeEnd().catch(() => undefined);
    if (reason === undefined) return false;
    await counter.countAll();
    record({ type: "agent_lost", role, terminalId: terminal.id, reason, restart, maxRestarts });
    await team.restart(role);
    return true;
  }

  async function play(
    role: Role,
    prompt: string,
    { turnId, terminal, startedAtMs }: {
      readonly turnId: string;
      readonly terminal: AgentTerminal;
      readonly startedAtMs: number;
    },
  ): Promise<LoopResponse> {
    const { id: terminalId } = terminal;
    let source: Omit<LoopResponse, "text"> = {};
    const isKnown = known.has(terminalId);
    known.add(terminalId);
    const open = state().turn;
    const begun = open?.id === turnId ? open : undefined;
    if (begun?.lastAcceptAtMs !== undefined) {
      acceptTimes.set(terminalId, clock.now() - Math.max(0, Date.now() - begun.lastAcceptAtMs));
    }
    const noteAgent = () => {
      const { sessionId, seenRules: rules } = terminal;
      const agent = state().agents[role];
      if (sessionId !== undefined && sessionId !== agent?.sessionId) record({ type: "agent_session", role, sessionId });
      if (rules.length > (agent?.seenRules.length ?? 0)) record({ type: "agent_rules_seen", role, rules });
    };
    const keep = createKeeper(folder, { turnId, kept: begun?.message });
    const desk = createDesk({ turnId, role, terminal });
    const usedBefore = begun?.usedBefore ?? 0;
    const noteCommand = options.commandsOf(role, turnId);
    // What it ran in an earlier turn is past.
    await terminal.takeWork();
    using wakeUp = openWakeUp({ clock, sources: [responses, ...terminal.wakeSources] });
    try {
      const earlier = begun === undefined ? {} : { begun: await begunTurn(folder, begun), messageKind: kindFor(begun) };
      const play = (signal: AbortSignal) =>
        playTurn(terminal, {
          role,
          message: begun === undefined ? prompt : promptFor(begun, prompt),
          workdir: plan.workdir,
          archiveDir: folder.responsesDir,
          settings: plan.handoff,
          settleBeforeSend: async () => !isKnown && !await team.hasSettled(role),
          acceptTimes,
          ...earlier,
          async wake(untilMs, turnSignal) {
            for (const fact of await terminal.takeWork()) noteCommand(fact);
            await wakeUp.wait(untilMs, turnSignal);
          },
          clock,
          signal,
          log: (line) => record({ type: "warning", role, message: line.replace(/^Warning: /, "") }),
          async onMessage({ what, text, step }, dispatch) {
            if (step === "sent") return record({ type: "message_sent", turnId, role, what });
            const kept = await keep({ what, text });
            const dispatched = dispatch === undefined ? {} : { dispatchedAtMs: dispatch.mtimeMs };
            record({ type: "message_sending", turnId, role, terminalId, what, step, ...kept, ...dispatched });
          },
          onFailure({ class: failureClass, text: message, evidence, resetsAt }, retry) {
            const reset = resetsAt === undefined ? {} : { resetsAt: resetsAt.toISOString() };
            const again = retry === undefined ? {} : { retryAt: retry.at.toISOString(), retry: retry.number };
            record({ type: "agent_failed", turnId, role, class: failureClass, message, evidence, ...reset, ...again });
          },
          onHeld(held) {
            if (held === undefined) return record({ type: "message_released", turnId, role, passable: true });
            const { attachCommand } = options;
            record({ type: "message_held", turnId, role, terminalId, ...held, attachCommand, passable: true });
            if (held.obstacle === "draft") {
              const text = `${role} cannot be sent its ${held.what}: a person's draft stands in its composer.`;
              options.onStuck(role, text);
            }
          },
          draftTimeoutSeconds: plan.permissions.dialogTimeoutSeconds,
          onTimeUsed: (usedSeconds) => record({ type: "turn_time", turnId, role, usedSeconds, passable: true }),
          onReminder: (reminder) => record({ type: "reminder_sent", turnId, role, reminder }),
          async onArchived({ path, bytes, text }) {
            noteAgent();
            const sha256 = await sha256Hex(readRegularFile(path, { maxBytes: MAX_KEPT_BYTES }));
            const seconds = (clock.now() - startedAtMs) / 1000;
            const names = lookUpNames(plan.workdir, { role, text });
            source = { file: path, ...names };
            const received = { turnId, role, bytes, archivedAs: path, sha256, seconds, ...names };
            record({ type: "response_received", ...received }, text);
          },
          onStatus(status, { rule, record: said }) {
            noteAgent();
            const by = rule === undefined ? {} : { rule };
            record({
              type: "status_changed",
              turnId,
              role,
              status,
              ...by,
              ...(said === undefined ? {} : { record: said }),
            });
          },
          dialogs: desk,
        });
      const response = await whileCounting({ counter, role, signal }, play);
      await counter.requireCount(role, usedBefore, signal);
      return { text: response, ...source };
    } catch (error) {
      if (!signal.aborted) await saveFailureScreen(terminal, { folder, name: turnId, redactor });
      throw error;
    } finally {
      desk.noteClosed();
    }
  }

  /** An agent that lost its prompt in the middle of the work is told so, unless the prompt waits to be sent already. */
  function promptFor(open: OpenTurn, prompt: string): string {
    if (!open.interrupted || open.message !== undefined) return prompt;
    return isContinued(open) ? continuationPrompt(plan.workdir, open.role) : replacementPrompt(prompt);
  }

  function kindFor(open: OpenTurn): "prompt" | "continuation" {
    return open.interrupted && isContinued(open) ? "continuation" : "prompt";
  }

  function isContinued({ role }: OpenTurn): boolean {
    return state().agents[role]?.hasMemory === true;
  }
}

/** Writes each message down once, however often keys are pressed for it. */
function createKeeper(
  folder: RunFolder,
  { turnId, kept: earlier }: { readonly turnId: string; readonly kept: OpenTurn["message"] },
): (message: Pick<Message, "what" | "text">) => Promise<KeptMessage> {
  let last: { readonly text: string; readonly kept: KeptMessage } | undefined;
  return async ({ what, text }) => {
    if (last?.text === text) return last.kept;
    const sha256 = await sha256Hex(text);
    const kept = earlier?.sha256 === sha256
      ? { file: earlier.file, bytes: new TextEncoder().encode(text).length, sha256 }
      : await keepMessage(folder, { turnId, what, text });
    last = { text, kept };
    return kept;
  };
}

async function begunTurn(folder: RunFolder, open: OpenTurn): Promise<BegunTurn> {
  const { message, dispatchedAtMs, usedSeconds, reminders, retries, acceptedDialogs, declinedDialogs } = open;
  return {
    usedSeconds,
    reminders,
    retries,
    acceptedDialogs,
    declinedDialogs,
    ...(dispatchedAtMs === undefined ? {} : { dispatch: { mtimeMs: dispatchedAtMs } }),
    ...(message === undefined
      ? {}
      : { message: { what: message.what, step: message.step, text: await readMessage(folder, message) } }),
  };
}
