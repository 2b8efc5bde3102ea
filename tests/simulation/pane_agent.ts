import type { FailureClass } from "../../lib/base/terms.ts";
import { EMPTY_COMPOSER, pasteText, pressEnter } from "../../lib/lab/replay/composer.ts";
import { pressInDialog } from "../../lib/lab/replay/dialog_input.ts";
import { renderFrame } from "../../lib/lab/replay/render.ts";
import { findResponseTarget } from "../../lib/lab/replay/response_target.ts";
import { addCell, type AgentState, beginTurn, type Cell, endTurn, initialState } from "../../lib/lab/replay/state.ts";
import { createRandom } from "../support/random.ts";
import { LOGIN_VARIABLE, type Session } from "./agent.ts";
import type { Machine } from "./machine/machine.ts";
import type { NightProcess } from "./machine/programs.ts";
import type { Terminal } from "./machine/tmux.ts";
import type { Trouble } from "./troubles.ts";
import { OWN_LOGIN, PROJECT, type World } from "./world.ts";

interface OpenTurn {
  readonly prompt: string;
  readonly trouble: readonly Trouble[];
  readonly number: number;
  isOver: boolean;
}

/** What Codex says of failures on its screen (0.169.0). */
const WORDS: Readonly<Record<Exclude<FailureClass, "usage_limit">, string>> = {
  overloaded: "unexpected status 503 Service Unavailable: busy",
  rate_limit: "exceeded retry limit, last status: 429 Too Many Requests",
  network: "stream disconnected before completion: connection reset",
  program: "Cannot find module",
  auth: "unexpected status 401 Unauthorized: no key",
  context:
    "Codex ran out of room in the model's context window. Start a new thread or clear earlier history before retrying.",
  model: "unexpected status 404 Not Found: The model `night` does not exist",
  other: "The flux capacitor has left the building.",
};

const KEYS: Readonly<Record<string, "enter" | "escape" | "up" | "down">> = {
  Enter: "enter",
  Escape: "escape",
  Up: "up",
  Down: "down",
};

/** An interactive CLI in a pane, with the model behind it, on the recorded screens of Codex. */
export class PaneAgentProgram implements Terminal {
  #state: AgentState;
  #isDrawn = false;
  #turn: OpenTurn | undefined;
  #answer: ((approved: boolean) => void) | undefined;
  readonly #session: Session;
  readonly #record: string;
  readonly #random;
  onDraw = () => {};

  constructor(readonly process: NightProcess, readonly machine: Machine, readonly world: World) {
    const { argv, env, pid } = process;
    const role = argv[argv.indexOf("--role") + 1] ?? "";
    this.#record = argv[argv.indexOf("--record") + 1] ?? "";
    this.#random = createRandom(world.seed * 37 + pid);
    this.#session = world.openSession(env[LOGIN_VARIABLE] ?? OWN_LOGIN);
    this.#state = initialState({
      workdir: PROJECT,
      asksForApproval: true,
      model: `replay-${role}`,
      sessionTitle: role,
    });
    process.onEnd = () => {
      this.#turn = undefined;
      machine.tmux.noteEnd(pid);
    };
    process.onSignal = (signal) => {
      if (signal === "SIGKILL" || this.#random.int(3) > 0) return false;
      this.#after(200 + this.#random.int(1500), () => process.exit(143, "SIGTERM"));
      return true;
    };
    machine.tmux.show(process, this);
    this.#note({ pending: [] });
    this.#after(200 + this.#random.int(2000), () => {
      this.#isDrawn = true;
      this.onDraw();
    });
  }

  frame({ columns, rows }: { readonly columns: number; readonly rows: number }) {
    if (!this.#isDrawn) return { rows: [], cursor: undefined, title: "" };
    return renderFrame(this.#state, { columns, rows, nowMs: this.machine.time.now() });
  }

  paste(text: string): void {
    if (this.#answer === undefined) this.#update((state) => ({ ...state, composer: pasteText(state.composer, text) }));
  }

  press(name: string): void {
    const key = KEYS[name];
    if (this.#answer !== undefined) {
      const event = key === undefined ? { type: "text", text: name } as const : { type: "key", key } as const;
      const selected = pressInDialog(event, this.#state.dialog?.selected ?? 0);
      if (typeof selected === "boolean") this.#answer(selected);
      else {this.#update((state) =>
          state.dialog === undefined ? state : { ...state, dialog: { ...state.dialog, selected } }
        );}
    } else if (name === "C-u") this.#update((state) => ({ ...state, composer: EMPTY_COMPOSER }));
    else if (key === "escape") this.#interrupt();
    else if (key === "enter") this.#submit();
    else this.#update((state) => ({ ...state, composer: pasteText(state.composer, name) }));
  }

  #after(ms: number, act: () => void): void {
    this.machine.time.after(ms, () => {
      if (this.process.isAlive) act();
    });
  }

  #update(change: (state: AgentState) => AgentState): void {
    this.#state = change(this.#state);
    this.onDraw();
  }

  #show(cell: Cell): void {
    this.#update((state) => addCell(state, cell));
  }

  /** What it says of itself beside its screen. */
  #note(record: object): void {
    if (this.#record === "") return;
    const { files } = this.machine;
    files.mkdir(this.#record.slice(0, this.#record.lastIndexOf("/")), { recursive: true });
    files.write(this.#record, JSON.stringify(record));
  }

  #submit(): void {
    const { composer, submitted } = pressEnter(this.#state.composer, this.machine.time.now());
    this.#update((state) => ({ ...state, composer }));
    if (submitted === undefined) return;
    if (this.#turn === undefined) this.#begin(submitted);
    else this.#update((state) => ({ ...state, queued: [...state.queued, submitted] }));
  }

  #begin(prompt: string): void {
    const { world } = this;
    const { number, trouble } = world.takePrompt(this.#session, prompt);
    const turn: OpenTurn = this.#turn = { prompt, trouble, number, isOver: false };
    this.#note({ pending: [] });
    this.#update((state) => beginTurn(state, prompt, this.machine.time.now()));
    const lasting = world.failureNow(this.#session);
    if (lasting !== undefined) return this.#after(500, () => this.#fail(turn, lasting));
    this.#show({ type: "message", text: "Looking at it.", streaming: false });
    const isSlow = trouble.some(({ what }) => what === "slow");
    const workMs = 5000 + this.#random.int(180_000) + (isSlow ? 20 * 60_000 : 0);
    this.#after(workMs / 2, () => {
      if (!this.#struck(turn, "before")) this.#ask(turn, () => this.#after(workMs / 2, () => this.#finish(turn)));
    });
  }

  #end(turn: OpenTurn, ending: Parameters<typeof endTurn>[1]): void {
    if (turn.isOver) return;
    turn.isOver = true;
    this.#turn = undefined;
    this.#answer = undefined;
    this.#update((state) => endTurn(state, ending));
    const [next, ...queued] = this.#state.queued;
    if (next === undefined) return;
    this.#update((state) => ({ ...state, queued }));
    this.#begin(next);
  }

  #interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    // One that hangs may not take the key.
    if (turn.trouble.some(({ what }) => what === "hang") && this.#random.int(2) === 0) return;
    this.#note({ pending: [] });
    this.#after(100, () => this.#end(turn, { type: "interrupted" }));
  }

  #fail(turn: OpenTurn, failure: FailureClass): void {
    const text = failure === "usage_limit"
      ? `You've hit your usage limit. Upgrade to Pro or try again at ${this.#resetTime()}.`
      : WORDS[failure];
    this.#note({ pending: [], failed: { text, at: new Date(this.machine.time.wall()).toISOString() } });
    this.#end(turn, { type: "error", text });
  }

  /** The time of day, by the minute, at which the account is free again. */
  #resetTime(): string {
    const at = new Date(this.machine.time.wall() + this.world.limitLeftMs(this.#session.login) + 60_000);
    const hour = at.getHours();
    return `${hour % 12 || 12}:${String(at.getMinutes()).padStart(2, "0")} ${hour < 12 ? "AM" : "PM"}`;
  }

  /** Returns whether the turn goes no further. */
  #struck(turn: OpenTurn, when: "before" | "after"): boolean {
    if (turn.isOver) return true;
    for (const trouble of turn.trouble) {
      if (trouble.at !== "prompt" || !("when" in trouble) || trouble.when !== when) continue;
      if (trouble.what === "hang") return true;
      if (trouble.what === "die") {
        this.process.exit(1);
        return true;
      }
      if (trouble.what !== "fail") continue;
      this.world.noteFailure(this.#session, trouble.failure);
      this.#fail(turn, trouble.failure);
      return true;
    }
    return false;
  }

  #ask(turn: OpenTurn, then: () => void): void {
    const path = findResponseTarget(turn.prompt)?.path ?? "";
    const asked = this.world.askIn(path, turn.number, turn.trouble);
    if (asked === undefined) return then();
    const { ask, number } = asked;
    const next = (time: number): void => {
      if (turn.isOver) return;
      if (time === ask.times) {
        this.world.noteAllAnswered(path);
        return then();
      }
      const about = `${ask.how} ${number}.${time}`;
      const command = `deploy --to ${about.replaceAll(/[ .]/g, "-")}`;
      this.world.noteAsked(about);
      this.#note({ pending: [command] });
      this.#update((state) => ({ ...state, dialog: { command, reason: "It needs the network.", selected: 0 } }));
      this.#answer = (approved) => {
        this.#answer = undefined;
        this.world.noteAnswer(about, { optionId: approved ? "yes" : "no" });
        this.#note({ pending: [] });
        this.#update((state) => ({ ...addCell(state, { type: "decision", approved, command }), dialog: undefined }));
        if (approved) return next(time + 1);
        if (time + 1 === ask.times) this.world.noteAllAnswered(path);
        this.#end(turn, { type: "interrupted" });
      };
    };
    next(0);
  }

  #finish(turn: OpenTurn): void {
    if (turn.isOver) return;
    const { prompt, number } = turn;
    const is = (what: Trouble["what"]) => turn.trouble.some((one) => one.what === what);
    const respond = () => this.world.respond(findResponseTarget(prompt)?.path, { number, isEmpty: is("empty") });
    if (is("disobey")) this.world.violate("an agent does what it may not");
    if (is("leave_server")) this.world.leaveServer(this.process);
    if (is("late")) this.machine.time.after(2000 + this.#random.int(20_000), respond);
    else if (!is("silent")) respond();
    this.#show({ type: "message", text: `Done with ${number}.`, streaming: false });
    if (this.#struck(turn, "after")) return;
    this.#after(100 + this.#random.int(3000), () => {
      const nowMs = this.machine.time.now();
      this.#end(turn, { type: "completed", nowMs, at: "10:00 PM" });
    });
  }
}
