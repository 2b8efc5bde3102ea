import { present } from "../base/schema.ts";
import { RuntimeError } from "../base/errors.ts";
import { parsePartlyStyled } from "../screen/partly_styled.ts";
import { parseScreen, type RowRange, type Screen, type ScreenMeta } from "../screen/screen.ts";
import type { PaneRef, TmuxClient } from "./client.ts";
import { describeTmuxProblem } from "./plain_client.ts";

export interface CaptureOptions {
  readonly joinWrapped?: boolean;
  /** How many rows of scrollback come before the visible ones. There is none on the alternate screen. */
  readonly scrollbackRows?: number;
  readonly signal?: AbortSignal;
}

/** The name of a program may hold anything, line ends included: what is not printable ASCII becomes `?`. */
const COMMAND_FORMAT = "#{s/[^ -~]/?/:pane_current_command}";

/** No title holds a line end. One format costs less than three. */
function metadataFormat(command: string): string {
  return `#{pane_id} #{pane_pid} #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag} #{alternate_on} ` +
    `#{pane_dead} ${command}\t#{pane_title}`;
}

const METADATA_FORMAT = metadataFormat(COMMAND_FORMAT);
const METADATA_FORMAT_WITHOUT_COMMAND = metadataFormat("");

const METADATA_LINE = /^(%\d+) (\d+) (\d+) (\d+) (\d+) (\d+) ([01]?) ([01]?) ([01]?) ([^\t]*)\t(.*)$/;

/** The pane that is captured. Where `pid` is given, it must still be the process id of the pane's program. */
type CapturedPane = Pick<PaneRef, "paneId"> & Partial<PaneRef>;

export interface PaneCapture {
  readonly text: string;
  /**
   * What tmux knows of it besides. The cursor is missing where the row of the pane is not that of the text: with
   * scrollback, or rows joined; the foreground program where it was not asked for.
   */
  readonly facts: Required<Omit<ScreenMeta, "cursor" | "command">> & Pick<ScreenMeta, "cursor" | "command">;
}

export async function capturePane(
  client: TmuxClient,
  pane: CapturedPane,
  options: CaptureOptions = {},
): Promise<PaneCapture> {
  const { scrollbackRows = 0 } = options;
  const captures = [["-e", ...(scrollbackRows > 0 ? ["-S", String(-scrollbackRows)] : [])]];
  const { facts, text } = await ask(client, pane, { ...options, captures });
  if (countLines(text) === facts.rows) return { text, facts };
  const { cursor: _cursor, ...factsWithoutCursor } = facts;
  return { text, facts: factsWithoutCursor };
}

export async function captureScreen(
  client: TmuxClient,
  pane: CapturedPane,
  options: CaptureOptions = {},
): Promise<Screen> {
  const { text, facts } = await capturePane(client, pane, options);
  return parseScreen(text, facts);
}

/**
 * Like {@linkcode captureScreen}, but with the style of some rows only, and maybe without the program's name: to write
 * down a row's style takes tmux ten times as long as its text, and to look up the foreground program as long as all
 * other facts together (3.3a).
 *
 * @returns `undefined` where all styles are needed: the pane does not have these rows, or some of its rows were joined
 */
export async function captureScreenPartly(
  client: TmuxClient,
  pane: CapturedPane,
  options: Pick<CaptureOptions, "joinWrapped" | "signal"> & {
    readonly styledRows: readonly RowRange[];
    readonly withCommand: boolean;
  },
): Promise<Screen | undefined> {
  const { styledRows, withCommand } = options;
  const captures = [[], ...styledRows.map(({ first, last }) => ["-e", "-S", String(first), "-E", String(last)])];
  const { facts, text } = await ask(client, pane, { ...options, captures });
  const { command: _none, ...factsWithoutCommand } = facts;
  const counts = [facts.rows, ...styledRows.map(({ first, last }) => last - first + 1)];
  if (countLines(text) !== counts.reduce((sum, count) => sum + count)) return undefined;
  const [visible = "", ...parts] = cutLines(text, counts);
  const styled = parts.map((part, index) => ({ first: styledRows[index]!.first, text: part }));
  return parsePartlyStyled(visible, styled, withCommand ? facts : factsWithoutCommand);
}

/** One call, which tmux carries out while no program writes: the captures are of the same moment. */
async function ask(
  client: TmuxClient,
  pane: CapturedPane,
  { captures, joinWrapped = false, withCommand = true, signal }: Pick<CaptureOptions, "joinWrapped" | "signal"> & {
    readonly captures: readonly (readonly string[])[];
    readonly withCommand?: boolean;
  },
): Promise<ParsedCapture> {
  const target = ["-t", pane.paneId] as const;
  const joined = joinWrapped ? ["-J"] : [];
  const result = await client.runAll([
    ["display-message", "-p", ...target, withCommand ? METADATA_FORMAT : METADATA_FORMAT_WITHOUT_COMMAND],
    ...captures.map((flags) => ["capture-pane", "-p", ...joined, ...flags, ...target] as const),
  ], present({ signal }));
  if (result.code !== 0) {
    const said = result.stderr.trim() || `exit code ${result.code}`;
    throw new RuntimeError(`Cannot read pane ${pane.paneId}: ${describeTmuxProblem(said)}`);
  }
  const capture = parseCapture(result.stdout);
  if (capture.paneId !== pane.paneId || (pane.pid !== undefined && capture.pid !== pane.pid)) {
    throw new RuntimeError(`Cannot read pane ${pane.paneId}: it holds another program now (pid ${capture.pid})`);
  }
  return capture;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

function cutLines(text: string, counts: readonly number[]): readonly string[] {
  let from = 0;
  return counts.map((count) => {
    let end = from - 1;
    for (let left = count; left > 0; left--) {
      const next = text.indexOf("\n", end + 1);
      end = next < 0 ? text.length : next;
    }
    const lines = text.slice(from, end);
    from = end + 1;
    return lines;
  });
}

type ParsedCapture = PaneRef & PaneCapture;

export function parseCapture(stdout: string): ParsedCapture {
  const metadataEnd = stdout.indexOf("\n");
  const metadata = metadataEnd < 0 ? stdout : stdout.slice(0, metadataEnd);
  const found = METADATA_LINE.exec(metadata);
  if (!found) throw new RuntimeError(`Cannot read a pane: tmux answered ${JSON.stringify(metadata.slice(0, 80))}`);
  const [, paneId = "", pid, cols, height, x, y, cursorVisible, alternate, dead, command = "", title = ""] = found;
  return {
    paneId,
    pid: Number(pid),
    facts: {
      cols: Number(cols),
      rows: Number(height),
      title,
      command,
      cursor: [Number(x), Number(y)],
      cursorVisible: cursorVisible === "1",
      alternate: alternate === "1",
      dead: dead === "1",
    },
    text: metadataEnd < 0 ? "" : stdout.slice(metadataEnd + 1, stdout.endsWith("\n") ? -1 : undefined),
  };
}
