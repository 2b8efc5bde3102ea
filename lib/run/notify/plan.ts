import type { Argv } from "../../base/settings.ts";

export interface NotificationPlan {
  readonly ntfy?: NtfyPlan;
  readonly webhook?: WebhookPlan;
  readonly desktop?: boolean;
  readonly command?: Argv;
  readonly delaySeconds?: number;
  readonly buttons?: ButtonsFor;
  readonly answerUrl?: string;
  /** As in {@linkcode isQuiet}. @default {never} */
  readonly quietHours?: string;
  /** Whether each end is told, or only by the digest what needs nobody. @default {"each"} */
  readonly ends?: EndsTold;
}

export interface NtfyPlan {
  readonly url: string;
  readonly topic: string;
  readonly tokenFile?: string;
  readonly replyTopic?: string;
}

export interface WebhookPlan {
  readonly url: string;
  /** Absolute path of a file with the key of the signatures; without it one that this machine has made up. */
  readonly secretFile?: string;
}

export const ENDS_TOLD = ["each", "digest"] as const;

type EndsTold = typeof ENDS_TOLD[number];

export const BUTTONS_FOR = ["none", "questions", "all"] as const;

export type ButtonsFor = typeof BUTTONS_FOR[number];

export const DEFAULT_DELAY_SECONDS = 20;
