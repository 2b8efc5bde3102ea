import { type Clock, systemClock } from "../ports/clock.ts";
import type { ReviewLoopEvent } from "../workflow/review_loop/events.ts";
import type { CliIo, GlobalFlags } from "./command.ts";
import { describeEvent, type ProgressLine, type Tone } from "./describe_event.ts";
import { advanceProgress, initialProgress, renderLiveLine } from "./live_state.ts";
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
  const screen = global.quiet || !io.isTerminal.stderr ? undefined : new LiveLine(options);
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

/** The last line of the terminal, drawn anew once a second while something goes on. */
class LiveLine implements Disposable {
  readonly #io: CliIo;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #unregister: () => void;
  #state;
  #drawn = "";

  constructor({ io, clock = systemClock }: ProgressOptions) {
    this.#io = io;
    this.#clock = clock;
    this.#state = initialProgress(clock.now());
    this.#unregister = io.onForcedExit(() => this.erase());
    void this.#tick();
  }

  update(event: ReviewLoopEvent): void {
    this.#state = advanceProgress(this.#state, event, this.#clock.now());
  }

  draw(): void {
    if (this.#stop.signal.aborted) return;
    // A line that fills the last column would wrap, and could then not be taken away again.
    const text = renderLiveLine(this.#state, { nowMs: this.#clock.now(), columns: this.#io.columns() - 1 });
    if (text === this.#drawn) return;
    this.#io.stderr(`${ERASE_LINE}${text}`);
    this.#drawn = text;
  }

  erase(): void {
    if (this.#drawn === "") return;
    this.#io.stderr(ERASE_LINE);
    this.#drawn = "";
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#unregister();
    this.erase();
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
const ERASE_LINE = "\r\x1b[2K";

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
