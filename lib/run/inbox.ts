import { isMessageId, MESSAGE_WAYS, type MessageWay } from "../base/terms.ts";
import { PanewrightError, UsageError } from "../base/errors.ts";
import { lstatOrUndefined, removeIfThere } from "../base/ports/files.ts";
import { createFileOnce } from "../base/ports/own_files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder } from "../base/ports/state_folder.ts";
import { isRoleName, type Role } from "../base/roles.ts";
import { isObject } from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { errorText } from "../base/text/error_text.ts";
import { compareText } from "../base/text/order.ts";
import type { RunMail } from "./run_mail.ts";

export const MAX_OUTSIDE_MESSAGE_BYTES = 256 * 1024;

export interface LeftMessage {
  readonly id: string;
  readonly role: Role;
  readonly text: string;
  /** Whether the agent is asked for a response; otherwise its turn is over when it is at rest. */
  readonly wantsResponse: boolean;
  readonly by: MessageWay;
  readonly who?: string;
  /** ISO 8601. */
  readonly leftAt: string;
}

export type InboxFolder = Pick<RunMail, "inboxDir">;

const MAX_FILE_BYTES = 6 * MAX_OUTSIDE_MESSAGE_BYTES + 4096;

/** The id of a message with a key: the same one for the same key, so that it is left once. */
export async function messageIdOf(key: string): Promise<string> {
  return `m-${(await sha256Hex(`message ${key}`)).slice(0, 16)}`;
}

export function newMessageId(): string {
  return `m-${crypto.randomUUID().replaceAll("-", "").slice(-16)}`;
}

/**
 * Leaves a message. It appears under its id at once and whole, on the disk when this returns; the first one with an id
 * counts.
 *
 * @returns the message that has the id: this one, or the first one
 */
export async function putInInbox(
  folder: InboxFolder,
  message: LeftMessage,
): Promise<{ readonly message: LeftMessage; readonly isNew: boolean }> {
  const { inboxDir } = folder;
  makeOwnFolder(inboxDir);
  const isNew = await createFileOnce(pathOf(folder, message.id), JSON.stringify(message));
  return { message: isNew ? message : readLeftMessage(folder, message.id), isNew };
}

/** Reads a message that was left. */
export function readLeftMessage(folder: InboxFolder | undefined, id: string): LeftMessage {
  if (folder === undefined) {
    throw new PanewrightError(`Cannot read the message ${id}: no messages are kept for the run`, {
      hint: "They are kept in the person's state folder.",
    });
  }
  const path = pathOf(folder, id);
  try {
    assertOwn(path);
    const left: unknown = JSON.parse(readRegularText(path, { maxBytes: MAX_FILE_BYTES }));
    if (!isLeftMessage(left) || left.id !== id) throw new TypeError("it is not a message");
    return left;
  } catch (cause) {
    throw new PanewrightError(`Cannot read the message ${path}: ${errorText(cause)}`, {
      cause,
      hint: "Remove it, and send it again.",
    });
  }
}

export function listInbox({ inboxDir }: InboxFolder): readonly string[] {
  try {
    const names = [...Deno.readDirSync(inboxDir)].map(({ name }) => name.replace(/\.json$/, ""));
    return names.filter(isMessageId).toSorted(compareText);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Takes a message back that no process has taken up. */
export function takeBack(folder: InboxFolder, id: string): boolean {
  try {
    Deno.removeSync(pathOf(folder, id));
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Notes that no message is taken any more. Who leaves one looks for the note afterwards; who closes the inbox takes what
 * is there afterwards: so no message is left behind that neither of them knows of.
 */
export async function closeInbox({ inboxDir }: InboxFolder): Promise<void> {
  makeOwnFolder(inboxDir);
  await Deno.writeTextFile(closedPath(inboxDir), "", { createNew: true, mode: 0o600 }).catch((error) => {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  });
}

export function reopenInbox({ inboxDir }: InboxFolder): void {
  removeIfThere(closedPath(inboxDir));
}

export function isInboxClosed({ inboxDir }: InboxFolder): boolean {
  return lstatOrUndefined(closedPath(inboxDir)) !== undefined;
}

function closedPath(inboxDir: string): string {
  return `${inboxDir}/closed`;
}

function isLeftMessage(value: unknown): value is LeftMessage {
  return isObject(value) && isRoleName(value.role) &&
    MESSAGE_WAYS.some((way) => way === value.by) && typeof value.text === "string" &&
    typeof value.wantsResponse === "boolean" && typeof value.leftAt === "string" &&
    (value.who === undefined || typeof value.who === "string");
}

function pathOf({ inboxDir }: InboxFolder, id: string): string {
  if (!isMessageId(id)) throw new UsageError(`Cannot use ${JSON.stringify(id)} as the id of a message`);
  return `${inboxDir}/${id}.json`;
}
