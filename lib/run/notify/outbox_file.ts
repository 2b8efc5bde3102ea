import { removeIfThere } from "../../base/ports/files.ts";
import { makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { listOf, object, oneOf, optional, text } from "../../base/schema.ts";
import { CHANNEL_IDS, type ChannelId } from "./channel.ts";
import type { Notification } from "./notification.ts";

export interface OutboxFolder {
  /** Absolute path; it need not exist. */
  readonly outboxDir: string;
}

/**
 * A message for one channel, as its file has it. Where it goes to is not in it: only the configuration that the person
 * trusts says that, and agents write in this folder, too.
 */
export interface OutboxEntry {
  readonly v: 1;
  readonly id: string;
  readonly channel: ChannelId;
  /** When it was written. ISO 8601. */
  readonly at: string;
  readonly notification: Notification;
}

const MAX_BYTES = 64 * 1024;

/** So many are delivered later; more is not what a run leaves. */
const MAX_ENTRIES = 500;

export async function writeEntry(folder: OutboxFolder, entry: OutboxEntry): Promise<void> {
  await makeOwnFolder(folder.outboxDir);
  await replaceFile(pathOf(folder, entry), JSON.stringify(entry), { durable: true });
}

/** Takes a message away: it was delivered, or is not to be. */
export function removeEntry(folder: OutboxFolder, entry: OutboxEntry): void {
  removeIfThere(pathOf(folder, entry));
}

export async function readEntries(folder: OutboxFolder): Promise<readonly OutboxEntry[]> {
  const entries: OutboxEntry[] = [];
  try {
    for await (const { name, isFile } of Deno.readDir(folder.outboxDir)) {
      if (!isFile || !/^[0-9a-f-]{36}\.json$/.test(name) || entries.length >= MAX_ENTRIES) continue;
      const entry = readEntry(`${folder.outboxDir}/${name}`);
      if (entry !== undefined && `${entry.id}.json` === name) entries.push(entry);
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) throw error;
  }
  return entries.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function readEntry(path: string): OutboxEntry | undefined {
  try {
    const value: unknown = JSON.parse(readRegularText(path, { maxBytes: MAX_BYTES }));
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isEntryShape = object({
  v: oneOf(1),
  id: text,
  at: text,
  channel: oneOf(...CHANNEL_IDS),
  notification: object({
    ...{ title: text, text, priority: oneOf(3, 4, 5), kind: oneOf("needed", "ended", "answer", "test") },
    question: optional(object({
      id: text,
      fingerprint: text,
      permits: optional(text),
      choices: listOf(object({ label: text, answer: text })),
    })),
  }),
});

function isEntry(value: unknown): value is OutboxEntry {
  if (!isEntryShape(value) || Number.isNaN(Date.parse(value.at))) return false;
  const { question } = value.notification;
  return question === undefined || /^q\d{1,9}$/.test(question.id);
}

function pathOf({ outboxDir }: OutboxFolder, { id }: OutboxEntry): string {
  return `${outboxDir}/${id}.json`;
}
