import { RuntimeError, UsageError } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import { findProcess, type ProcessInfo } from "../ports/process_table.ts";
import type { LastResort } from "../ports/watchdog.ts";
import type { PaneRef, TmuxClient, TmuxCommand } from "./client.ts";
import {
  endPaneProcesses,
  findPaneProcesses,
  type KnownPane,
  PANE_MARK_VARIABLE,
  type PaneProcess,
} from "./pane_processes.ts";
import { expectTmuxSuccess, tmuxProgram } from "./plain_client.ts";
import { attachCommand, findSocketPath, isServerRunning, killServer, tmuxCommand } from "./server.ts";

/** Options of {@linkcode openSession}. */
export interface OpenSessionOptions {
  /** The session's name; tmux has no `:` and `.` in names. */
  readonly name: string;
  /**
   * Whether the session is one that runs already, such as a person's own: windows are added to it, and nothing but
   * these windows is ever closed.
   *
   * @default {false}
   */
  readonly existing?: boolean;
  /** @default {220} */
  readonly cols?: number;
  /** @default {50} */
  readonly rows?: number;
  /**
   * Rows of scrollback that a pane keeps, in a session of our own.
   *
   * @default {20000}
   */
  readonly scrollbackRows?: number;
  /**
   * Whether disposal ends everything that was opened here. Otherwise the panes stay for a person to attach to.
   *
   * @default {true}
   */
  readonly cleanupOnExit?: boolean;
  /**
   * What everything that is started in the panes carries in its environment ({@linkcode PANE_MARK_VARIABLE}).
   *
   * @default {a random one}
   */
  readonly mark?: string;
  /** @default {systemClock} */
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** What {@linkcode TmuxSession.openPane} starts. */
export interface PaneRequest {
  /** The window's name. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Variables set for the program, besides those of the tmux server. */
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly cwd: string;
  /**
   * Whose work it shows, where its program only does that: it can be found by it, and has the size of whichever
   * terminal shows it. Missing for an agent's own pane.
   */
  readonly shows?: string;
  readonly signal?: AbortSignal;
}

/** The option of a pane that has what {@linkcode PaneRequest.shows} is, behind the mark of who opened it. */
export const SHOWS_OPTION = "@panewright_shows";

/**
 * What {@linkcode SHOWS_OPTION} of a pane says: whose work it shows, and the mark of the session that opened it. Both are
 * empty for a pane that shows nobody's; in a person's session there may be panes of several runs.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(readShows("3f2a/tester"), { mark: "3f2a", shows: "tester" });
 * assertEquals(readShows(""), { mark: "", shows: "" });
 * ```
 */
export function readShows(option: string): { readonly mark: string; readonly shows: string } {
  const [mark = "", shows = ""] = option.split("/");
  return { mark, shows };
}

/**
 * A window that keeps a session of our own alive while it has no pane; no shell, and nothing of the person's settings.
 */
export const PLACEHOLDER = "(no agent)";
const PLACEHOLDER_ARGV = ["env", "sleep", "2147483647"] as const;

/** What programs draw for; the entry of terminfo that tmux brings along. */
const TERMINAL = "tmux-256color";

/** Variables that change how programs draw: whether in colours, and in how many. */
const DRAWING_VARIABLES = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"] as const;

/**
 * Arguments of `env` with which a program draws the same from whatever shell panewright was started, and in whatever
 * tmux server it runs, unless its own environment asks for something else.
 */
function drawingVariables(env: Readonly<Record<string, string>>): readonly string[] {
  const unset = DRAWING_VARIABLES.filter((name) => env[name] === undefined);
  return [...unset.flatMap((name) => ["-u", name]), `TERM=${env["TERM"] ?? TERMINAL}`];
}

/**
 * Opens a session: one of our own on a server of its own, or one that runs already.
 *
 * @throws {UsageError} when the session that must exist does not, or the socket for our own is taken
 * @throws {RuntimeError} when tmux refuses
 */
export async function openSession(client: TmuxClient, options: OpenSessionOptions): Promise<TmuxSession> {
  const { name, existing = false } = options;
  if (!/^[^:.\p{Cc}]+$/u.test(name)) {
    throw new UsageError(
      `Cannot open tmux session ${JSON.stringify(name)}: a name must not be empty or hold ":" or "."`,
    );
  }
  if (existing) {
    if ((await client.run(["has-session", "-t", `=${name}`])).code === 0) return new TmuxSession(client, options);
    throw new UsageError(`Cannot use tmux session ${name}: it does not exist on socket ${client.socket}`, {
      hint: `See what is running with: ${tmuxCommand(client.socket)} list-sessions`,
    });
  }
  if (await isServerRunning(client)) {
    throw new UsageError(`Cannot open tmux session ${name}: a server is already running on socket ${client.socket}`, {
      hint: `See what is running with: ${tmuxCommand(client.socket)} list-sessions`,
    });
  }
  await startServer(client, options);
  return new TmuxSession(client, options, await findSocketPath(client));
}

/** How often a server is started that ends as it starts: another client that looks in meanwhile can end it (3.3a). */
const MAX_STARTS = 5;

async function startServer(client: TmuxClient, options: OpenSessionOptions): Promise<void> {
  const { name, cols = 220, rows = 50, scrollbackRows = 20_000 } = options;
  const size = ["-x", String(cols), "-y", String(rows)] as const;
  const commands: readonly TmuxCommand[] = [
    ["new-session", "-d", "-s", name, "-n", PLACEHOLDER, ...size, "--", ...PLACEHOLDER_ARGV],
    ["set-option", "-g", "history-limit", String(scrollbackRows)],
    ["set-option", "-g", "default-terminal", TERMINAL],
    ["set-option", "-g", "mouse", "on"],
    // As it comes, tmux cuts it at 10 columns.
    ["set-option", "-g", "status-left-length", "60"],
    ["set-option", "-g", "status-left", "[#{session_name}] #{window_name} "],
  ];
  for (let tries = 1;; tries++) {
    const result = await client.runAll(commands);
    if (result.code === 0) return;
    await killServer(client);
    if (tries === MAX_STARTS || !/^(?:server exited|lost server)/.test(result.stderr)) {
      expectTmuxSuccess(result, `open tmux session ${name}`);
    }
  }
}

/** A tmux session that agents' panes are opened in. Disposal ends what was opened, on every way out. */
export class TmuxSession implements AsyncDisposable {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  #cleanupOnExit: boolean;
  readonly #options: OpenSessionOptions;
  /** What everything that is started in the panes carries in its environment. */
  readonly mark: string;
  readonly #panes = new Map<string, PaneProcess>();
  /** Of a server of our own. */
  readonly #socketPath: string | undefined;

  /** Use {@linkcode openSession}. */
  constructor(readonly client: TmuxClient, options: OpenSessionOptions, socketPath?: string) {
    this.name = options.name;
    this.cols = options.cols ?? 220;
    this.rows = options.rows ?? 50;
    this.#cleanupOnExit = options.cleanupOnExit ?? true;
    this.mark = options.mark ?? crypto.randomUUID();
    this.#options = options;
    this.#socketPath = socketPath;
  }

  /**
   * Opens a window with one pane, which stays readable after its program has ended. That of an agent keeps the session's
   * size whatever terminal attaches.
   *
   * @throws {RuntimeError} when tmux refuses
   */
  async openPane(request: PaneRequest): Promise<PaneRef> {
    const { argv, env = {}, cwd, name, shows, signal } = request;
    // Not passed on: a call that is cut short could leave a window that nobody knows of.
    signal?.throwIfAborted();
    // A name that nobody else has addresses the window before its id is known, and all commands reach tmux in one go:
    // a program that ends at once must not take its window along.
    const uniqueName = `panewright-${crypto.randomUUID()}`;
    const target = `=${this.name}:=${uniqueName}`;
    const variables = Object.entries({ ...env, [PANE_MARK_VARIABLE]: this.mark });
    const commands: TmuxCommand[] = [
      [
        ...["new-window", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-n", uniqueName] as const,
        ...["-a", "-t", `=${this.name}:{end}`],
        ...["-c", cwd, ...variables.flatMap(([key, value]) => ["-e", `${key}=${value}`]), "--"],
        // tmux gives a single word to a shell, and several to exec; and it takes PATH from its client whatever -e says
        // (3.3a). `env` becomes the program, so the process id stays, and it says so when there is no such program.
        ...["env", ...drawingVariables(env), ...(env["PATH"] === undefined ? [] : [`PATH=${env["PATH"]}`]), ...argv],
      ],
      ["set-option", "-p", "-t", target, "remain-on-exit", "on"],
      // Without this, "Pane is dead" pushes the first row of what the program said off the screen (3.3a).
      ["set-option", "-p", "-q", "-t", target, "remain-on-exit-format", ""],
      ["set-option", "-w", "-t", target, "automatic-rename", "off"],
      ...shows === undefined
        ? [
          ["set-option", "-w", "-t", target, "window-size", "manual"] as const,
          ["resize-window", "-t", target, "-x", String(this.cols), "-y", String(this.rows)] as const,
        ]
        : [
          ["set-option", "-w", "-t", target, "window-size", "latest"] as const,
          ["set-option", "-p", "-t", target, SHOWS_OPTION, `${this.mark}/${shows}`] as const,
        ],
      ["rename-window", "-t", target, name],
    ];
    const result = await this.client.runAll(commands);
    const pane = parseNewPane(result.stdout);
    if (pane) this.#panes.set(pane.paneId, { pid: pane.pid, startTime: (await findProcess(pane.pid))?.startTime });
    expectTmuxSuccess(result, `open a pane for ${name}`);
    if (!pane) throw new RuntimeError(`Cannot open a pane for ${name}: tmux answered ${JSON.stringify(result.stdout)}`);
    if (!this.#options.existing) await this.client.run(["kill-window", "-t", `=${this.name}:=${PLACEHOLDER}`]);
    return pane;
  }

  /** Whether disposal ends what was opened. */
  get cleanupOnExit(): boolean {
    return this.#cleanupOnExit;
  }

  /** Leaves the panes for a person, whatever the options said: disposal ends nothing. */
  leave(): void {
    this.#cleanupOnExit = false;
  }

  /** Treats a pane of an earlier process as one that was opened here. */
  keep({ paneId, pid, startTime }: KnownPane): void {
    this.#panes.set(paneId, { pid, startTime });
  }

  /** How another process can recognise a pane that was opened here. */
  knownPane({ paneId, pid }: PaneRef): KnownPane {
    return { paneId, pid, startTime: this.#panes.get(paneId)?.startTime };
  }

  /** Closes a pane that was opened here, and ends every process that came out of it. Does nothing for a closed one. */
  async closePane(pane: PaneRef): Promise<void> {
    const known = this.#panes.get(pane.paneId);
    if (known === undefined) return;
    const processes = await findPaneProcesses([known]);
    this.#panes.delete(pane.paneId);
    if (this.#panes.size === 0 && !this.#options.existing) {
      // A session ends with its last window, and another agent may be started here yet.
      const where = ["-a", "-t", `=${this.name}:{end}`, "-n", PLACEHOLDER] as const;
      await this.client.run(["new-window", "-d", ...where, "--", ...PLACEHOLDER_ARGV]);
    }
    await this.client.run(["kill-pane", "-t", pane.paneId]);
    await this.#endProcesses(processes);
  }

  /** Ends everything that was opened here, whatever `cleanupOnExit` says. */
  async close(): Promise<void> {
    const processes = await findPaneProcesses([...this.#panes.values()], { mark: this.mark });
    if (!this.#options.existing) await killServer(this.client, this.#socketPath);
    else for (const paneId of this.#panes.keys()) await this.client.run(["kill-pane", "-t", paneId]);
    await this.#endProcesses(processes);
    // A process that was being started while its parent was ended is in no earlier list, but it carries the mark.
    await this.#endProcesses(await findPaneProcesses([], { mark: this.mark }));
    this.#panes.clear();
  }

  /**
   * Closes the panes that were opened here without waiting for their processes to end: for a program that is about to
   * exit. Does nothing where the panes are to stay.
   */
  abandon(): void {
    if (!this.cleanupOnExit) return;
    if (this.#options.existing) {
      this.client.runAllSync([...this.#panes.keys()].map((paneId) => ["kill-pane", "-t", paneId] as const));
      return;
    }
    this.client.runAllSync([["kill-server"]]);
    if (this.#socketPath !== undefined) removeSocketSync(this.#socketPath);
  }

  /** What {@linkcode abandon} does, for a program that does not get to it; undefined where the panes are to stay. */
  lastResort(): LastResort | undefined {
    if (!this.cleanupOnExit) return undefined;
    const mark = { name: PANE_MARK_VARIABLE, value: this.mark };
    if (this.#options.existing) return { mark };
    const killServer = tmuxProgram(["kill-server"], { socket: this.client.socket });
    const removeSocket = this.#socketPath === undefined
      ? []
      : [{ argv: ["rm", "-f", "--", this.#socketPath] as const, env: killServer.env }];
    return { mark, programs: [killServer, ...removeSocket] };
  }

  #endProcesses(processes: readonly ProcessInfo[]): Promise<void> {
    return endPaneProcesses(processes, { clock: this.#options.clock ?? systemClock });
  }

  /** The command that shows the panes to a person. */
  attachCommand(): string {
    return attachCommand(this.client.socket, this.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.cleanupOnExit) await this.close();
  }
}

function removeSocketSync(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function parseNewPane(stdout: string): PaneRef | undefined {
  const found = /^(%\d+) (\d+)$/m.exec(stdout);
  return found ? { paneId: found[1]!, pid: Number(found[2]) } : undefined;
}
