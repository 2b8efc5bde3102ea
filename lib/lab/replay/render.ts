import { displayWidth } from "../../base/text/display_width.ts";
import { cellLines, commandSpan, formatElapsed, stickyPrompt } from "./cells.ts";
import { composerDisplay } from "./composer.ts";
import { BLANK, BOLD, DIM, type Line, line, renderLine, styled, wrapText } from "./lines.ts";
import { activityOf, type AgentState, type ApprovalDialog } from "./state.ts";

interface FrameOptions {
  readonly columns: number;
  readonly rows: number;
  readonly nowMs: number;
}

export interface Frame {
  readonly rows: readonly string[];
  readonly cursor: readonly [x: number, y: number] | undefined;
  readonly title: string;
}

const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const SPINNER_STEP_MS = 100;
const BULLET_STEP_MS = 600;
const DIALOG_BLINK_MS = 1000;
const PLACEHOLDER = "Ask Codex to do anything";
const ITALIC = "3";
const REVERSE_BOLD = "1;7";

/**
 * The screen of a state, drawn as Codex CLI 0.169.0 draws it on the alternate screen: transcript from the top,
 * composer, status line and footer at the bottom; a dialog in place of the composer. While the final answer streams
 * there is no "Working" row, only the title spins.
 */
export function renderFrame(state: AgentState, options: FrameOptions): Frame {
  const { columns, rows } = options;
  const bottom = state.dialog === undefined
    ? composerPane(state, options)
    : { lines: dialogLines(state.dialog, columns), cursor: undefined };
  const lines = bottom.lines.slice(-rows);
  const hidden = bottom.lines.length - lines.length;
  const top = transcriptWindow(state, columns, rows - lines.length);
  const cursor = bottom.cursor;
  return {
    rows: [...top, ...lines].map((row) => renderLine(row, columns)),
    cursor: cursor === undefined || cursor[1] < hidden
      ? undefined
      : [Math.min(cursor[0], columns - 1), top.length + cursor[1] - hidden],
    title: titleOf(state, options.nowMs),
  };
}

function titleOf(state: AgentState, nowMs: number): string {
  const project = state.workdir.split("/").filter((part) => part !== "").at(-1) ?? "/";
  const name = hasSession(state) ? `${state.sessionTitle} | ${project}` : project;
  switch (activityOf(state)) {
    case "resting":
      return name;
    case "asking":
      return `${Math.floor(nowMs / DIALOG_BLINK_MS) % 2 === 0 ? "[ ! ]" : "[ . ]"} Action Required | ${name}`;
    case "working":
    case "streaming":
      return `${SPINNER[Math.floor(nowMs / SPINNER_STEP_MS) % SPINNER.length]} ${name}`;
  }
}

function hasSession(state: AgentState): boolean {
  return state.cells.some((cell) => cell.type === "prompt");
}

function composerPane(state: AgentState, options: FrameOptions): { lines: Line[]; cursor: readonly [number, number] } {
  const { columns, rows, nowMs } = options;
  const activity = activityOf(state);
  const display = composerDisplay(state.composer);
  const draftRows = wrapText(display, columns - 3).slice(-Math.max(1, Math.floor(rows / 2)));
  const draft = display === ""
    ? [line(styled(BOLD, "›"), " ", styled(DIM, PLACEHOLDER))]
    : draftRows.map((row, index) => index === 0 ? line(styled(BOLD, "›"), ` ${row}`) : line(`  ${row}`));
  const above = [
    ...(activity === "working" ? [workingLine(nowMs - (state.turnStartedAtMs ?? nowMs)), BLANK] : []),
    ...queueLines(state.queued, columns),
    BLANK,
  ];
  const below = [BLANK, statusLine(state)];
  if (display === "") below.push(line("  ", styled(BOLD, "←"), " for agents · ", styled(BOLD, "?"), " for shortcuts"));
  else if (activity !== "resting") below.push(line("  ", styled(BOLD, "tab"), " to queue message"));
  return {
    lines: [...above, ...draft, ...below],
    cursor: [2 + displayWidth(draftRows.at(-1) ?? ""), above.length + draft.length - 1],
  };
}

function workingLine(elapsedMs: number): Line {
  const bullet = Math.floor(elapsedMs / BULLET_STEP_MS) % 2 === 0 ? "•" : styled(DIM, "◦");
  return line(
    bullet,
    " ",
    styled(DIM, "Working"),
    " ",
    styled(DIM, `(${formatElapsed(elapsedMs)} • `),
    styled(BOLD, "esc"),
    styled(DIM, " to interrupt)"),
  );
}

function queueLines(queued: readonly string[], columns: number): Line[] {
  if (queued.length === 0) return [];
  return [
    line(styled(DIM, "• "), "Queued follow-up inputs"),
    ...queued.map((prompt) => line(styled(DIM, "  ↳ "), styled("2;3", wrapText(prompt, columns - 4)[0] ?? ""))),
    line("    ", styled(BOLD, "shift+←"), styled(DIM, " edit last queued message")),
    BLANK,
  ];
}

function statusLine(state: AgentState): Line {
  return line(
    "  ",
    styled("38;5;223", `${state.model} default`),
    " · ",
    styled("38;5;151", state.workdir),
    ...(hasSession(state) ? [" · ", styled("38;5;111", state.sessionTitle)] : []),
  );
}

function dialogLines(dialog: ApprovalDialog, columns: number): Line[] {
  const prefix = dialog.command.split(/\s+/).slice(0, 2).join(" ");
  const options = [
    ["Yes, proceed", "y"],
    [`Yes, and don't ask again for commands that start with \`${prefix}\``, "p"],
    ["No, and tell Codex what to do differently", "esc"],
  ] as const;
  return [
    BLANK,
    line("  ", styled(BOLD, "Would you like to run the following command?")),
    BLANK,
    line("  Environment: ", styled(BOLD, "local")),
    BLANK,
    ...(dialog.reason === undefined ? [] : [...reasonLines(dialog.reason, columns), BLANK]),
    ...wrapText(dialog.command, columns - 5).map((row, index) => line(index === 0 ? "  $ " : "    ", commandSpan(row))),
    BLANK,
    BLANK,
    ...options.flatMap(([text, key], index) => {
      const selected = index === dialog.selected;
      const [first = "", ...more] = wrapText(`${text} (${key})`, columns - 6);
      return [`${selected ? "› " : "  "}${index + 1}. ${first}`, ...more.map((row) => `     ${row}`)]
        .map((row) => selected ? line(styled(REVERSE_BOLD, row)) : optionLine(row, `${key})`));
    }),
    BLANK,
    line(
      "  ",
      styled(DIM, "Press "),
      styled(BOLD, "enter"),
      styled(DIM, " to confirm or "),
      styled(BOLD, "esc"),
      styled(DIM, " to cancel"),
    ),
  ];
}

function reasonLines(reason: string, columns: number): Line[] {
  const label = "Reason: ";
  return wrapText(label + reason, columns - 4).map((row, index) =>
    index === 0 ? line(`  ${label}`, styled(ITALIC, row.slice(label.length))) : line("  ", styled(ITALIC, row))
  );
}

function optionLine(row: string, ending: string): Line {
  if (!row.endsWith(`(${ending}`)) return line(row);
  return line(row.slice(0, -ending.length), styled(BOLD, ending.slice(0, -1)), ")");
}

/** Built from the end, because a long session costs nothing then. */
function transcriptWindow(state: AgentState, columns: number, rows: number): Line[] {
  if (rows <= 0) return [];
  let lines: Line[] = [];
  let index = state.cells.length;
  let promptStart: number | undefined;
  while (index > 0 && lines.length < rows) {
    const cell = state.cells[--index]!;
    lines = [...cellLines(cell, columns), BLANK, ...lines];
    if (cell.type === "prompt") promptStart ??= lines.length;
  }
  if (lines.length < rows) lines = [...headerLines(state), ...lines];
  if (lines.length <= rows) return [...lines, ...Array.from({ length: rows - lines.length }, () => BLANK)];
  const window = lines.slice(-rows);
  if (promptStart !== undefined && promptStart <= rows) return window;
  const prompt = state.cells.findLast((cell) => cell.type === "prompt");
  return prompt === undefined ? window : [stickyPrompt(prompt.text), ...window.slice(1)];
}

function headerLines(state: AgentState): Line[] {
  return [
    BLANK,
    line("  ", styled("38;5;75", ">_ "), styled(BOLD, "OpenAI Codex"), styled(DIM, " (v0.169.0) played by panewright")),
    line(styled(DIM, `     ${state.workdir}`)),
    ...(state.asksForApproval ? [] : [line(styled(DIM, "  permissions: "), styled("1;38;5;5", "YOLO mode"))]),
    BLANK,
  ];
}
