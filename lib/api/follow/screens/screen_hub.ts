import { type Clock, systemClock } from "../../../base/ports/clock.ts";
import type { Redactor } from "../../../base/redact/redactor.ts";
import type { Role } from "../../../base/roles.ts";
import type { ScreenEvent } from "../../output/screen_event.ts";
import { RoleScreen, type WatchedRun } from "./role_screen.ts";
import { SessionClients } from "./session_clients.ts";

interface ScreenHubOptions {
  readonly redactor: Redactor;
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

interface Watched {
  readonly screen: RoleScreen;
  readonly stop: AbortController;
  readonly done: Promise<void>;
  followers: number;
}

/** The screens of all roles that somebody watches: each is looked at once, however many watch it, and no longer. */
export class ScreenHub implements AsyncDisposable {
  readonly #options: ScreenHubOptions;
  readonly #clients: SessionClients;
  readonly #watched = new Map<string, Watched>();
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: ScreenHubOptions) {
    this.#options = options;
    this.#clients = new SessionClients(options.clock ?? systemClock);
  }

  get size(): number {
    return this.#watched.size;
  }

  async *follow(run: WatchedRun, role: Role, signal: AbortSignal): AsyncGenerator<ScreenEvent> {
    const key = `${run.folder.path}\n${role}`;
    const watched = this.#watched.get(key) ?? this.#watch(key, run, role);
    watched.followers++;
    try {
      yield* watched.screen.follow(signal);
    } finally {
      if (--watched.followers === 0) this.#leave(key, watched);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const [key, watched] of [...this.#watched]) this.#leave(key, watched);
    await Promise.all(this.#leaving);
  }

  #watch(key: string, run: WatchedRun, role: Role): Watched {
    const { redactor, clock = systemClock, wallClock = () => new Date() } = this.#options;
    const lease = this.#clients.lease();
    const { clientOf } = lease;
    const screen = new RoleScreen(run, role, { redactor, clock, wallClock, clientOf });
    const stop = new AbortController();
    const done = screen.watch(stop.signal).finally(() => lease[Symbol.asyncDispose]()).catch(() => {});
    const watched = { screen, stop, done, followers: 0 };
    this.#watched.set(key, watched);
    return watched;
  }

  #leave(key: string, watched: Watched): void {
    if (this.#watched.get(key) === watched) this.#watched.delete(key);
    watched.stop.abort();
    const leaving = watched.done.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }
}
