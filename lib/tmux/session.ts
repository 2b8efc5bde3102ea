import { PANE_MARK_VARIABLE } from "../base/ports/marks.ts";
import { RuntimeError } from "../base/errors.ts";
import { type Clock, systemClock } from "../base/ports/clock.ts";
import { removeIfThere } from "../base/ports/files.ts";
import { findPidsByEntry, findProcess, type ProcessInfo } from "../base/ports/process_table.ts";
import type { LastResort } from "../base/ports/watchdog.ts";
import type { PaneRef, TmuxClient } from "./client.ts";
import { newPaneCommands, type PaneRequest, readNewPane } from "./new_pane.ts";
import { endPaneProcesses, findPaneProcesses, type KnownPane, type PaneProcess } from "./pane_processes.ts";
import { expectTmuxSuccess, tmuxProgram } from "./plain_client.ts";
import { attachCommand, killServer } from "./server.ts";

export interface SessionOptions {
  readonly name: string;
  /**
   * Whether the session is one that runs already, such as a person's own: windows are added to it, and nothing but
   * these windows is ever closed.
   */
  readonly existing?: boolean;
  readonly cols?: number;
  readonly rows?: number;
  readonly scrollbackRows?: number;
  readonly cleanupOnExit?: boolean;
  readonly mark?: string;
  readonly clock?: Clock;
}

/**
 * A window that keeps a session of our own alive while it has no pane; no shell, and nothing of the person's settings.
 */
export const PLACEHOLDER = "(no agent)";
export const PLACEHOLDER_ARGV = ["env", "sleep", "2147483647"] as const;

export class TmuxSession implements AsyncDisposable {
  readonly name: string;
  readonly cols: number;
  readonly rows: number;
  #cleanupOnExit: boolean;
  readonly #options: SessionOptions;
  readonly mark: string;
  readonly #panes = new Map<string, PaneProcess>();
  readonly #socketPath: string | undefined;

  constructor(readonly client: TmuxClient, options: SessionOptions, socketPath?: string) {
    this.name = options.name;
    this.cols = options.cols ?? 220;
    this.rows = options.rows ?? 50;
    this.#cleanupOnExit = options.cleanupOnExit ?? true;
    this.mark = options.mark ?? crypto.randomUUID();
    this.#options = options;
    this.#socketPath = socketPath;
  }

  async openPane(request: PaneRequest): Promise<PaneRef> {
    const { name, signal } = request;
    // Not passed on: a call that is cut short could leave a window that nobody knows of.
    signal?.throwIfAborted();
    // Addresses the window before its id is known. All commands reach tmux in one go: a program that ends at once must
    // not take its window along.
    const uniqueName = `panewright-${crypto.randomUUID()}`;
    const result = await this.client.runAll(newPaneCommands(request, { session: this, uniqueName }));
    const pane = readNewPane(result.stdout);
    if (pane) this.#panes.set(pane.paneId, { pid: pane.pid, startTime: (await findProcess(pane.pid))?.startTime });
    expectTmuxSuccess(result, `open a pane for ${name}`);
    if (!pane) throw new RuntimeError(`Cannot open a pane for ${name}: tmux answered ${JSON.stringify(result.stdout)}`);
    if (!this.#options.existing) await this.client.run(["kill-window", "-t", `=${this.name}:=${PLACEHOLDER}`]);
    return pane;
  }

  get cleanupOnExit(): boolean {
    return this.#cleanupOnExit;
  }

  /** Leaves the panes for a person, whatever the options said: disposal ends nothing. */
  leave(): void {
    this.#cleanupOnExit = false;
  }

  /** Whether it is gone although nobody closed it; of a person's own that is theirs to know. */
  async isLost(): Promise<boolean> {
    if (this.#options.existing) return false;
    return (await this.client.run(["has-session", "-t", `=${this.name}`])).code !== 0;
  }

  keep({ paneId, pid, startTime }: KnownPane): void {
    this.#panes.set(paneId, { pid, startTime });
  }

  knownPane({ paneId, pid }: PaneRef): KnownPane {
    return { paneId, pid, startTime: this.#panes.get(paneId)?.startTime };
  }

  /** Every living process that came out of a pane, on Linux with those that have lost their parents. */
  async processesOf({ paneId }: PaneRef): Promise<readonly ProcessInfo[]> {
    const known = this.#panes.get(paneId);
    if (known === undefined) return [];
    const [all, ofPane] = await Promise.all([
      findPaneProcesses([known], { mark: this.mark }),
      findPidsByEntry(`TMUX_PANE=${paneId}`),
    ]);
    const below = new Set((await findPaneProcesses([known])).map(({ pid }) => pid));
    return all.filter(({ pid }) => below.has(pid) || ofPane.has(pid));
  }

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
    if (this.#socketPath !== undefined) removeIfThere(this.#socketPath);
  }

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

  attachCommand(): string {
    return attachCommand(this.client.socket, this.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.cleanupOnExit) await this.close();
  }
}
