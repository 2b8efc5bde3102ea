import { describeRecord, type ShownRecord } from "../../journal/describe.ts";
import { watchLine } from "../../journal/loop/agent.ts";
import type { AgentFact } from "../../agents/agent.ts";
import { type Clock, systemClock } from "../../base/ports/clock.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import { isWithoutPanes } from "../../journal/workers.ts";
import type { Job } from "../../journal/job.ts";
import { recordLine } from "../../api/output/line.ts";
import { type CliIo, type GlobalFlags, Interruption } from "../console/command.ts";
import { canMoveCursor, paint, paintAfterRole, roleStyle, type Style } from "../console/color.ts";
import { wrapProse } from "../console/layout.ts";
import { liveColumns, LiveLine } from "../console/live_line.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import { liveText, stoppingText, taskName } from "../../api/show/run_words.ts";
import type { ShownLine, Tone } from "../../journal/words/lines.ts";
import { timeOfDay, withLocalTimes } from "../../journal/words/words.ts";

/** Shows a person, or a program, how a run goes. Disposal takes the live line away. */
export interface LiveOutput extends Disposable {
  onEvent(record: ShownRecord): void;
  /** Keeps back what is to be shown until the hold is disposed of: a person types meanwhile. */
  hold(): Disposable;
}

interface LiveOutputOptions {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly earlier?: Progress | undefined;
  /** Whether its agents stay when it is stopped. @default {false} */
  readonly leavesAgents?: boolean;
  /** What a person types to look at the agents of a run. @default what the record of their session says */
  readonly attachCommand?: (runId: string) => string;
  /** What standard output gets before the result; nothing with `--json`. */
  readonly beforeResult?: (options: { readonly color: boolean }) => readonly string[];
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

/**
 * Shows a run by the flags of the command line: `--json` writes each record as a line of JSON to stdout; otherwise
 * records go to stderr, with a live line below them where that is a terminal, and only the result goes to stdout.
 * Ctrl-C is answered on stderr at once: what a run has started takes its time to end.
 */
export function openLiveOutput(job: Job, options: LiveOutputOptions): LiveOutput {
  const { global, leavesAgents = false, wallClock = () => new Date() } = options;
  const { held, hold } = holdable(options.io, () => live?.erase());
  const io = { ...options.io, stderr: held.stderr };
  let progress = options.earlier ?? initialProgress(job.id);
  let isUnderWay = false;
  const isLive = !global.json && !global.quiet && io.isTerminal.stderr && canMoveCursor(io);
  const live = isLive ? openLiveState(progress, { ...options, io, isHeld: held.isHeld }) : undefined;
  const follow = (record: RunRecord) => {
    if (record.type === "run_started" || record.type === "run_resumed") isUnderWay = true;
    if (record.type === "run_finished") isUnderWay = false;
    progress = job.progress(progress, { ...record, at: wallClock().toISOString() });
    live?.update(progress);
  };
  const tellStop = () => {
    if (!isUnderWay || !(io.signal.reason instanceof Interruption)) return;
    live?.[Symbol.dispose]();
    io.stderr(`${stoppingText(progress, { signalName: io.signal.reason.signalName, leavesAgents })}\n`);
  };
  io.signal.addEventListener("abort", tellStop, { once: true });
  const close = () => {
    io.signal.removeEventListener("abort", tellStop);
    live?.[Symbol.dispose]();
  };
  if (global.json) {
    return {
      hold,
      onEvent(record) {
        if (record.type !== "agent_activity") follow(record);
        io.stdout(recordLine({ at: wallClock().toISOString(), ...record }));
      },
      [Symbol.dispose]: close,
    };
  }
  const inForm = (record: ShownRecord): ShownRecord => {
    const isOfSession = record.type === "session_opened" || record.type === "session_adopted";
    const attachCommand = isOfSession ? options.attachCommand?.(progress.runId) : undefined;
    return isOfSession && attachCommand !== undefined ? { ...record, attachCommand } : record;
  };
  let hasToldHow = false;
  /** Of agents without panes no session is opened: the first of them says how to watch them. */
  const howToWatch = (record: ShownRecord): readonly ShownLine[] => {
    if (record.type !== "agent_starting" || hasToldHow || !isWithoutPanes(progress)) return [];
    hasToldHow = true;
    return options.attachCommand === undefined ? [] : [watchLine(options.attachCommand(progress.runId))];
  };
  const shows = ({ importance }: ShownLine) =>
    importance === "always" ||
    !global.quiet && (importance === "normal" || global.verbose || importance === "log" && live === undefined);
  return {
    hold,
    onEvent(record) {
      const before = progress;
      if (record.type === "agent_activity") live?.doing(record.fact);
      else follow(record);
      const rows = record.type === "run_finished" ? options.beforeResult?.({ color: global.color.stdout }) ?? [] : [];
      if (rows.length > 0) {
        live?.erase();
        io.stdout(rows.map((row) => `${row}\n`).join(""));
      }
      const task = taskName(progress) ?? taskName(before);
      for (const line of [...howToWatch(record), ...describeRecord(inForm(record))]) {
        // How it ended, and what waits then, is on its card; but what waits in the runs of lanes is on theirs alone.
        if (line.importance === "result" && record.type === "question_waiting" && progress.target !== undefined) {
          io.stdout(`${painted(line, { color: global.color.stdout })}\n`);
        }
        if (line.importance === "result" || !shows(line)) continue;
        live?.erase();
        const time = io.isTerminal.stderr ? timeOfDay(wallClock()) : wallClock().toISOString();
        const color = global.color.stderr;
        const before = time.length + 1 + (task === undefined ? 0 : displayWidth(`[${task}] `));
        const width = io.isTerminal.stderr ? Math.max(MIN_TEXT_COLUMNS, io.columns() - before) : Infinity;
        const text = withLocalTimes(line).split("\n").flatMap((row) => wrapProse(row, width)).join("\n");
        io.stderr(`${paint(time, "faint", color)} ${painted({ ...line, text }, { color, task })}\n`);
      }
      live?.draw();
    },
    [Symbol.dispose]: close,
  };
}

/** Standard error that can be held: what comes meanwhile is written once it is let go. */
function holdable({ stderr }: Pick<CliIo, "stderr">, onHold: () => void) {
  let holds = 0;
  let kept = "";
  return {
    held: { stderr: (text: string) => holds > 0 ? void (kept += text) : stderr(text), isHeld: () => holds > 0 },
    hold(): Disposable {
      if (holds === 0) onHold();
      holds++;
      return {
        [Symbol.dispose]() {
          holds--;
          if (holds > 0 || kept === "") return;
          stderr(kept);
          kept = "";
        },
      };
    },
  };
}

type RunRecord = Exclude<ShownRecord, { readonly type: "agent_activity" }>;

/** Text keeps so many columns, however narrow the terminal is. */
const MIN_TEXT_COLUMNS = 30;

const STYLES: Readonly<Record<Tone, Style | undefined>> = {
  plain: undefined,
  heading: "strong",
  good: "good",
  bad: "bad",
  caution: "caution",
};

interface PaintOptions {
  readonly color: boolean;
  /** The task that it is about, for each row to name; missing where there is only one. */
  readonly task?: string | undefined;
}

/**
 * A line's text in its colours, if there are to be colours: that of the role with whose name it begins, and that of its
 * tone. Rows after the first one are indented.
 */
export function painted({ tone, ...shown }: ShownLine, { color, task }: PaintOptions): string {
  const text = withLocalTimes(shown);
  const whose = task === undefined ? "" : `[${task}] `;
  const rows = `${whose}${text.replaceAll("\n", `\n  ${whose}`)}`;
  return paintAfterRole(rows, STYLES[tone], color);
}

const TICK_MS = 1000;

/** The live line with its roles in their colours; what an agent does, after the place, stays as it is. */
function paintedPlace(text: string, color: boolean): string {
  const [place = "", ...rest] = text.split(" · ");
  return [place.replaceAll(/\w+/g, (name) => paint(name, roleStyle(name), color)), ...rest].join(" · ");
}

/** What happens at this moment, drawn again once a second while something does. */
function openLiveState(
  before: Progress,
  { io, global, isHeld, clock = systemClock, wallClock = () => new Date() }: LiveOutputOptions & {
    readonly isHeld: () => boolean;
  },
) {
  const line = new LiveLine(io);
  const stop = new AbortController();
  let progress = before;
  let doing: string | undefined;
  const draw = () => {
    if (isHeld()) return;
    const text = liveText(progress, { now: wallClock(), columns: liveColumns(io), doing });
    // An empty line must not be drawn over what somebody else writes below the facts.
    if (text === "") line.erase();
    else line.show(text, (left) => paintedPlace(left, global.color.stderr));
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
    doing(fact: AgentFact) {
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
