import type { AcpActivity } from "../../agents/acp/activity.ts";
import { type ActivityRow, block, fromWorkdir, quoted, safeRows } from "./activity_row.ts";
import { plural } from "../../journal/words/words.ts";

type ToolCall = Extract<AcpActivity, { readonly type: "tool_call" }>;
type ToolOutput = Extract<AcpActivity, { readonly type: "tool_output" }>;

/** Rows of the end of what a call has written, and UTF-16 units of each. */
const OUTPUT_ROWS = 8;
const MAX_OUTPUT_ROW = 300;

const MAX_CALLS = 100;

interface Call {
  known: ToolCall;
  isShown: boolean;
  output: readonly string[];
  rows: number;
}

/** Makes rows of an agent's calls: each once, and then the end of what it has written. */
interface CallRows {
  rowsOf(at: string, call: ToolCall): readonly ActivityRow[];
  outputOf(at: string, output: ToolOutput): readonly ActivityRow[];
  /** What was not shown of calls that never ended; they are forgotten. */
  end(at: string): readonly ActivityRow[];
  /** The call that runs, in a row; empty where none does. */
  running(): string;
}

/** Makes the rows of the calls of one agent; with `verbose` all that they write is shown, as it comes. */
export function createCallRows(
  { workdir, verbose }: { readonly workdir: string; readonly verbose: boolean },
): CallRows {
  const calls = new Map<string, Call>();
  let shownLast: Call | undefined;

  const callOf = (id: string, known: ToolCall): Call => {
    const call = calls.get(id) ?? { known, isShown: false, output: [], rows: 0 };
    calls.set(id, call);
    const oldest = calls.keys().next().value;
    if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
    return call;
  };

  const head = (at: string, call: Call): readonly ActivityRow[] => {
    if (call.isShown) return [];
    call.isShown = true;
    shownLast = call;
    return block(at, { ...labelOf(call.known, workdir), style: "cyan" });
  };

  /** The end of what a call has written, and whether it has failed; of several that run it is told which one. */
  const tail = (at: string, call: Call, hasFailed = false): readonly ActivityRow[] => {
    const { output, rows } = call;
    const left = rows - output.length;
    call.output = [];
    call.rows = 0;
    const texts = left === 0 ? output : [`… ${plural(left, "row")} left out`, ...output];
    const written = quoted(at, { mark: "  │ ", texts });
    const failure = hasFailed ? quoted(at, { mark: "  ✗ ", texts: ["failed"], style: "bad" }) : [];
    if (call === shownLast || written.length + failure.length === 0) return [...written, ...failure];
    shownLast = call;
    const { mark, texts: [first = ""] } = labelOf(call.known, workdir);
    return [...quoted(at, { mark: `  ${mark}`, texts: [first] }), ...written, ...failure];
  };

  return {
    rowsOf(at, known) {
      const call = callOf(known.id, known);
      const wasOver = isOver(call.known) && call.isShown;
      call.known = known;
      // What it is about may be told a moment later; OpenCode names a command's folder before the command (1.18.33).
      const isVague = known.command === undefined && (known.kind === "execute" || known.paths === undefined);
      if (known.status === "pending" && isVague) return [];
      if (!isOver(known)) return head(at, call);
      return [...head(at, call), ...tail(at, call, known.status === "failed" && !wasOver)];
    },
    outputOf(at, { id, text }) {
      const call = callOf(id, { type: "tool_call", id, kind: "other", title: "a call", status: "in_progress" });
      const all = verbose ? safeRows(withoutEnd(text)) : safeRows(withoutEnd(text), MAX_OUTPUT_ROW);
      // Claude Code puts what a command wrote between fences (0.100.0).
      const rows = all.filter((row) => !/^```\w*$/.test(row));
      call.rows += rows.length;
      call.output = [...call.output, ...rows].slice(verbose ? 0 : -OUTPUT_ROWS);
      return verbose || isOver(call.known) ? [...head(at, call), ...tail(at, call)] : [];
    },
    end(at) {
      const written = [...calls.values()].filter(({ rows }) => rows > 0);
      calls.clear();
      return written.flatMap((call) => [...head(at, call), ...tail(at, call)]);
    },
    running() {
      const running = [...calls.values()].findLast(({ known }) => known.status === "in_progress");
      if (running === undefined) return "";
      const { mark, texts: [first = ""] } = labelOf(running.known, workdir);
      return `${mark}${first}`;
    },
  };
}

/** The exact command, where it is known; otherwise what the call does to which files, or its title. */
function labelOf(
  { command, paths = [], title, kind }: ToolCall,
  workdir: string,
): { readonly mark: string; readonly texts: readonly string[] } {
  if (command !== undefined) return { mark: "$ ", texts: safeRows(command) };
  const what = paths.length === 0 ? title.trim() : paths.map((path) => fromWorkdir(path, workdir)).join(", ");
  const name = what.startsWith(kind) || kind === "other" ? what : `${kind} ${what}`;
  return { mark: "→ ", texts: safeRows(name.trim() === "" ? kind : name) };
}

function isOver({ status }: ToolCall): boolean {
  return status === "completed" || status === "failed";
}

function withoutEnd(text: string): string {
  return text.replace(/\n$/, "");
}
