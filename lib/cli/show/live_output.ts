import { type Clock, systemClock } from "../../ports/clock.ts";
import { initialProgress, type Progress } from "../../run/progress.ts";
import type { Job } from "../../run/job.ts";
import { jsonLine } from "../../text/sanitize.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { LiveLine } from "../console/live_line.ts";
import { describeRecord, type ShownLine, type ShownRecord, type Tone } from "./record_text.ts";
import { liveText } from "./run_words.ts";
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
  const live = global.quiet || !io.isTerminal.stderr ? undefined : openLiveState(job, options);
  const shows = ({ importance }: ShownLine) =>
    importance === "always" || !global.quiet && (importance === "normal" || global.verbose);
  return {
    onEvent(record) {
      live?.update(record);
      for (const line of describeRecord(record)) {
        if (line.importance !== "result" && !shows(line)) continue;
        live?.erase();
        if (line.importance === "result") io.stdout(`${line.text}\n`);
        else {io.stderr(
            `${io.isTerminal.stderr ? timeOfDay(wallClock()) : wallClock().toISOString()} ${painted(line, global)}\n`,
          );}
      }
      live?.draw();
    },
    [Symbol.dispose]: () => live?.[Symbol.dispose](),
  };
}

const COLORS: Readonly<Record<Tone, string>> = { plain: "", good: "\x1b[32m", bad: "\x1b[31m", caution: "\x1b[33m" };

/** A line's text in its colour, if there are to be colours. Rows after the first one are indented. */
export function painted({ text, tone }: ShownLine, { color }: { readonly color: boolean }): string {
  const rows = text.replaceAll("\n", "\n  ");
  return color && tone !== "plain" ? `${COLORS[tone]}${rows}\x1b[0m` : rows;
}

const TICK_MS = 1000;

/** What happens at this moment, drawn again once a second while something does. */
function openLiveState(
  job: Job,
  { io, earlier, clock = systemClock, wallClock = () => new Date() }: LiveOutputOptions,
) {
  const line = new LiveLine(io);
  const stop = new AbortController();
  let progress = earlier ?? initialProgress(job.id);
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
    update(record: ShownRecord) {
      if (record.type === "agent_activity") {
        if (record.fact.type === "ran") doing = `$ ${record.fact.command}`;
        return;
      }
      const { activity } = progress;
      progress = job.progress(progress, { ...record, at: wallClock().toISOString() });
      if (activity !== progress.activity) doing = undefined;
    },
    [Symbol.dispose]() {
      stop.abort();
      line[Symbol.dispose]();
    },
  };
}
