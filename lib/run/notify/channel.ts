import type { Notification } from "./notification.ts";

/** The ways to a person. */
export const CHANNEL_IDS = ["ntfy", "webhook", "desktop", "command"] as const;

/** One of {@linkcode CHANNEL_IDS}. */
export type ChannelId = typeof CHANNEL_IDS[number];

/** One way to a person. */
export interface Channel {
  readonly id: ChannelId;
  /** Where it leads, for messages: without what may be secret in an address. */
  readonly where: string;
  /** After how long a message is not worth telling any more. */
  readonly maxAgeMs: number;
  /** Whether it shows buttons. */
  readonly hasButtons: boolean;
  /** @throws when the message was not taken in time */
  deliver(delivery: Delivery, options: { readonly timeoutMs: number }): Promise<void>;
}

/** A message as it is delivered. */
export interface Delivery {
  /** The same each time that it is tried. */
  readonly id: string;
  /** When it was written. ISO 8601. */
  readonly at: string;
  /** The run's id; missing for a test. */
  readonly run?: string;
  readonly notification: Notification;
  readonly actions: readonly Action[];
  /** The page of the run, where there is one. */
  readonly page?: string;
}

/** A button: pressed, it posts `body` to `url`. */
export interface Action {
  readonly label: string;
  readonly url: string;
  readonly body: string;
}
