import type { Role } from "../../handoff/roles.ts";
import { sendAndWait } from "../../handoff/send_and_wait.ts";
import type { RunFolder } from "../../journal/run_folder.ts";
import type { Clock } from "../../ports/clock.ts";
import type { AgentTeam } from "./agents.ts";
import type { ReviewLoopEvent } from "./events.ts";
import { saveFailureScreen } from "./failure_screen.ts";
import type { ReviewRunPlan } from "./plan.ts";
import type { Turn } from "./state.ts";

/** What the turns of a run are played with. */
export interface AskAgentOptions {
  readonly plan: ReviewRunPlan;
  readonly folder: RunFolder;
  readonly team: AgentTeam;
  readonly emit: (event: ReviewLoopEvent) => void;
  /** Told once for each time that an agent stands at a prompt which nobody answers. */
  readonly onStuck: (role: Role, message: string) => void;
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
  const { plan, folder, team, emit, onStuck, clock, signal } = options;
  const prompted = new Set<Role>();
  const acceptTimes = new Map<string, number>();

  return async (role, prompt, { id: turnId }) => {
    const terminal = team.terminals[role];
    const terminalId = terminal.pane.paneId;
    const startedAtMs = clock.now();
    const settleBeforeSend = !prompted.has(role);
    prompted.add(role);
    let stuckTold = false;
    try {
      return await sendAndWait(team.api, terminalId, role, prompt, {
        workdir: plan.workdir,
        archiveDir: folder.responsesDir,
        settings: plan.handoff,
        settleBeforeSend,
        acceptTimes,
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
        onStatus: (status) => {
          emit({ type: "status_changed", turnId, role, status });
          if (status !== "waiting_user_answer" || plan.handoff.autoAcceptPermissions || stuckTold) return;
          stuckTold = true;
          onStuck(role, `${role} waits for an answer in terminal ${terminalId} (turn ${turnId}).`);
        },
        answerDialog: async () => void await terminal.acceptDialog({ signal }),
      });
    } catch (error) {
      if (!signal.aborted) await saveFailureScreen(terminal, { folder, name: turnId });
      throw error;
    }
  };
}
