import { type Clock, systemClock } from "../ports/clock.ts";
import type { ReviewLoopEvent } from "../workflow/review_loop/events.ts";
import type { CliIo, GlobalFlags } from "./command.ts";
import { describeEvent, type ProgressLine, type Tone } from "./describe_event.ts";
import { advanceProgress, initialProgress, renderLiveLine } from "./live_state.ts";
import { LiveLine } from "./live_line.ts";
import { jsonLine, sanitizeText } from "./sanitize.ts";

/** Shows a person, or a program, how a run goes. Disposal takes the live line away. */
export interface Progress extends Disposable {
  onEvent(event: ReviewLoopEvent): void;
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
 * all but the result, warnings and what was left open away.
 */
export function createProgress(options: ProgressOptions): Progress {
  const { io, global, wallClock = () => new Date() } = options;
  if (global.json) return jsonProgress(io, wallClock);
  const screen = global.quiet || !io.isTerminal.stderr ? undefined : new LiveState(options);
  const show = (line: ProgressLine) => {
    const now = wallClock();
    const time = io.isTerminal.stderr ? timeOfDay(now) : now.toISOString();
    const paint = global.color ? COLORS[line.tone] : undefined;
    const text = line.text.replaceAll("\n", "\n  ");
    screen?.erase();
    io.stderr(`${time} ${paint === undefined ? text : `${paint}${text}\x1b[0m`}\n`);
    screen?.draw();
  };
  return {
    onEvent(event) {
      screen?.update(event);
      const line = describeEvent(event);
      if (event.type === "run_finished") {
        screen?.erase();
        io.stdout(`${line.text}\n`);
      } else if ((global.verbose || !line.detail) && (!global.quiet || UNASKED.includes(event.type))) {
        show(line);
        if (event.type === "test_command_finished" && global.verbose && event.output !== "") {
          show({ text: sanitizeText(event.output), tone: "plain", detail: true });
        }
      } else {
        screen?.draw();
      }
    },
    [Symbol.dispose]: () => screen?.[Symbol.dispose](),
  };
}

function jsonProgress(io: CliIo, wallClock: () => Date): Progress {
  return {
    onEvent: (event) => io.stdout(jsonLine({ at: wallClock().toISOString(), ...event })),
    [Symbol.dispose]: () => {},
  };
}

/** What goes on at this moment, drawn anew once a second while something does. */
class LiveState implements Disposable {
  readonly #io: CliIo;
  readonly #clock: Clock;
  readonly #line: LiveLine;
  readonly #stop = new AbortController();
  #state;

  constructor({ io, clock = systemClock }: ProgressOptions) {
    this.#io = io;
    this.#clock = clock;
    this.#line = new LiveLine(io);
    this.#state = initialProgress(clock.now());
    void this.#tick();
  }

  update(event: ReviewLoopEvent): void {
    this.#state = advanceProgress(this.#state, event, this.#clock.now());
  }

  draw(): void {
    this.#line.show(renderLiveLine(this.#state, { nowMs: this.#clock.now(), columns: this.#io.columns() - 1 }));
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

/** What `--quiet` does not keep back. */
const UNASKED: readonly ReviewLoopEvent["type"][] = ["warning", "panes_left"];

const TICK_MS = 1000;

const COLORS: Readonly<Record<Tone, string | undefined>> = {
  plain: undefined,
  good: "\x1b[32m",
  bad: "\x1b[31m",
  caution: "\x1b[33m",
};

function timeOfDay(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}
