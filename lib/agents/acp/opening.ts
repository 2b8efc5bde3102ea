import type { AcpHandlers, AcpSessionNotification, AcpUnread } from "./protocol/connection.ts";
import type { AcpElicitationReply, AcpPermissionOutcome } from "./protocol/protocol.ts";
import type { OpeningNews } from "./session_request.ts";
import { type ConfigOption, readOwnMode, readUpdate } from "./update.ts";

export type AcpListener = Required<Pick<AcpHandlers, "permission" | "elicitation">> & {
  update(notification: AcpSessionNotification): void;
  unread(update: AcpUnread): void;
  extension(params: unknown): void;
  trouble(text: string): void;
};

const MAX_PAST_CALLS = 1000;

export class Opening implements OpeningNews, AcpListener {
  replayed = 0;
  mode: string | undefined;
  options: readonly ConfigOption[] | undefined;
  #expected: string | undefined;
  readonly #pastCalls = new Set<string>();
  readonly #troubles: string[] = [];

  expect(sessionId: string): void {
    this.#expected = sessionId;
    this.replayed = 0;
  }

  forgetSettings(): void {
    this.mode = undefined;
    this.options = undefined;
  }

  tell(options: readonly ConfigOption[]): void {
    this.options = options;
    this.mode = options.find(({ category }) => category === "mode")?.value ?? this.mode;
  }

  handOver(listener: AcpListener & { replayed(callId: string): void }): void {
    for (const id of this.#pastCalls) listener.replayed(id);
    for (const text of this.#troubles) listener.trouble(text);
  }

  update(notification: AcpSessionNotification): void {
    const update = readUpdate(notification.update);
    switch (update.type) {
      case "mode":
        this.mode = update.mode;
        return;
      case "config":
        return this.tell(update.options);
      case "call":
        if (this.#pastCalls.size < MAX_PAST_CALLS) this.#pastCalls.add(update.call.id);
        break;
      case "message":
      case "thought":
      case "user":
        break;
      default:
        return;
    }
    if (notification.sessionId === this.#expected) this.replayed++;
  }

  unread(): void {}

  extension(params: unknown): void {
    this.mode = readOwnMode(params)?.update.mode ?? this.mode;
  }

  permission(): Promise<AcpPermissionOutcome> {
    return Promise.resolve({ outcome: "cancelled" });
  }

  elicitation(): Promise<AcpElicitationReply> {
    return Promise.resolve({ action: "cancel" });
  }

  trouble(text: string): void {
    this.#troubles.push(text);
  }
}
