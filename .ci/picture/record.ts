import { createTmuxClient, expectTmuxSuccess } from "../../lib/tmux/plain_client.ts";
import { killServer } from "../../lib/tmux/server.ts";
import type { TmuxClient } from "../../lib/tmux/client.ts";
import { parseScreen, type Row } from "../../lib/screen/mod.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { shellJoin, shellQuote } from "../../lib/shell/quote.ts";
import { ROOT } from "../runtime.ts";
import type { PictureRow, Recording } from "./recording.ts";

/** Between two looks at the terminals. */
const LOOK_MS = 120;

/** Looks after which the demo counts as stuck: two minutes. */
const MAX_LOOKS = 1000;

const SIZE = { columns: 100, rows: 24 };

/** What README tells people to type. */
export const TYPED = ["npx", "-y", `deno@${Deno.version.deno}`, "task", "demo"] as const;

/** What the picture has in place of this repository's path. */
const SHOWN_ROOT = "/home/you/panewright";

/** Runs the demo in a terminal of its own, and records that and the panes of its agents. */
export async function recordDemo(): Promise<Recording> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "pw-picture-" }));
  const terminal = clientFor("picture", folder);
  try {
    await startDemo(terminal, folder);
    return await watch(terminal, folder);
  } finally {
    await killServer(terminal);
    await Deno.remove(folder, { recursive: true });
  }
}

function clientFor(socket: string, folder: string): TmuxClient {
  const env = { PATH: PROGRAMS, LANG: "C.UTF-8", TMUX_TMPDIR: folder };
  return createTmuxClient({ socket, env, processRunner: systemProcessRunner });
}

const PROGRAMS = Deno.env.get("PATH") ?? "/usr/bin:/bin";

async function startDemo(terminal: TmuxClient, folder: string): Promise<void> {
  const home = Deno.env.get("HOME") ?? "/";
  const env = {
    HOME: folder,
    PATH: PROGRAMS,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    TMUX_TMPDIR: folder,
    // What this machine has fetched already.
    DENO_DIR: Deno.env.get("DENO_DIR") ?? `${home}/.cache/deno`,
    npm_config_cache: `${home}/.npm`,
    npm_config_update_notifier: "false",
  };
  const setting = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const demo = shellJoin(["env", "-i", ...setting, ...TYPED]);
  const script = `${demo}; : > ${shellQuote(`${folder}/over`)}; exec sleep 600`;
  const size = ["-x", `${SIZE.columns}`, "-y", `${SIZE.rows}`];
  const started = await terminal.run(["new-session", "-d", ...size, "-c", ROOT, "--", "sh", "-c", script]);
  expectTmuxSuccess(started, "start the demo");
}

/** What was seen so far of the agents, by the journal of their run. */
interface Agents {
  readonly client: TmuxClient;
  readonly panes: ReadonlyMap<string, string>;
  /** Whose turn it is, or was last. */
  readonly role: string | undefined;
}

async function watch(terminal: TmuxClient, folder: string): Promise<Recording> {
  const startMs = performance.now();
  const log: { atMs: number; row: PictureRow }[] = [];
  const live: { atMs: number; row: PictureRow }[] = [];
  const panes: { atMs: number; role: string; rows: readonly PictureRow[] }[] = [];
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    const isOver = await Deno.stat(`${folder}/over`).then(() => true, () => false);
    const { rows, cursorRow } = await look(terminal);
    const atMs = Math.round(performance.now() - startMs);
    for (const row of rows.slice(log.length, cursorRow)) log.push({ atMs, row });
    addIfNew(live, { atMs, row: rows[cursorRow] ?? [] });
    const agents = await readAgents(folder, log.map(({ row }) => textOf(row)).join(""));
    const pane = agents?.panes.get(agents.role ?? "");
    if (agents?.role !== undefined && pane !== undefined) {
      const captured = await agents.client.run(["capture-pane", "-e", "-p", "-t", pane]);
      const shown = parseScreen(captured.stdout.trimEnd()).rows.map(toPictureRow);
      if (captured.code === 0) addIfNew(panes, { atMs, role: agents.role, rows: shown });
    }
    if (!isOver) {
      await systemClock.sleep(LOOK_MS);
      continue;
    }
    const end = log.find(({ row }) => textOf(row).startsWith("✓ PASS"));
    if (end === undefined) throw new Error("Cannot record the demo: it has not passed");
    if (panes.length === 0) throw new Error("Cannot record the demo: no pane of an agent was seen");
    return { columns: SIZE.columns, log, live, panes, endMs: end.atMs };
  }
  throw new Error("Cannot record the demo: it did not end");
}

function addIfNew<Shown extends { readonly atMs: number }>(shown: Shown[], next: Shown): void {
  const same = JSON.stringify({ ...shown.at(-1), atMs: 0 }) === JSON.stringify({ ...next, atMs: 0 });
  if (!same) shown.push(next);
}

/** All rows that the terminal has shown, and which of them the cursor is in. */
async function look(
  terminal: TmuxClient,
): Promise<{ readonly rows: readonly PictureRow[]; readonly cursorRow: number }> {
  const { stdout } = await terminal.runAll([
    ["capture-pane", "-e", "-p", "-S", "-"],
    ["display-message", "-p", "#{history_size} #{cursor_y}"],
  ]);
  const [last = "", ...above] = stdout.trimEnd().split("\n").toReversed();
  const [history = 0, cursor = 0] = last.split(" ").map(Number);
  const rows = parseScreen(above.toReversed().join("\n")).rows.map(toPictureRow);
  return { rows, cursorRow: history + cursor };
}

/** A row of a screen as it is drawn. */
export function toPictureRow({ spans, text }: Row): PictureRow {
  return spans.flatMap(({ start, end, style: { foreground: color, bold: isBold, dim: isDim } }) => {
    const shown = text.slice(start, end);
    if (shown.trim() === "") return [];
    const part = { text: shown.replaceAll(ROOT.slice(0, -1), SHOWN_ROOT), isBold, isDim };
    return [{ column: start, ...part, ...(color === undefined ? {} : { color }) }];
  });
}

function textOf(row: PictureRow): string {
  return row.map(({ text }) => text).join("");
}

/**
 * @param shown what the terminal has shown so far, in one row; it names the demo's folder, by which the agents' tmux
 *   server is named
 */
async function readAgents(folder: string, shown: string): Promise<Agents | undefined> {
  const [, socket] = /\/tmp\/(panewright-demo-[0-9a-f]+)\//.exec(shown) ?? [];
  if (socket === undefined) return undefined;
  const runs = `/tmp/${socket}/project/.panewright/runs`;
  const [run] = await Array.fromAsync(Deno.readDir(runs)).catch(() => []);
  const journal = await Deno.readTextFile(`${runs}/${run?.name}/journal.ndjson`).catch(() => "");
  const lines = journal.split("\n").slice(0, -1);
  const records = lines.map((line) => JSON.parse(line) as { type: string; role?: string; terminalId?: string });
  const ready = records.filter(({ type }) => type === "agent_ready");
  return {
    client: clientFor(socket, folder),
    panes: new Map(ready.map(({ role = "", terminalId = "" }) => [role, terminalId])),
    role: records.findLast(({ type }) => type === "turn_started")?.role ?? ready[0]?.role,
  };
}
