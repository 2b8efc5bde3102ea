import { type Clock, systemClock } from "../../ports/clock.ts";
import type { HeadlessFact } from "../../providers/headless.ts";
import { initialProgress, type Progress } from "../../run/progress.ts";
import type { Job } from "../../run/job.ts";
import { jsonLine } from "../../text/sanitize.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { LiveLine } from "../console/live_line.ts";
import { describeRecord, type ShownRecord } from "./record_text.ts";
import { liveText, taskName } from "./run_words.ts";
import type { ShownLine, Tone } from "./shown_line.ts";
import { timeOfDay } from "./words.ts";

/** Shows a person, or a program, how a run goes. Disposal takes the live line away. */
export interface LiveOutput extends Disposable {
  onEvent(record: ShownRecord): void;
}

/** Where and how a run is shown. */
export interface LiveOutputOptions {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** How the run stood before, where this process resumes it. */
  readonly earlier?: Progress | undefined;
  /** What standard output gets before the result; nothing with `--json`. */
  readonly beforeResult?: () => readonly string[];
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

/**
 * Shows a run by the flags of the command line: `--json` writes each record as a line of JSON to stdout; otherwise
 * records go to stderr, with a live line below them where that is a terminal, and only the result goes to stdout.
 */
export function openLiveOutput(job: Job, options: LiveOutputOptions): LiveOutput {
  const { io, global, wallClock = () => new Date() } = options;
  if (global.json) {
    return {
      onEvent: (record) => io.stdout(jsonLine({ at: wallClock().toISOString(), ...record })),
      [Symbol.dispose]: () => {},
    };
  }
  let progress = options.earlier ?? initialProgress(job.id);
  const live = global.quiet || !io.isTerminal.stderr ? undefined : openLiveState(progress, options);
  const shows = ({ importance }: ShownLine) =>
    importance === "always" ||
    !global.quiet && (importance === "normal" || global.verbose || importance === "log" && live === undefined);
  return {
    onEvent(record) {
      const before = progress;
      if (record.type === "agent_activity") live?.doing(record.fact);
      else {
        progress = job.progress(before, { ...record, at: wallClock().toISOString() });
        live?.update(progress);
      }
      const rows = record.type === "run_finished" ? options.beforeResult?.() ?? [] : [];
      if (rows.length > 0) {
        live?.erase();
        io.stdout(rows.map((row) => `${row}\n`).join(""));
      }
      const task = taskName(progress) ?? taskName(before);
      for (const line of describeRecord(record)) {
        if (line.importance !== "result" && !shows(line)) continue;
        live?.erase();
        if (line.importance === "result") io.stdout(`${line.text}\n`);
        else {
          const time = io.isTerminal.stderr ? timeOfDay(wallClock()) : wallClock().toISOString();
          io.stderr(`${time} ${painted(line, { ...global, task })}\n`);
        }
      }
      live?.draw();
    },
    [Symbol.dispose]: () => live?.[Symbol.dispose](),
  };
}

const COLORS: Readonly<Record<Tone, string>> = { plain: "", good: "\x1b[32m", bad: "\x1b[31m", caution: "\x1b[33m" };

/** How {@linkcode painted} shows a line. */
export interface PaintOptions {
  readonly color: boolean;
  /** The task that it is about, for each row to name; missing where there is only one. */
  readonly task?: string | undefined;
}

/** A line's text in its colour, if there are to be colours. Rows after the first one are indented. */
export function painted({ text, tone }: ShownLine, { color, task }: PaintOptions): string {
  const whose = task === undefined ? "" : `[${task}] `;
  const rows = `${whose}${text.replaceAll("\n", `\n  ${whose}`)}`;
  return color && tone !== "plain" ? `${COLORS[tone]}${rows}\x1b[0m` : rows;
}

const TICK_MS = 1000;

/** What happens at this moment, drawn again once a second while something does. */
function openLiveState(
  before: Progress,
  { io, clock = systemClock, wallClock = () => new Date() }: LiveOutputOptions,
) {
  const line = new LiveLine(io);
  const stop = new AbortController();
  let progress = before;
  let doing: string | undefined;
  const draw = () => {
    const text = liveText(progress, { now: wallClock(), columns: io.columns() - 1, doing });
    // An empty line must not be drawn over what somebody else writes below the facts.
    if (text === "") line.erase();
    else line.show(text);
  };
  const tick = async () => {
    while (!stop.signal.aborted) {
      await clock.sleep(TICK_MS, stop.signal).then(draw, () => {});
    }
  };
  void tick();
  return {
    draw,
    erase: () => line.erase(),
    doing(fact: HeadlessFact) {
      if (fact.type === "ran") doing = `$ ${fact.command}`;
    },
    update(now: Progress) {
      if (now.activity !== progress.activity) doing = undefined;
      progress = now;
    },
    [Symbol.dispose]() {
      stop.abort();
      line[Symbol.dispose]();
    },
  };
}
