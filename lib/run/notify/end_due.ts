import { lstatOrUndefined, removeIfThere } from "../../base/ports/files.ts";
import { makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { Channel } from "./channel.ts";
import type { Notification } from "./notification.ts";
import { type OutboxEntry, type OutboxFolder, writeEntry } from "./outbox_file.ts";

export interface ToldEnd {
  readonly notification: Notification;
  /** When it was recorded. ISO 8601. */
  readonly at: string;
}

/**
 * Notes on the disk that somebody is to be told of the end that a run comes to from now on: whoever finds the note beside
 * a journal with an end knows that its process was killed before the message was in the outbox.
 */
export async function noteEndDue(folder: OutboxFolder): Promise<void> {
  await makeOwnFolder(folder.outboxDir);
  await replaceFile(noteOf(folder), "", { durable: true });
}

export function isEndDue(folder: OutboxFolder): boolean {
  try {
    return lstatOrUndefined(noteOf(folder))?.isFile === true;
  } catch {
    // Something else stands in the place of the outbox.
    return false;
  }
}

export function forgetEndDue(folder: OutboxFolder): void {
  try {
    if (isEndDue(folder)) removeIfThere(noteOf(folder));
  } catch { /* at worst the same message is sent once more */ }
}

export async function endEntries(
  { notification, at }: ToldEnd,
  { run, channels }: { readonly run: string; readonly channels: readonly Pick<Channel, "id">[] },
): Promise<readonly OutboxEntry[]> {
  return await Promise.all(channels.map(async ({ id: channel }) => {
    const hash = await sha256Hex(`${run} ${at} ${channel}`);
    const [, ...parts] = /^(.{8})(.{4})(.{4})(.{4})(.{12})/.exec(hash) ?? [];
    return { v: 1, id: parts.join("-"), channel, at, notification } as const;
  }));
}

export async function keepEnd(folder: OutboxFolder, entries: readonly OutboxEntry[]): Promise<void> {
  for (const entry of entries) await writeEntry(folder, entry);
  forgetEndDue(folder);
}

function noteOf({ outboxDir }: OutboxFolder): string {
  return `${outboxDir}/end-due`;
}
