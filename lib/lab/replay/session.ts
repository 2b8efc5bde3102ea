import type { Clock } from "../../base/ports/clock.ts";
import type { ReplayStep, RoleScript } from "./script.ts";
import { type Composer, EMPTY_COMPOSER, eraseLast, pasteText, pressEnter, typeText } from "./composer.ts";
import { pressInDialog } from "./dialog_input.ts";
import type { InputEvent, Key } from "../../base/text/keys.ts";
import { performTurn, type Stage, type TurnEnding } from "./perform.ts";
import { addCell, type AgentState, beginTurn, endTurn, initialState } from "./state.ts";
import { errorText } from "../../base/text/error_text.ts";

interface SessionOptions {
  readonly script: RoleScript;
  readonly role: string;
  readonly workdir: string;
  readonly clock: Clock;
  timeOfDay(): string;
  onChange(): void;
  readonly onPrompt?: (prompt: string) => void;
  /** Told what a CLI would keep in a record of its own, whenever that changes. */
  readonly onRecord?: (record: SessionRecord) => void;
}

/** What a session says of itself beside its screen. */
export interface SessionRecord {
  /** The commands that wait for their approval. */
  readonly pending: readonly string[];
  /** What ended the last turn, and when; missing where that has not failed. */
  readonly failed?: { readonly text: string; readonly at: string };
}

export interface SessionEnd {
  readonly exitCode: number;
  readonly restoreTerminal: boolean;
}

const NOTHING: SessionRecord = { pending: [] };

export interface Session {
  readonly state: AgentState;
  input(event: InputEvent): void;
  quit(exitCode: number): void;
  readonly ended: Promise<SessionEnd>;
}

interface Live {
  readonly options: SessionOptions;
  readonly ended: PromiseWithResolvers<SessionEnd>;
  readonly life: AbortController;
  state: AgentState;
  record: SessionRecord;
  turnCount: number;
  turn?: AbortController | undefined;
  answerDialog?: ((approved: boolean) => void) | undefined;
}

export function createSession(options: SessionOptions): Session {
  const live: Live = {
    options,
    ended: Promise.withResolvers(),
    life: new AbortController(),
    state: initialState({
      workdir: options.workdir,
      asksForApproval: options.script.turns.flatMap(({ steps }) => steps).some((step) =>
        step.kind === "run" && step.value.approval !== undefined
      ),
      model: `replay-${options.role}`,
      sessionTitle: options.role,
    }),
    record: NOTHING,
    turnCount: 0,
  };
  return {
    get state() {
      return live.state;
    },
    ended: live.ended.promise,
    quit: (exitCode) => end(live, { exitCode, restoreTerminal: true }),
    input: (event) => takeInput(live, event),
  };
}

function takeInput(live: Live, event: InputEvent): void {
  if (live.answerDialog !== undefined) return inputToDialog(live, { event, answer: live.answerDialog });
  switch (event.type) {
    case "text":
      return compose(live, typeText(live.state.composer, event.text, live.options.clock.now()));
    case "paste":
      return compose(live, pasteText(live.state.composer, event.text));
    case "key":
      return pressKeyInComposer(live, event.key);
  }
}

function update(live: Live, change: (state: AgentState) => AgentState): void {
  live.state = change(live.state);
  live.options.onChange();
}

function note(live: Live, record: SessionRecord): void {
  if (record === live.record) return;
  live.record = record;
  live.options.onRecord?.(record);
}

function compose(live: Live, composer: Composer): void {
  update(live, (state) => ({ ...state, composer }));
}

function end(live: Live, how: SessionEnd): void {
  live.turn?.abort();
  live.life.abort();
  live.ended.resolve(how);
}

function nextSteps(live: Live, prompt: string): readonly ReplayStep[] {
  const { turns, repeatLast } = live.options.script;
  const named = turns.findIndex(({ when }) => when !== undefined && prompt.includes(when));
  const index = named < 0 ? live.turnCount : named;
  live.turnCount = index + 1;
  const turn = turns[index] ?? (repeatLast ? turns.at(-1) : undefined);
  if (turn !== undefined) return turn.steps;
  const count = `${turns.length} ${turns.length === 1 ? "turn" : "turns"}`;
  return [{ kind: "fail", value: `The replay script has only ${count} for this role.` }];
}

async function startTurn(live: Live, prompt: string): Promise<void> {
  const { workdir, clock, timeOfDay } = live.options;
  const afterwards: (() => Promise<void>)[] = [];
  const controller = live.turn = new AbortController();
  const stage: Stage = {
    workdir,
    clock,
    update(change) {
      if (!controller.signal.aborted) update(live, change);
    },
    askApproval: (request, signal) => askApproval(live, { ...request, signal }),
    afterTurn: (delayMs, act) => afterwards.push(() => clock.sleep(delayMs, live.life.signal).then(act)),
  };
  note(live, NOTHING);
  update(live, (state) => beginTurn(state, prompt, clock.now()));
  const { signal } = controller;
  const ending = await performTurn(nextSteps(live, prompt), { prompt, stage, signal }).catch((error): TurnEnding =>
    signal.aborted ? { type: "interrupted" } : { type: "error", text: errorText(error) }
  );
  live.turn = undefined;
  if (live.life.signal.aborted) return;
  if (ending.type === "crashed") return end(live, { exitCode: ending.exitCode, restoreTerminal: false });
  if (ending.type === "error") {
    note(live, { pending: [], failed: { text: ending.text, at: new Date().toISOString() } });
  }
  const closing = ending.type === "completed" ? { ...ending, nowMs: clock.now(), at: timeOfDay() } : ending;
  update(live, (state) => endTurn(state, closing));
  for (const act of afterwards) {
    act().catch((error) => {
      if (!live.life.signal.aborted) update(live, (state) => addCell(state, { type: "error", text: errorText(error) }));
    });
  }
  if (ending.type !== "interrupted") startQueued(live);
  else if (live.state.queued.length > 0) returnQueuedToComposer(live);
}

function askApproval(
  live: Live,
  { command, reason, signal }: Parameters<Stage["askApproval"]>[0] & { readonly signal: AbortSignal },
): Promise<boolean> {
  const answer = Promise.withResolvers<boolean>();
  const close = (settle: () => void) => {
    if (live.answerDialog !== take) return;
    live.answerDialog = undefined;
    update(live, (state) => ({ ...state, dialog: undefined }));
    note(live, NOTHING);
    settle();
  };
  const take = (approved: boolean) => close(() => answer.resolve(approved));
  live.answerDialog = take;
  signal.addEventListener("abort", () => close(() => answer.reject(signal.reason)), { once: true });
  note(live, { pending: [command] });
  const dialog = { command, reason: reason === "" ? undefined : reason, selected: 0 };
  update(live, (state) => ({ ...state, dialog }));
  return answer.promise;
}

function startQueued(live: Live): void {
  const [prompt, ...queued] = live.state.queued;
  if (prompt === undefined) return;
  live.state = { ...live.state, queued };
  startTurn(live, prompt);
}

function returnQueuedToComposer(live: Live): void {
  update(live, (state) => ({
    ...state,
    queued: [],
    composer: pasteText(state.composer, state.queued.join("\n")),
  }));
}

function submit(live: Live, text: string): void {
  if (text === "/quit") return end(live, { exitCode: 0, restoreTerminal: true });
  live.options.onPrompt?.(text);
  if (live.turn === undefined) startTurn(live, text);
  else update(live, (state) => ({ ...state, queued: [...state.queued, text] }));
}

function pressKeyInComposer(live: Live, key: Key): void {
  const { state: { composer }, turn, options: { clock } } = live;
  switch (key) {
    case "enter": {
      const pressed = pressEnter(composer, clock.now());
      compose(live, pressed.composer);
      if (pressed.submitted !== undefined) submit(live, pressed.submitted);
      return;
    }
    case "tab": {
      const pressed = pressEnter({ ...composer, lastTypedAtMs: undefined }, clock.now());
      if (turn === undefined || pressed.submitted === undefined) return;
      compose(live, pressed.composer);
      return submit(live, pressed.submitted);
    }
    case "newline":
    case "alt-enter":
    case "shift-enter":
      return compose(live, pasteText(composer, "\n"));
    case "backspace":
      return compose(live, eraseLast(composer));
    case "ctrl-u":
      return compose(live, EMPTY_COMPOSER);
    case "escape":
      return turn?.abort();
    case "ctrl-c":
      if (turn !== undefined) return turn.abort();
      if (composer.parts.length === 0) return end(live, { exitCode: 0, restoreTerminal: true });
      return compose(live, EMPTY_COMPOSER);
  }
}

function inputToDialog(
  live: Live,
  { event, answer }: { readonly event: InputEvent; readonly answer: (approved: boolean) => void },
): void {
  const selected = pressInDialog(event, live.state.dialog?.selected ?? 0);
  if (typeof selected === "boolean") return answer(selected);
  update(live, (state) => state.dialog === undefined ? state : { ...state, dialog: { ...state.dialog, selected } });
}
