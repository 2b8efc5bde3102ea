import type { Notification } from "./notification.ts";

export const CHANNEL_IDS = ["ntfy", "webhook", "desktop", "command"] as const;

export type ChannelId = typeof CHANNEL_IDS[number];

export interface Channel {
  readonly id: ChannelId;
  readonly where: string;
  readonly maxAgeMs: number;
  readonly hasButtons: boolean;
  /** @throws when the message was not taken in time */
  deliver(delivery: Delivery, options: { readonly timeoutMs: number }): Promise<void>;
}

export interface Delivery {
  readonly id: string;
  /** When it was written. ISO 8601. */
  readonly at: string;
  /** The run's id; missing for a test. */
  readonly run?: string;
  readonly notification: Notification;
  readonly actions: readonly Action[];
  readonly page?: string;
}

export interface Action {
  readonly label: string;
  readonly url: string;
  readonly body: string;
}
