import { abortable } from "../../../base/ports/abortable.ts";
import type { Clock } from "../../../base/ports/clock.ts";
import type { Redactor } from "../../../base/redact/redactor.ts";
import type { Role } from "../../../base/roles.ts";
import { type SessionState, type Worker, workerOf } from "../../../journal/workers.ts";
import { errorText } from "../../../base/text/error_text.ts";
import { capturePane, type PaneCapture } from "../../../tmux/capture.ts";
import type { PaneRef, TmuxClient } from "../../../tmux/client.ts";
import { ActivityLog } from "./activity_log.ts";
import type { RunHub } from "../run_hub.ts";
import type { PaneFrame, RoleStanding, ScreenEvent } from "../../output/screen_event.ts";
import { paneFrame } from "./pane_frame.ts";

export type WatchedRun = Pick<RunHub, "folder" | "progress" | "executed">;

interface RoleScreenOptions {
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly clientOf: (session: SessionState) => TmuxClient;
}

/** At most 5 frames a second; a screen that stands still is looked at less often. */
const TICK_MS = 200;
const CALM_TICK_MS = 500;
const CALM_AFTER_MS = 5000;

interface Shown {
  readonly at: string;
  readonly standing: RoleStanding;
  /** Whether the agent has no terminal, so that its activity is shown. */
  readonly isActivity: boolean;
  readonly pane: PaneFrame | null;
  /** Why there is no pane; otherwise empty. */
  readonly why: string;
  readonly doing: string;
}

/**
 * What one role shows: the one look that all its followers share. What is newer replaces what is older, so that a
 * follower who reads slowly misses frames and costs no memory.
 */
export class RoleScreen {
  readonly #run: WatchedRun;
  readonly #role: Role;
  readonly #options: RoleScreenOptions;
  readonly #activity: ActivityLog;
  #captured: { readonly capture: PaneCapture; readonly pane: PaneFrame } | undefined;
  #shown: Shown | undefined;
  #ended: string | undefined;
  #news = Promise.withResolvers<void>();

  constructor(run: WatchedRun, role: Role, options: RoleScreenOptions) {
    this.#run = run;
    this.#role = role;
    this.#options = options;
    this.#activity = new ActivityLog(run.folder, role, options);
  }

  async watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    using activity = this.#activity;
    let newsMs = clock.now();
    try {
      for (;;) {
        // Asked before the look: what was done before the end is then surely in it.
        const { executed } = this.#run;
        const rowsBefore = activity.end;
        const now = await this.#look(signal);
        if (activity.end > rowsBefore || !isSame(this.#shown, now)) {
          newsMs = clock.now();
          this.#shown = now;
          this.#tell();
        }
        if (!executed && now.pane === null) {
          this.#ended = now.isActivity ? "the run is not executed any more" : now.why;
          return this.#tell();
        }
        await clock.sleep(clock.now() - newsMs > CALM_AFTER_MS ? CALM_TICK_MS : TICK_MS, signal);
      }
    } catch (error) {
      this.#ended = this.#options.redactor.text(`it cannot be watched any more: ${errorText(error)}`);
      this.#tell();
    }
  }

  async *follow(signal: AbortSignal): AsyncGenerator<ScreenEvent> {
    let told: Shown | undefined;
    let toldRows = -1;
    for (;;) {
      const news = this.#news.promise;
      const shown = this.#shown;
      const ended = this.#ended;
      if (shown !== undefined && shown !== told) {
        told = shown;
        const { at, standing, isActivity, pane, why, doing } = shown;
        if (isActivity) {
          const { rows, isReset } = this.#activity.from(toldRows);
          toldRows = this.#activity.end;
          yield { type: "activity", at, ...standing, rows: [...rows], isReset, doing };
        } else yield { type: "screen", at, ...standing, pane, ...(why === "" ? {} : { why }) };
      }
      if (ended !== undefined) {
        return yield { type: "end", at: this.#options.wallClock().toISOString(), role: this.#role, why: ended };
      }
      await abortable(() => news, signal);
    }
  }

  async #look(signal: AbortSignal): Promise<Shown> {
    const { progress } = this.#run;
    const worker = progress && workerOf(progress, this.#role);
    const seen = worker?.protocol === undefined
      ? await this.#capture(progress?.session, worker, signal)
      : await this.#activity.read().then(() => ({ pane: null, why: "" }));
    return {
      at: this.#options.wallClock().toISOString(),
      standing: standingOf(this.#role, worker),
      isActivity: worker?.protocol !== undefined,
      ...seen,
      doing: this.#activity.doing,
    };
  }

  async #capture(
    session: SessionState | undefined,
    worker: Worker | undefined,
    signal: AbortSignal,
  ): Promise<Pick<Shown, "pane" | "why">> {
    const none = worker === undefined ? "its agent was not started yet" : "its terminal is closed";
    if (session === undefined) return { pane: null, why: none };
    const client = this.#options.clientOf(session);
    try {
      const pane = worker?.pane === undefined
        ? await findStartingPane(client, { session, role: this.#role, signal })
        : { paneId: worker.pane.terminalId, pid: worker.pane.pid };
      if (pane === undefined) return { pane: null, why: none };
      return { pane: this.#frameOf(await capturePane(client, pane, { signal })), why: "" };
    } catch (error) {
      signal.throwIfAborted();
      return { pane: null, why: this.#options.redactor.text(errorText(error)) };
    }
  }

  #frameOf(capture: PaneCapture): PaneFrame {
    if (this.#captured === undefined || !isSame(this.#captured.capture, capture)) {
      this.#captured = { capture, pane: paneFrame(capture, this.#options.redactor) };
    }
    return this.#captured.pane;
  }

  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }
}

/** The window of an agent that is not ready yet: on a server of our own it has the role's name. */
async function findStartingPane(
  client: TmuxClient,
  { session, role, signal }: { readonly session: SessionState; readonly role: Role; readonly signal: AbortSignal },
): Promise<PaneRef | undefined> {
  if (session.existing) return undefined;
  const format = "#{pane_id} #{pane_pid} #{window_name}";
  const listed = await client.run(["list-panes", "-s", "-t", `=${session.name}:`, "-F", format], { signal });
  const found = listed.stdout.split("\n").map((line) => line.split(" ")).find(([, , name]) => name === role);
  return found === undefined ? undefined : { paneId: found[0]!, pid: Number(found[1]) };
}

function standingOf(role: Role, worker: Worker | undefined): RoleStanding {
  if (worker === undefined) return { role, status: "none" };
  const { provider, status, since } = worker;
  return { role, provider, status, since };
}

function isSame(before: object | undefined, now: object): boolean {
  return before !== undefined && JSON.stringify({ ...before, at: "" }) === JSON.stringify({ ...now, at: "" });
}
