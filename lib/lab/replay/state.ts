import { type Composer, EMPTY_COMPOSER } from "./composer.ts";

export type Cell =
  | { readonly type: "prompt"; readonly text: string }
  | { readonly type: "message"; readonly text: string; readonly streaming: boolean }
  | { readonly type: "command"; readonly command: string; readonly result: CommandOutcome | undefined }
  | { readonly type: "explored"; readonly files: readonly string[]; readonly done: boolean }
  | { readonly type: "decision"; readonly approved: boolean; readonly command: string }
  | { readonly type: "worked_for"; readonly ms: number; readonly at: string }
  | { readonly type: "interrupted" }
  | { readonly type: "error"; readonly text: string };

interface CommandOutcome {
  readonly exitCode: number;
  readonly output: string;
}

export interface ApprovalDialog {
  readonly command: string;
  readonly reason: string | undefined;
  readonly selected: number;
}

export interface AgentState {
  readonly workdir: string;
  readonly asksForApproval: boolean;
  readonly model: string;
  readonly sessionTitle: string;
  readonly cells: readonly Cell[];
  readonly turnStartedAtMs: number | undefined;
  readonly dialog: ApprovalDialog | undefined;
  readonly composer: Composer;
  readonly queued: readonly string[];
}

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

export function activityOf(state: AgentState): "resting" | "working" | "streaming" | "asking" {
  if (state.dialog !== undefined) return "asking";
  if (state.turnStartedAtMs === undefined) return "resting";
  const last = state.cells.at(-1);
  return last?.type === "message" && last.streaming ? "streaming" : "working";
}

export function beginTurn(state: AgentState, prompt: string, nowMs: number): AgentState {
  return { ...addCell(state, { type: "prompt", text: prompt }), turnStartedAtMs: nowMs };
}

export function endTurn(
  state: AgentState,
  ending:
    | { readonly type: "completed"; readonly nowMs: number; readonly at: string }
    | Extract<Cell, { type: "interrupted" | "error" }>,
): AgentState {
  const closing: Cell = ending.type === "completed"
    ? { type: "worked_for", ms: ending.nowMs - (state.turnStartedAtMs ?? ending.nowMs), at: ending.at }
    : ending;
  return { ...addCell(settleCells(state), closing), turnStartedAtMs: undefined, dialog: undefined };
}

export function addCell(state: AgentState, cell: Cell): AgentState {
  return { ...state, cells: [...state.cells, cell] };
}

export function replaceLastCell(state: AgentState, cell: Cell): AgentState {
  return { ...state, cells: [...state.cells.slice(0, -1), cell] };
}

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
