import { type Composer, EMPTY_COMPOSER } from "./composer.ts";

/** An entry of the transcript. */
export type Cell =
  | { readonly type: "prompt"; readonly text: string }
  /** A message of the agent; `streaming` while it grows. */
  | { readonly type: "message"; readonly text: string; readonly streaming: boolean }
  | { readonly type: "command"; readonly command: string; readonly result: CommandOutcome | undefined }
  | { readonly type: "explored"; readonly files: readonly string[]; readonly done: boolean }
  | { readonly type: "decision"; readonly approved: boolean; readonly command: string }
  | { readonly type: "worked_for"; readonly ms: number; readonly at: string }
  | { readonly type: "interrupted" }
  | { readonly type: "error"; readonly text: string };

/** The outcome of a command that the program pretends to run. */
interface CommandOutcome {
  readonly exitCode: number;
  readonly output: string;
}

/** A request to approve a command. */
export interface ApprovalDialog {
  readonly command: string;
  readonly reason: string | undefined;
  /** Which of the three options is selected, from 0. */
  readonly selected: number;
}

/** All that the program shows. */
export interface AgentState {
  /** The folder that it was started in. */
  readonly workdir: string;
  /** Whether any command needs approval; if not, the header says that all are run. */
  readonly asksForApproval: boolean;
  /** Shown as the model's name. */
  readonly model: string;
  /** The session's name after its first prompt. */
  readonly sessionTitle: string;
  readonly cells: readonly Cell[];
  /** When the current turn began; undefined between turns. */
  readonly turnStartedAtMs: number | undefined;
  readonly dialog: ApprovalDialog | undefined;
  readonly composer: Composer;
  /** Prompts that were submitted while the agent was busy. */
  readonly queued: readonly string[];
}

/** The state of a newly started program. */
export function initialState(
  options: Pick<AgentState, "workdir" | "asksForApproval" | "model" | "sessionTitle">,
): AgentState {
  return {
    ...options,
    cells: [],
    turnStartedAtMs: undefined,
    dialog: undefined,
    composer: EMPTY_COMPOSER,
    queued: [],
  };
}

/** What the agent is doing, as far as it changes the bottom of the screen. */
export function activityOf(state: AgentState): "resting" | "working" | "streaming" | "asking" {
  if (state.dialog !== undefined) return "asking";
  if (state.turnStartedAtMs === undefined) return "resting";
  const last = state.cells.at(-1);
  return last?.type === "message" && last.streaming ? "streaming" : "working";
}

/** The state after a prompt has begun a turn. */
export function beginTurn(state: AgentState, prompt: string, nowMs: number): AgentState {
  return { ...addCell(state, { type: "prompt", text: prompt }), turnStartedAtMs: nowMs };
}

/** How a turn ended. */
export type TurnEnding =
  /** `at` is the time of day in the closing row, such as `05:50`. */
  | { readonly type: "completed"; readonly nowMs: number; readonly at: string }
  | { readonly type: "interrupted" }
  | { readonly type: "error"; readonly text: string };

/** The state after a turn: the agent waits for the next prompt. */
export function endTurn(state: AgentState, ending: TurnEnding): AgentState {
  const settled = settleCells(state);
  const closing: Cell = ending.type === "completed"
    ? { type: "worked_for", ms: ending.nowMs - (state.turnStartedAtMs ?? ending.nowMs), at: ending.at }
    : ending;
  return { ...addCell(settled, closing), turnStartedAtMs: undefined, dialog: undefined };
}

/** The transcript with one more cell. */
export function addCell(state: AgentState, cell: Cell): AgentState {
  return { ...state, cells: [...state.cells, cell] };
}

/** The transcript with its last cell replaced. */
export function replaceLastCell(state: AgentState, cell: Cell): AgentState {
  return { ...state, cells: [...state.cells.slice(0, -1), cell] };
}

/** The state without the first queued prompt, and that prompt. */
export function takeQueued(state: AgentState): { readonly state: AgentState; readonly prompt: string | undefined } {
  const [prompt, ...queued] = state.queued;
  return { state: { ...state, queued }, prompt };
}

/** Ends everything that runs or streams; a command that is still running ends with 1, as in Codex. */
function settleCells(state: AgentState): AgentState {
  return {
    ...state,
    cells: state.cells.map((cell): Cell => {
      if (cell.type === "message") return { ...cell, streaming: false };
      if (cell.type === "explored") return { ...cell, done: true };
      if (cell.type === "command") return { ...cell, result: cell.result ?? { exitCode: 1, output: "" } };
      return cell;
    }),
  };
}
