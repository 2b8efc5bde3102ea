import type { Role } from "../../handoff/roles.ts";
import type { DialogDesk } from "../../handoff/dialog_desk.ts";
import { sendAndWait } from "../../handoff/send_and_wait.ts";
import { openWakeUp } from "../../handoff/wake_up.ts";
import type { RunFolder } from "../../journal/run_folder.ts";
import type { Clock } from "../../ports/clock.ts";
import type { WakeSource } from "../../providers/wake_source.ts";
import type { AgentTeam } from "./agents.ts";
import type { DialogDeskTurn } from "./dialog_desk.ts";
import type { ReviewLoopEvent } from "./events.ts";
import { saveFailureScreen } from "./failure_screen.ts";
import type { ReviewRunPlan } from "./plan.ts";
import type { Turn } from "./state.ts";

/** What the turns of a run are played with. */
export interface AskAgentOptions {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  readonly team: AgentTeam;
  /** Tells of new response files. */
  readonly responses: WakeSource;
  readonly emit: (event: ReviewLoopEvent) => void;
  /** Makes the desk that deals with the dialogs of one turn. */
  readonly createDesk: (turn: DialogDeskTurn) => DialogDesk;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The review loop's way to its agents: sends a role's prompt to its pane and waits for the response file.
 *
 * A turn that fails leaves the screen of its pane in the run's folder.
 */
export function createAskAgent(
  options: AskAgentOptions,
): (role: Role, prompt: string, turn: Turn) => Promise<string> {
  const { plan, folder, team, responses, emit, createDesk, clock, signal } = options;
  const prompted = new Set<Role>();
  const acceptTimes = new Map<string, number>();

  return async (role, prompt, { id: turnId }) => {
    const terminal = team.terminals[role];
    const terminalId = terminal.pane.paneId;
    const startedAtMs = clock.now();
    const settleBeforeSend = !prompted.has(role);
    prompted.add(role);
    const desk = createDesk({ turnId, role, terminal });
    using wakeUp = openWakeUp({ clock, sources: [responses, ...(terminal.wakeSource ? [terminal.wakeSource] : [])] });
    try {
      return await sendAndWait(team.api, terminalId, role, prompt, {
        workdir: plan.workdir,
        archiveDir: folder.responsesDir,
        settings: plan.handoff,
        settleBeforeSend,
        acceptTimes,
        wake: (untilMs, turnSignal) => wakeUp.wait(untilMs, turnSignal),
        clock,
        signal,
        log: (message) => emit({ type: "warning", role, message }),
        onReminder: (reminder) => emit({ type: "reminder_sent", turnId, role, reminder }),
        onArchived: ({ path, bytes }) =>
          emit({
            type: "response_received",
            turnId,
            role,
            bytes,
            archivedAs: path,
            seconds: (clock.now() - startedAtMs) / 1000,
          }),
        onStatus: (status) => emit({ type: "status_changed", turnId, role, status }),
        dialogs: desk,
      });
    } catch (error) {
      if (!signal.aborted) await saveFailureScreen(terminal, { folder, name: turnId });
      throw error;
    } finally {
      desk.noteClosed();
    }
  };
}
