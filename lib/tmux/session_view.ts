import { systemClock } from "../base/ports/clock.ts";
import type { TmuxClient, TmuxCommand } from "./client.ts";
import { expectTmuxSuccess } from "./plain_client.ts";
import { readShows, SHOWS_OPTION } from "./shown_work.ts";

export interface ViewLook {
  readonly shown: number;
  readonly windows: ReadonlyMap<number, string>;
  readonly tiles: readonly Tile[];
  readonly terminal: ViewTerminal | undefined;
  readonly panes: ReadonlyMap<string, string>;
  readonly viewers: ReadonlyMap<string, string>;
}

export interface ViewTerminal {
  readonly client: string;
  readonly size: string;
}

/** A part of window 0 that has no program: it shows what is drawn. */
export interface Tile {
  readonly paneId: string;
  readonly columns: number;
  readonly rows: number;
}

/**
 * A text of a view.
 *
 * - `window`: at the left of the status bar, while that window is shown; `view`: at its right
 * - `tile`: above a tile
 * - `turn`: the number of the window that is marked, or nothing
 * - `away`: not empty where the key is told that shows the marked window
 */
export interface Label {
  readonly on: { readonly session: true } | { readonly window: number } | { readonly tile: string };
  readonly name: "window" | "view" | "tile" | "turn" | "away";
  readonly text: string;
}

const STATUS_ROWS = 2;

const LEAST_SIZE = { columns: 80, rows: 24 } as const;

const MARK = "#{?#{==:#{window_index},#{@panewright_turn}},*, }";

/**
 * What an option holds is not expanded again. Of a list that is too long, tmux shows the part around the window that is
 * shown.
 */
const STATUS = [
  " #{@panewright_window}#[align=right] #{@panewright_view} ",
  "#[list=on align=left]#[list=left-marker]<#[list=right-marker]>#[list=on]" +
  `#{W:#[range=window|#{window_index}] #I #W${MARK}#[norange],` +
  `#[list=focus reverse range=window|#{window_index}] #I #W${MARK}#[norange default list=on]}` +
  "#[nolist align=right] #{?window_bigger,#{prefix} Shift-arrows move · ,}" +
  "#{?#{@panewright_away},#{prefix} f shows the work · ,}#{prefix} d leaves ",
] as const;

/**
 * Opens a view of a session for one client: a session of its own in the same server that links the other's windows. So
 * each client has its own window in front and its own status bar, and no window changes its size for it. It binds keys
 * of the server: it is for one that is not a person's own.
 */
export async function openSessionView(client: TmuxClient, options: {
  readonly source: string;
  readonly columns: number;
  readonly rows: number;
  readonly tiles: number;
  readonly tilesName: string;
}): Promise<SessionView> {
  const name = `panewright-view-${crypto.randomUUID().slice(0, 8)}`;
  const { columns, rows, tiles, tilesName } = options;
  const size = [
    ...["-x", String(Math.max(LEAST_SIZE.columns, columns))] as const,
    ...["-y", String(Math.max(LEAST_SIZE.rows, rows - STATUS_ROWS))] as const,
  ];
  const tilesWindow = `=${name}:=${tilesName}`;
  const doing = `open a view of tmux session ${options.source}`;
  const opened = await client.runAll([
    // Without it, a server that has just ended would be started anew.
    ["has-session", "-t", `=${options.source}`],
    ["new-session", "-d", "-s", name, "-n", tilesName, ...size, "--", "env", "sleep", "2147483647"],
    ["set-option", "-t", `=${name}:`, "status", String(STATUS_ROWS)],
    ...STATUS.map((format, row) => ["set-option", "-t", `=${name}:`, `status-format[${row}]`, format] as const),
    ["set-option", "-w", "-t", tilesWindow, "automatic-rename", "off"],
    ["set-option", "-w", "-t", tilesWindow, "pane-border-status", "top"],
    ["set-option", "-w", "-t", tilesWindow, "pane-border-format", " #{@panewright_tile} "],
    ...Array.from({ length: tiles }, () =>
      [
        ["split-window", "-d", "-t", `${tilesWindow}.{bottom-right}`, ""],
        ["select-layout", "-t", tilesWindow, "tiled"],
      ] as const).flat(),
    ["kill-pane", "-t", `${tilesWindow}.{top-left}`],
    ["select-layout", "-t", tilesWindow, "tiled"],
    ...windowKeys(tiles),
  ]);
  const view = new SessionView(client, { name, source: options.source });
  if (opened.code !== 0) await view[Symbol.asyncDispose]();
  expectTmuxSuccess(opened, doing);
  return view;
}

/**
 * A client that may only look is refused `next-window` and `select-window` (tmux 3.3a), but not `switch-client`, which
 * can do the same.
 */
export const NEXT_WINDOW_KEYS: readonly TmuxCommand[] = [
  ["bind-key", "n", "switch-client", "-t", ":+"],
  ["bind-key", "p", "switch-client", "-t", ":-"],
];

function windowKeys(tiles: number): readonly TmuxCommand[] {
  const numbers = Array.from({ length: tiles + 1 }, (_, index) => index);
  return [
    ...NEXT_WINDOW_KEYS,
    ["bind-key", "-T", "root", "MouseDown1Status", "switch-client", "-t", "="],
    ...numbers.map((index) => ["bind-key", String(index), "switch-client", "-t", `:=${index}`] as const),
  ];
}

const LOOK_MS = 20;
const MAX_LOOKS = 250;

export class SessionView implements AsyncDisposable {
  readonly #client: TmuxClient;
  readonly name: string;
  readonly #source: string;
  readonly #labels = new Map<string, string>();

  constructor(client: TmuxClient, { name, source }: { readonly name: string; readonly source: string }) {
    this.#client = client;
    this.name = name;
    this.#source = source;
  }

  async look(): Promise<ViewLook | undefined> {
    const { stdout } = await this.#client.runAll([
      ["list-windows", "-t", `=${this.name}:`, "-F", "window #{window_index} #{window_id} #{window_active}"],
      ["list-clients", "-t", `=${this.name}:`, "-F", "client #{client_width}x#{client_height} #{client_name}"],
      ["list-panes", "-s", "-t", `=${this.#source}:`, "-F", `pane #{pane_id} #{window_id} #{${SHOWS_OPTION}}`],
      ["list-panes", "-t", `=${this.name}:0`, "-F", "tile #{pane_id} #{pane_width} #{pane_height}"],
    ]);
    const rows = stdout.trim().split("\n").map((line) => line.split(" "));
    const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, ...rest]) => rest);
    const windows = of("window");
    if (windows.length === 0) return undefined;
    const [[size = "", ...client] = []] = of("client");
    return {
      shown: Number(windows.find(([, , active]) => active === "1")?.[0]),
      windows: new Map(windows.map(([index, id = ""]) => [Number(index), id])),
      tiles: of("tile").map(([paneId = "", columns, rows]) => ({
        paneId,
        columns: Number(columns),
        rows: Number(rows),
      })),
      terminal: client.length === 0 ? undefined : { client: client.join(" "), size },
      panes: new Map(of("pane").map(([paneId = "", windowId = ""]) => [paneId, windowId])),
      viewers: new Map(of("pane").map(([paneId = "", , shows = ""]) => [readShows(shows).shows, paneId])),
    };
  }

  async link(windowId: string, index: number): Promise<void> {
    // It knows nothing of what the one before was labelled with.
    this.#labels.clear();
    await this.#client.run(["link-window", "-d", "-k", "-s", windowId, "-t", `=${this.name}:${index}`]);
  }

  async select(index: number): Promise<void> {
    await this.#client.run(["select-window", "-t", `=${this.name}:${index}`]);
  }

  async moveTo(place: "end" | "cursor", { client }: ViewTerminal): Promise<void> {
    const how = { end: ["-D", "1000"], cursor: ["-c"] }[place];
    await this.#client.run(["refresh-client", "-t", client, ...how]);
  }

  async layOut(): Promise<void> {
    await this.#client.run(["select-layout", "-t", `=${this.name}:0`, "tiled"]);
  }

  async label(labels: readonly Label[]): Promise<void> {
    const commands = labels.flatMap(({ on, name, text }): TmuxCommand[] => {
      const where = "tile" in on
        ? ["-p", "-t", on.tile]
        : "window" in on
        ? ["-w", "-t", `=${this.name}:${on.window}`]
        : ["-t", `=${this.name}:`];
      const command = ["set-option", ...where, `@panewright_${name}`] as const;
      const key = command.join(" ");
      // What an option holds is read once more for styles.
      const value = text.replaceAll("#", "##");
      if (this.#labels.get(key) === value) return [];
      this.#labels.set(key, value);
      return [[...command, value]];
    });
    if (commands.length === 0) return;
    // After one that fails, such as for a window that is gone, the others were not carried out.
    if ((await this.#client.runAll(commands)).code !== 0) this.#labels.clear();
  }

  /** Draws a tile anew: rows that fit it, which may hold styles and nothing else that a terminal acts upon. */
  async draw(tile: Tile, rows: readonly string[]): Promise<void> {
    // What erases to the end of a row after its last column erases that column.
    const blank = Array.from({ length: Math.max(0, tile.rows - rows.length) }, () => "");
    const text = [...rows, ...blank].map((row) => `\x1b[0m\x1b[2K${row}`).join("\r\n");
    const stdin = `\x1b[?7l\x1b[?25l\x1b[H${text}`;
    await this.#client.run(["display-message", "-I", "-t", tile.paneId], { stdin });
  }

  /** Binds a key, after the prefix, to showing a window: for clients of all views in this server. */
  async bind(key: string, index: number): Promise<void> {
    await this.#client.run(["bind-key", key, "switch-client", "-t", `:=${index}`]);
  }

  /**
   * The command with which a client shows it. Not `-r`: beside a client that may type, tmux would pass over the size of
   * this one, and its tiles would keep the size of whichever client was there when they were made.
   */
  attachCommand({ readOnly }: { readonly readOnly: boolean }): TmuxCommand {
    return ["attach-session", ...(readOnly ? ["-f", "read-only"] : []), "-t", `=${this.name}`];
  }

  async detach(): Promise<void> {
    await this.#client.run(["detach-client", "-s", `=${this.name}`]);
  }

  /**
   * Closes it once no client is left. A session that ends while a client is leaving it, as with `destroy-unattached`,
   * crashes the whole server, and with it every agent (tmux 3.3a, one time in five); better one session too many.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.detach();
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      const { code, stdout } = await this.#client.run(["list-clients", "-t", `=${this.name}`, "-F", "#{client_name}"]);
      if (code !== 0) return;
      if (stdout.trim() === "") return void await this.#client.run(["kill-session", "-t", `=${this.name}`]);
      await systemClock.sleep(LOOK_MS);
    }
  }
}
