import * as z from "zod";
import { TOPIC } from "../run/notify/ntfy.ts";
import { QUIET_HOURS } from "../run/notify/quiet_hours.ts";
import { BUTTONS_FOR, DEFAULT_DELAY_SECONDS, ENDS_TOLD } from "../run/notify/plan.ts";
import type { ShapedSlice } from "./shapes.ts";

const ADDRESS = {
  kind: "shape",
  schema: () => z.url({ protocol: /^https?$/, error: "must be a web address (http:// or https://)" }),
  must: "a web address (http:// or https://)",
} as const;

const TOPIC_NAME = { kind: "text", pattern: TOPIC, must: "1 to 64 letters, digits, _ or -" } as const;

const OWN_FILE = { kind: "text", pattern: /^\//, must: "an absolute path" } as const;

const ARGV = () => z.tuple([z.string().min(1)], z.string()).meta({ description: "A program and its arguments." });

export const NOTIFICATION_SETTINGS = {
  ntfyUrl: {
    names: { key: "notifications.ntfy_url", env: "PANEWRIGHT_NTFY_URL" },
    value: { ...ADDRESS, default: "https://ntfy.sh" },
    description: "The ntfy server.",
  },
  ntfyTopic: {
    names: { key: "notifications.ntfy_topic", env: "PANEWRIGHT_NTFY_TOPIC" },
    value: TOPIC_NAME,
    description: "The ntfy topic that gets a message when a run ends, and when an agent waits for a person.",
    example: "my-runs",
  },
  ntfyTokenFile: {
    names: { key: "notifications.ntfy_token_file", env: "PANEWRIGHT_NTFY_TOKEN_FILE" },
    value: OWN_FILE,
    description: "A file with an access token of the ntfy server (`tk_…`), where its topics are protected.",
    example: "/home/me/.config/ntfy-token",
  },
  webhookUrl: {
    names: { key: "notifications.webhook_url", env: "PANEWRIGHT_WEBHOOK_URL" },
    value: ADDRESS,
    description: "A web address to which each message is posted as JSON, with a signature.",
    example: "https://hooks.example.com/panewright",
  },
  webhookSecretFile: {
    names: { key: "notifications.webhook_secret_file", env: "PANEWRIGHT_WEBHOOK_SECRET_FILE" },
    value: OWN_FILE,
    description: "A file with the key of the signatures; without it a random one of this machine.",
    example: "/home/me/.config/panewright-webhook",
  },
  desktop: {
    names: { key: "notifications.desktop", env: "PANEWRIGHT_NOTIFY_DESKTOP" },
    value: { kind: "switch", default: false },
    description: "Whether the desktop of this machine shows messages, with `notify-send` or `osascript`.",
  },
  notifyCommand: {
    names: { key: "notifications.command" },
    value: { kind: "shape", schema: ARGV, must: "an array of a program and its arguments" },
    description: "A program that gets each message as JSON on its standard input.",
    example: ["./tell-me.sh"],
  },
  delay: {
    names: { key: "notifications.delay_seconds", env: "PANEWRIGHT_NOTIFY_DELAY_SECONDS" },
    value: { kind: "seconds", least: 0, most: 3600, default: DEFAULT_DELAY_SECONDS },
    description: "How many seconds a question may be answered before a message is sent.",
  },
  quietHours: {
    names: { key: "notifications.quiet_hours", env: "PANEWRIGHT_NOTIFY_QUIET_HOURS" },
    value: { kind: "text", pattern: QUIET_HOURS, must: "from when to when, such as 22:00-07:00" },
    description:
      "The hours of each day, by this machine's time, in which messages make no sound: they have the priority 1.",
    example: "22:00-07:00",
  },
  ends: {
    names: { key: "notifications.ends", env: "PANEWRIGHT_NOTIFY_ENDS" },
    value: { kind: "choice", of: ENDS_TOLD, default: "each" },
    description:
      "Whether the end of each run is told, or those that need nobody by the digest alone, which `panewright notify digest` sends.",
  },
  buttons: {
    names: { key: "notifications.buttons", env: "PANEWRIGHT_NOTIFY_BUTTONS" },
    value: { kind: "choice", of: BUTTONS_FOR, default: "none" },
    description:
      "What the buttons of a message may answer: nothing, questions of agents, or permissions, too (`all`). Whoever reads the " +
      "messages can press them.",
  },
  replyTopic: {
    names: { key: "notifications.reply_topic", env: "PANEWRIGHT_NTFY_REPLY_TOPIC" },
    value: TOPIC_NAME,
    description: "The ntfy topic that buttons publish to; without it a random one of this machine.",
    example: "my-runs-answers",
  },
  answerUrl: {
    names: { key: "notifications.answer_url", env: "PANEWRIGHT_ANSWER_URL" },
    value: ADDRESS,
    description: "Where your phone reaches the server of runs: buttons then lead there, not to the ntfy server.",
    example: "https://my-machine.example.net:8443",
  },
} as const satisfies ShapedSlice;
