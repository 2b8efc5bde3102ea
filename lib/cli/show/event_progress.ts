import { type Clock, systemClock } from "../../ports/clock.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import type { ProgressLine, Tone } from "./describe_event.ts";
import { LiveLine } from "../console/live_line.ts";
import { jsonLine } from "../../text/sanitize.ts";

/** Shows a person, or a program, how a run goes. Disposal takes the live line away. */
export interface Progress<Event> extends Disposable {
  onEvent(event: Event): void;
}

/** What the events of one kind of run look like. */
export interface ProgressFace<Event, State> {
  /** The lines for an event, in their order; a detail is shown with `--verbose` only. */
  describe(event: Event): readonly ProgressLine[];
  /** Whether the lines of an event are the run's result, for stdout. */
  isResult(event: Event): boolean;
  /** Whether `--quiet` does not keep the event back. */
  isUnasked(event: Event): boolean;
  /** What the live line shows, as plain data; times are milliseconds of the clock. */
  readonly live: {
    initial(nowMs: number): State;
    advance(state: State, event: Event, nowMs: number): State;
    render(state: State, options: { readonly nowMs: number; readonly columns: number }): string;
  };
}

/** Where and how progress is shown. */
export interface ProgressOptions {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

/**
 * Progress by the flags of the command line: `--json` writes each event as a line of JSON to stdout; otherwise facts go
 * to stderr, with a live line below them where that is a terminal, and only the result goes to stdout. `--quiet` leaves
 * all but the result and what is unasked away.
 */
export function createEventProgress<Event extends object, State>(
  face: ProgressFace<Event, State>,
  options: ProgressOptions,
): Progress<Event> {
  const { io, global, wallClock = () => new Date() } = options;
  if (global.json) return jsonProgress(io, wallClock);
  const screen = global.quiet || !io.isTerminal.stderr ? undefined : new LiveState(face, options);
  const show = (line: ProgressLine) => {
    const now = wallClock();
    const time = io.isTerminal.stderr ? timeOfDay(now) : now.toISOString();
    const paint = global.color ? COLORS[line.tone] : undefined;
    const text = line.text.replaceAll("\n", "\n  ");
    screen?.erase();
    io.stderr(`${time} ${paint === undefined ? text : `${paint}${text}\x1b[0m`}\n`);
  };
  return {
    onEvent(event) {
      screen?.update(event);
      const lines = face.describe(event);
      if (face.isResult(event)) {
        screen?.erase();
        for (const { text } of lines) io.stdout(`${text}\n`);
        return;
      }
      const unwanted = global.quiet && !face.isUnasked(event);
      for (const line of unwanted ? [] : lines) if (global.verbose || !line.detail) show(line);
      screen?.draw();
    },
    [Symbol.dispose]: () => screen?.[Symbol.dispose](),
  };
}

function jsonProgress<Event extends object>(io: CliIo, wallClock: () => Date): Progress<Event> {
  return {
    onEvent: (event) => io.stdout(jsonLine({ at: wallClock().toISOString(), ...event })),
    [Symbol.dispose]: () => {},
  };
}

/** What goes on at this moment, drawn anew once a second while something does. */
class LiveState<Event, State> implements Disposable {
  readonly #face: ProgressFace<Event, State>["live"];
  readonly #io: CliIo;
  readonly #clock: Clock;
  readonly #line: LiveLine;
  readonly #stop = new AbortController();
  #state: State;

  constructor({ live }: ProgressFace<Event, State>, { io, clock = systemClock }: ProgressOptions) {
    this.#face = live;
    this.#io = io;
    this.#clock = clock;
    this.#line = new LiveLine(io);
    this.#state = live.initial(clock.now());
    void this.#tick();
  }

  update(event: Event): void {
    this.#state = this.#face.advance(this.#state, event, this.#clock.now());
  }

  draw(): void {
    const text = this.#face.render(this.#state, { nowMs: this.#clock.now(), columns: this.#io.columns() - 1 });
    // An empty line must not be drawn over what somebody else writes below the facts.
    if (text === "") this.#line.erase();
    else this.#line.show(text);
  }

  erase(): void {
    this.#line.erase();
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#line[Symbol.dispose]();
  }

  async #tick(): Promise<void> {
    try {
      while (true) {
        await this.#clock.sleep(TICK_MS, this.#stop.signal);
        this.draw();
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) throw error;
    }
  }
}

const TICK_MS = 1000;

/** What is written before a line of a tone; a reset follows it. */
export const COLORS: Readonly<Record<Tone, string | undefined>> = {
  plain: undefined,
  good: "\x1b[32m",
  bad: "\x1b[31m",
  caution: "\x1b[33m",
};

function timeOfDay(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}
