import type { Clock } from "../../../base/ports/clock.ts";
import type { SessionState } from "../../../journal/workers.ts";
import type { TmuxClient } from "../../../tmux/client.ts";
import { ControlClient } from "../../../tmux/control_client.ts";
import { createTmuxClient } from "../../../tmux/plain_client.ts";

interface SessionLease extends AsyncDisposable {
  clientOf(session: SessionState): TmuxClient;
}

interface Shared {
  readonly client: TmuxClient;
  readonly close: () => Promise<void>;
  users: number;
}

/**
 * One connection to each tmux session, for as long as somebody watches any of its panes. It hears nothing of the panes,
 * so that no program ever waits for this process. To a person's own session no client is added: it would be shown there.
 */
export class SessionClients {
  readonly #clock: Clock;
  readonly #shared = new Map<string, Shared>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  lease(): SessionLease {
    const leased = new Map<string, Shared>();
    return {
      clientOf: (session) => {
        const key = `${session.socket}\n${session.name}`;
        const known = leased.get(key);
        if (known !== undefined) return known.client;
        const shared = this.#shared.get(key) ?? this.#open(session);
        this.#shared.set(key, shared);
        leased.set(key, shared);
        shared.users++;
        return shared.client;
      },
      [Symbol.asyncDispose]: async () => {
        for (const [key, shared] of leased) {
          if (--shared.users > 0) continue;
          this.#shared.delete(key);
          await shared.close();
        }
        leased.clear();
      },
    };
  }

  #open({ socket, name, existing }: SessionState): Shared {
    const plain = createTmuxClient({ socket });
    if (existing) return { client: plain, close: () => Promise.resolve(), users: 0 };
    const client = new ControlClient({ plain, clock: this.#clock, hearsPanes: false, log: () => {} });
    // Until it is connected, and where it cannot be, plain commands do.
    void client.connect(name);
    return { client, close: () => client[Symbol.asyncDispose](), users: 0 };
  }
}
