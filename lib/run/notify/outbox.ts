import type { Clock } from "../../base/ports/clock.ts";
import { HttpStatusError } from "../../base/ports/http.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Action, Channel, ChannelId, Delivery } from "./channel.ts";
import { endEntries, keepEnd, type ToldEnd } from "./end_due.ts";
import type { Notification } from "./notification.ts";
import { type OutboxEntry, type OutboxFolder, removeEntry, writeEntry } from "./outbox_file.ts";
import { present } from "../../base/schema.ts";

/** Delivers messages from files, so that none is lost: it is tried again, also by another process. */
interface Outbox {
  put(notification: Notification, options?: PutOptions): SentMessage;
  putEnd(end: ToldEnd): void;
  take(entry: OutboxEntry): void;
  close(options: { readonly held: "deliver" | "drop" }): Promise<void>;
}

interface PutOptions {
  readonly delayMs?: number;
  readonly over?: ChannelId;
}

export interface SentMessage {
  withdraw(): void;
}

interface OutboxParts {
  readonly folder: OutboxFolder;
  readonly channels: readonly Channel[];
  readonly run: string | undefined;
  readonly actionsOf: (notification: Notification) => Promise<readonly Action[]>;
  readonly page?: string;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  /** Told when a message could not be delivered for the first time, and when it is given up. */
  readonly onProblem: (message: string) => void;
  readonly random?: () => number;
}

/** A slow server must not hold up a run, and not its end for longer than this. */
const TIMEOUT_MS = 10_000;

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 300_000;
const JITTER = 0.25;

export function pauseMs(failures: number, random: number): number {
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(pause * (1 - JITTER + 2 * JITTER * random));
}

export function openOutbox(parts: OutboxParts): Outbox {
  const { folder, channels, run, clock, wallClock, onProblem, random = Math.random } = parts;
  const closing = new AbortController();
  const underWay = new Set<Promise<void>>();
  let heldAtEnd: "deliver" | "drop" = "deliver";
  let closesAtMs = Infinity;

  function start(work: Promise<void>): void {
    const watched = work.catch(tellUnkept);
    underWay.add(watched);
    void watched.finally(() => underWay.delete(watched));
  }

  const tellUnkept = (error: unknown) => onProblem(`Cannot keep a notification: ${errorText(error)}`);

  const pause = (ms: number, signal: AbortSignal) => clock.sleep(ms, signal).then(() => true, () => false);

  async function send(entry: OutboxEntry, options: { readonly delayMs: number; readonly withdrawn: AbortSignal }) {
    const { delayMs, withdrawn } = options;
    // A disk that is full keeps no message from being sent.
    await writeEntry(folder, entry).catch(tellUnkept);
    const isHeld = delayMs > 0 && !await pause(delayMs, AbortSignal.any([closing.signal, withdrawn]));
    if (isHeld && heldAtEnd === "drop") return removeEntry(folder, entry);
    await carry(entry, withdrawn);
  }

  async function sendEnd(end: ToldEnd): Promise<void> {
    const entries = await endEntries(end, { run: run ?? "", channels });
    await keepEnd(folder, entries).catch(tellUnkept);
    const { signal } = new AbortController();
    await Promise.all(entries.map((entry) => carry(entry, signal).catch(tellUnkept)));
  }

  async function carry(entry: OutboxEntry, withdrawn: AbortSignal): Promise<void> {
    const channel = channels.find(({ id }) => id === entry.channel);
    // The configuration has no such channel any more.
    if (channel === undefined) return removeEntry(folder, entry);
    const { title } = entry.notification;
    for (let failures = 0;;) {
      if (withdrawn.aborted) return removeEntry(folder, entry);
      if (wallClock().getTime() - Date.parse(entry.at) > channel.maxAgeMs) {
        onProblem(`The notification "${title}" is given up: ${channel.where} has not taken it in time`);
        return removeEntry(folder, entry);
      }
      const isLast = closing.signal.aborted;
      const timeoutMs = Math.min(TIMEOUT_MS, closesAtMs - clock.now());
      if (timeoutMs <= 0) return;
      const problem = await deliver(entry, { ...parts, channel, timeoutMs });
      if (problem === undefined) return removeEntry(folder, entry);
      failures++;
      if (failures === 1) onProblem(`Cannot send the notification "${title}" to ${channel.where}: ${problem.message}`);
      if (isLast) return;
      const waitMs = Math.max(pauseMs(failures, random()), problem.leastPauseMs);
      await pause(waitMs, AbortSignal.any([closing.signal, withdrawn]));
    }
  }

  return {
    put(notification, { delayMs = 0, over } = {}) {
      const withdrawn = new AbortController();
      const at = wallClock().toISOString();
      for (const { id: channel } of channels) {
        if (over !== undefined && channel !== over) continue;
        const entry: OutboxEntry = { v: 1, id: crypto.randomUUID(), channel, at, notification };
        start(send(entry, { delayMs, withdrawn: withdrawn.signal }));
      }
      return { withdraw: () => withdrawn.abort() };
    },
    putEnd: (end) => start(sendEnd(end)),
    take: (entry) => start(carry(entry, new AbortController().signal)),
    async close({ held }) {
      heldAtEnd = held;
      closesAtMs = clock.now() + TIMEOUT_MS;
      closing.abort();
      await Promise.all(underWay);
    },
  };
}

async function deliver(
  { id, at, notification }: OutboxEntry,
  { channel, timeoutMs, actionsOf, run, page }: OutboxParts & { readonly channel: Channel; readonly timeoutMs: number },
): Promise<{ readonly message: string; readonly leastPauseMs: number } | undefined> {
  try {
    const actions = channel.hasButtons ? await actionsOf(notification) : [];
    const delivery: Delivery = {
      ...{ id, at, notification, actions },
      ...present({ run, page }),
    };
    await channel.deliver(delivery, { timeoutMs });
    return undefined;
  } catch (error) {
    const seconds = error instanceof HttpStatusError ? error.retryAfterSeconds ?? 0 : 0;
    return { message: errorText(error), leastPauseMs: Math.min(seconds * 1000, 3_600_000) };
  }
}
