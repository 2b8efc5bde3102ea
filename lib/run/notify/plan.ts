import type { Argv } from "../../base/settings.ts";

export interface NotificationPlan {
  readonly ntfy?: NtfyPlan;
  readonly webhook?: WebhookPlan;
  /** Whether the desktop of this machine shows the messages. @default {false} */
  readonly desktop?: boolean;
  readonly command?: Argv;
  /** How long a question may be answered without a message. @default {20} */
  readonly delaySeconds?: number;
  /** What the buttons of a message may answer. @default {"none"} */
  readonly buttons?: ButtonsFor;
  /** Where `panewright serve` is reached by whoever presses a button; without it buttons go through the ntfy server. */
  readonly answerUrl?: string;
}

export interface NtfyPlan {
  readonly url: string;
  readonly topic: string;
  readonly tokenFile?: string;
  /** The topic that buttons publish to; without it one that this machine has made up. */
  readonly replyTopic?: string;
}

export interface WebhookPlan {
  readonly url: string;
  /** Absolute path of a file with the key of the signatures; without it one that this machine has made up. */
  readonly secretFile?: string;
}

/** For what there are buttons: nothing, an agent's questions, or permissions as well. */
export const BUTTONS_FOR = ["none", "questions", "all"] as const;

export type ButtonsFor = typeof BUTTONS_FOR[number];

export const DEFAULT_DELAY_SECONDS = 20;
