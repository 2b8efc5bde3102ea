import type { Argv } from "../../base/settings.ts";

/** How a person is told about a run, and how they may answer. */
export interface NotificationPlan {
  readonly ntfy?: NtfyPlan;
  readonly webhook?: WebhookPlan;
  /** Whether the desktop of this machine shows the messages. @default {false} */
  readonly desktop?: boolean;
  /** A program that is given each message as JSON on its standard input. */
  readonly command?: Argv;
  /** How long a question may be answered without a message. @default {20} */
  readonly delaySeconds?: number;
  /** What the buttons of a message may answer. @default {"none"} */
  readonly buttons?: ButtonsFor;
  /** Where `panewright serve` is reached by whoever presses a button; without it buttons go through the ntfy server. */
  readonly answerUrl?: string;
}

/** An ntfy server, and a topic of it. */
export interface NtfyPlan {
  readonly url: string;
  readonly topic: string;
  /** Absolute path of a file with an access token of the server. */
  readonly tokenFile?: string;
  /** The topic that buttons publish to; without it one that this machine has made up. */
  readonly replyTopic?: string;
}

/** A web address that every message is posted to. */
export interface WebhookPlan {
  readonly url: string;
  /** Absolute path of a file with the key of the signatures; without it one that this machine has made up. */
  readonly secretFile?: string;
}

/** For what there are buttons: nothing, an agent's questions, or permissions as well. */
export const BUTTONS_FOR = ["none", "questions", "all"] as const;

/** One of {@linkcode BUTTONS_FOR}. */
export type ButtonsFor = typeof BUTTONS_FOR[number];

/** How long a question may be answered without a message, where nothing else is said. */
export const DEFAULT_DELAY_SECONDS = 20;
