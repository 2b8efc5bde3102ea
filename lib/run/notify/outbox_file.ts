import { removeIfThere } from "../../base/ports/files.ts";
import { makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { isObject } from "../../base/schema.ts";
import { CHANNEL_IDS, type ChannelId } from "./channels/channel.ts";
import type { Notification, NotificationKind } from "./notification.ts";

/** Where the messages of a run are kept until they are delivered. */
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
  /** Without secrets, and cut. */
  readonly notification: Notification;
}

/** A larger file is not one of ours. */
const MAX_BYTES = 64 * 1024;

/** So many are delivered later; more is not what a run leaves. */
const MAX_ENTRIES = 500;

/** Puts a message on the disk. */
export async function writeEntry(folder: OutboxFolder, entry: OutboxEntry): Promise<void> {
  await makeOwnFolder(folder.outboxDir);
  await replaceFile(pathOf(folder, entry), JSON.stringify(entry), { durable: true });
}

/** Takes a message away: it was delivered, or is not to be. */
export function removeEntry(folder: OutboxFolder, entry: OutboxEntry): void {
  removeIfThere(pathOf(folder, entry));
}

/** The messages that are left, oldest first. What is not a message is passed over. */
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

const KINDS: readonly NotificationKind[] = ["needed", "ended", "answer", "test"];

function isEntry(value: unknown): value is OutboxEntry {
  if (!isObject(value) || value["v"] !== 1 || typeof value["id"] !== "string") return false;
  if (typeof value["at"] !== "string" || Number.isNaN(Date.parse(value["at"]))) return false;
  return CHANNEL_IDS.some((id) => id === value["channel"]) && isNotification(value["notification"]);
}

function isNotification(value: unknown): value is Notification {
  if (!isObject(value) || typeof value["title"] !== "string" || typeof value["text"] !== "string") return false;
  if (![3, 4, 5].includes(value["priority"] as number) || !KINDS.some((kind) => kind === value["kind"])) return false;
  const question = value["question"];
  if (question === undefined) return true;
  return isObject(question) && typeof question["id"] === "string" && /^q\d{1,9}$/.test(question["id"]) &&
    typeof question["fingerprint"] === "string" && Array.isArray(question["choices"]) &&
    question["choices"].every((choice) =>
      isObject(choice) && typeof choice["label"] === "string" && typeof choice["answer"] === "string"
    );
}

function pathOf({ outboxDir }: OutboxFolder, { id }: OutboxEntry): string {
  return `${outboxDir}/${id}.json`;
}
