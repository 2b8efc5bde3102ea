import type { Clock } from "../../base/ports/clock.ts";
import type { ReplayStep, RoleScript } from "./script.ts";
import { EMPTY_COMPOSER, eraseLast, pasteText, pressEnter, typeText } from "./composer.ts";
import { pressInDialog } from "./dialog_input.ts";
import type { InputEvent, Key } from "../../base/text/keys.ts";
import { performTurn, type Stage, type TurnResult } from "./perform.ts";
import { addCell, type AgentState, beginTurn, endTurn, initialState, takeQueued, type TurnEnding } from "./state.ts";
import { errorText } from "../../base/text/error_text.ts";

interface SessionOptions {
  readonly script: RoleScript;
  readonly role: string;
  readonly workdir: string;
  readonly clock: Clock;
  timeOfDay(): string;
  onChange(): void;
  readonly onPrompt?: (prompt: string) => void;
  readonly onPending?: (commands: readonly string[]) => void;
}

/** How a session ended; after a crash, the terminal is left as it is. */
export interface SessionEnd {
  readonly exitCode: number;
  readonly restoreTerminal: boolean;
}

export interface Session {
  readonly state: AgentState;
  input(event: InputEvent): void;
  quit(exitCode: number): void;
  readonly ended: Promise<SessionEnd>;
}

export function createSession(options: SessionOptions): Session {
  const { clock, script } = options;
  const ended = Promise.withResolvers<SessionEnd>();
  const life = new AbortController();
  let state = initialState({
    workdir: options.workdir,
    asksForApproval: script.turns.flatMap(({ steps }) => steps).some((step) =>
      step.kind === "run" && step.value.approval !== undefined
    ),
    model: `replay-${options.role}`,
    sessionTitle: options.role,
  });
  let turnCount = 0;
  let turn: AbortController | undefined;
  let answerDialog: ((approved: boolean) => void) | undefined;

  const update = (change: (state: AgentState) => AgentState) => {
    state = change(state);
    options.onChange();
  };

  const end = (how: SessionEnd) => {
    turn?.abort();
    life.abort();
    ended.resolve(how);
  };

  const nextSteps = (prompt: string): readonly ReplayStep[] => {
    const { turns, repeatLast } = script;
    const named = turns.findIndex(({ when }) => when !== undefined && prompt.includes(when));
    const index = named < 0 ? turnCount : named;
    turnCount = index + 1;
    const turn = turns[index] ?? (repeatLast ? turns.at(-1) : undefined);
    if (turn !== undefined) return turn.steps;
    const count = `${turns.length} ${turns.length === 1 ? "turn" : "turns"}`;
    return [{ kind: "fail", value: `The replay script has only ${count} for this role.` }];
  };

  const startTurn = async (prompt: string) => {
    const afterwards: (() => Promise<void>)[] = [];
    const controller = turn = new AbortController();
    const stage: Stage = {
      workdir: options.workdir,
      clock,
      update(change) {
        if (!controller.signal.aborted) update(change);
      },
      askApproval: (request, signal) => askApproval(request, signal),
      afterTurn: (delayMs, act) => afterwards.push(() => clock.sleep(delayMs, life.signal).then(act)),
    };
    update((state) => beginTurn(state, prompt, clock.now()));
    let result: TurnResult | { readonly type: "interrupted" };
    try {
      result = await performTurn(nextSteps(prompt), { prompt, stage, signal: controller.signal });
    } catch (error) {
      result = controller.signal.aborted ? { type: "interrupted" } : { type: "failed", text: errorText(error) };
    }
    turn = undefined;
    if (life.signal.aborted) return;
    if (result.type === "crashed") return end({ exitCode: result.exitCode, restoreTerminal: false });
    update((state) => endTurn(state, endingOf(result)));
    for (const act of afterwards) act().catch(reportLateFailure);
    if (result.type === "completed" || result.type === "failed") startQueued();
    else returnQueuedToComposer();
  };

  const endingOf = (result: Exclude<TurnResult, { type: "crashed" }> | { type: "interrupted" }): TurnEnding => {
    switch (result.type) {
      case "completed":
        return { type: "completed", nowMs: clock.now(), at: options.timeOfDay() };
      case "failed":
        return { type: "error", text: result.text };
      case "declined":
      case "interrupted":
        return { type: "interrupted" };
    }
  };

  const reportLateFailure = (error: unknown) => {
    if (!life.signal.aborted) update((state) => addCell(state, { type: "error", text: errorText(error) }));
  };

  const askApproval: Stage["askApproval"] = (request, signal) => {
    const answer = Promise.withResolvers<boolean>();
    const close = (settle: () => void) => {
      if (answerDialog !== take) return;
      answerDialog = undefined;
      update((state) => ({ ...state, dialog: undefined }));
      options.onPending?.([]);
      settle();
    };
    const take = (approved: boolean) => close(() => answer.resolve(approved));
    answerDialog = take;
    signal.addEventListener("abort", () => close(() => answer.reject(signal.reason)), { once: true });
    const reason = request.reason === "" ? undefined : request.reason;
    options.onPending?.([request.command]);
    update((state) => ({ ...state, dialog: { command: request.command, reason, selected: 0 } }));
    return answer.promise;
  };

  const startQueued = () => {
    const next = takeQueued(state);
    if (next.prompt === undefined) return;
    state = next.state;
    startTurn(next.prompt);
  };

  const returnQueuedToComposer = () => {
    if (state.queued.length === 0) return;
    update((state) => ({ ...state, queued: [], composer: pasteText(state.composer, state.queued.join("\n")) }));
  };

  const submit = (text: string) => {
    if (text === "/quit") return end({ exitCode: 0, restoreTerminal: true });
    options.onPrompt?.(text);
    if (turn === undefined) startTurn(text);
    else update((state) => ({ ...state, queued: [...state.queued, text] }));
  };

  const pressKeyInComposer = (key: Key) => {
    switch (key) {
      case "enter": {
        const pressed = pressEnter(state.composer, clock.now());
        update((state) => ({ ...state, composer: pressed.composer }));
        if (pressed.submitted !== undefined) submit(pressed.submitted);
        return;
      }
      case "tab": {
        const pressed = pressEnter({ ...state.composer, lastTypedAtMs: undefined }, clock.now());
        if (turn === undefined || pressed.submitted === undefined) return;
        update((state) => ({ ...state, composer: pressed.composer }));
        return submit(pressed.submitted);
      }
      case "newline":
      case "alt-enter":
      case "shift-enter":
        return update((state) => ({ ...state, composer: pasteText(state.composer, "\n") }));
      case "backspace":
        return update((state) => ({ ...state, composer: eraseLast(state.composer) }));
      case "ctrl-u":
        return update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
      case "escape":
        return turn?.abort();
      case "ctrl-c":
        if (turn !== undefined) return turn.abort();
        if (state.composer.parts.length === 0) return end({ exitCode: 0, restoreTerminal: true });
        return update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
    }
  };

  const inputToDialog = (event: InputEvent, answer: (approved: boolean) => void) => {
    const { approved, selected } = pressInDialog(event, state.dialog?.selected ?? 0);
    if (approved !== undefined) return answer(approved);
    update((state) => state.dialog === undefined ? state : { ...state, dialog: { ...state.dialog, selected } });
  };

  return {
    get state() {
      return state;
    },
    ended: ended.promise,
    quit: (exitCode) => end({ exitCode, restoreTerminal: true }),
    input(event) {
      if (answerDialog !== undefined) return inputToDialog(event, answerDialog);
      switch (event.type) {
        case "text":
          return update((state) => ({ ...state, composer: typeText(state.composer, event.text, clock.now()) }));
        case "paste":
          return update((state) => ({ ...state, composer: pasteText(state.composer, event.text) }));
        case "key":
          return pressKeyInComposer(event.key);
      }
    },
  };
}
