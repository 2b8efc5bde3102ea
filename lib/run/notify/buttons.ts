import { makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { flag, listOf, object, oneOf, optional, text, type ValueOf } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { hmacSha256, isHmacSha256 } from "../../base/text/hmac.ts";
import type { AskedQuestion } from "./notification.ts";

export interface ButtonsFolder {
  readonly id: string;
  /** Absolute path; it need not exist. */
  readonly buttonsDir: string;
}

export interface Button {
  readonly label: string;
  /** Names run, question and choice; its last part can only be made with this machine's key. */
  readonly token: string;
}

export interface Press {
  readonly question: string;
  readonly fingerprint: string;
  readonly answer: string;
}

interface ClaimedPress {
  readonly run: string;
  readonly question: string;
}

const LIFETIME_MS = 24 * 3600 * 1000;

const MAX_BYTES = 64 * 1024;

const TOKEN = /^(?<run>\d{8}-\d{6}-[0-9a-f]{4})\.(?<question>q\d{1,9})\.(?<index>\d)\.(?<mac>[\w-]{43})$/;

/** What is in a question's file. No token is: each is made of this and the machine's key, which agents do not have. */
const isIssued = object({
  v: oneOf(1),
  question: text,
  fingerprint: text,
  choices: listOf(object({ label: text, answer: text })),
  nonce: text,
  expiresAt: text,
  isClosed: optional(flag),
});

type IssuedButtons = ValueOf<typeof isIssued>;

interface UsedButtons {
  readonly label: string;
  readonly at: string;
}

export async function issueButtons(
  folder: ButtonsFolder,
  { id: question, fingerprint, choices }: Pick<AskedQuestion, "id" | "fingerprint" | "choices">,
  { key, now }: { readonly key: string; readonly now: Date },
): Promise<readonly Button[]> {
  const earlier = readIssued(folder, question);
  const asked = { question, fingerprint, choices };
  const isSame = earlier !== undefined && Date.parse(earlier.expiresAt) > now.getTime() &&
    JSON.stringify([earlier.question, earlier.fingerprint, earlier.choices]) === JSON.stringify(Object.values(asked));
  const issued: IssuedButtons = isSame ? earlier : {
    v: 1,
    ...asked,
    nonce: crypto.randomUUID(),
    expiresAt: new Date(now.getTime() + LIFETIME_MS).toISOString(),
  };
  if (!isSame || issued.isClosed === true) {
    await makeOwnFolder(folder.buttonsDir);
    await replaceFile(issuedPath(folder, question), JSON.stringify({ ...issued, isClosed: false }), { durable: true });
  }
  return await Promise.all(choices.map(async ({ label }, index) => ({
    label,
    token: `${folder.id}.${question}.${index}.${base64Url(await hmacSha256(key, boundText(folder, issued, index)))}`,
  })));
}

/** What a text that was sent as a token claims to be; `undefined` where it has another form. */
export function claimOf(token: string): ClaimedPress | undefined {
  const { run, question } = TOKEN.exec(token)?.groups ?? {};
  return run === undefined || question === undefined ? undefined : { run, question };
}

export async function readPress(
  folder: ButtonsFolder,
  token: string,
  { key, now }: { readonly key: string; readonly now: Date },
): Promise<Press | { readonly refused: string }> {
  const { run, question, index, mac } = TOKEN.exec(token)?.groups ?? {};
  if (question === undefined || mac === undefined || run !== folder.id) return { refused: "it is not one of this run" };
  const issued = readIssued(folder, question);
  const choice = issued?.choices[Number(index)];
  if (issued === undefined || choice === undefined) return { refused: "it is not one of this run" };
  const bytes = Uint8Array.fromBase64(mac, { alphabet: "base64url" });
  if (!await isHmacSha256(bytes, { key, text: boundText(folder, issued, Number(index)) })) {
    return { refused: "it was made for another question, or not by panewright" };
  }
  const used = readUsed(folder, question, issued.nonce);
  if (used !== undefined) return { refused: `"${used.label}" was pressed before, at ${used.at}` };
  if (Date.parse(issued.expiresAt) <= now.getTime()) return { refused: `it was good until ${issued.expiresAt}` };
  return { question, fingerprint: issued.fingerprint, answer: choice.answer };
}

export async function noteUsed(folder: ButtonsFolder, token: string, { now }: { readonly now: Date }): Promise<void> {
  const { question = "", index } = TOKEN.exec(token)?.groups ?? {};
  const issued = readIssued(folder, question);
  const choice = issued?.choices[Number(index)];
  if (issued === undefined || choice === undefined) return;
  const used: UsedButtons = { label: choice.label, at: now.toISOString() };
  await replaceFile(usedPath(folder, question, issued.nonce), JSON.stringify(used), { durable: true });
}

export async function closeButtons(folder: ButtonsFolder, question: string): Promise<void> {
  const issued = readIssued(folder, question);
  if (issued === undefined || issued.isClosed === true) return;
  await replaceFile(issuedPath(folder, question), JSON.stringify({ ...issued, isClosed: true }), { durable: true });
}

/**
 * The moment from which buttons of this run can have been pressed that nobody has heard of; `undefined` where none can.
 */
export async function openButtonsSince(
  folder: ButtonsFolder,
  { now }: { readonly now: Date },
): Promise<Date | undefined> {
  let sinceMs = Infinity;
  for (const question of await questionsIn(folder)) {
    const issued = readIssued(folder, question);
    if (issued === undefined || issued.isClosed === true) continue;
    if (readUsed(folder, question, issued.nonce) !== undefined) continue;
    const expiresMs = Date.parse(issued.expiresAt);
    if (expiresMs > now.getTime()) sinceMs = Math.min(sinceMs, expiresMs - LIFETIME_MS);
  }
  return sinceMs === Infinity ? undefined : new Date(sinceMs);
}

async function questionsIn({ buttonsDir }: ButtonsFolder): Promise<readonly string[]> {
  try {
    const names = await Array.fromAsync(Deno.readDir(buttonsDir), ({ name }) => /^(q\d{1,9})\.json$/.exec(name)?.[1]);
    return names.filter((name) => name !== undefined);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return [];
    throw error;
  }
}

function boundText({ id }: ButtonsFolder, issued: IssuedButtons, index: number): string {
  const { question, fingerprint, choices, nonce, expiresAt } = issued;
  const { label, answer } = choices[index]!;
  return JSON.stringify([id, question, fingerprint, nonce, expiresAt, index, label, answer]);
}

function base64Url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

/** What cannot be read as ours stands for nothing. */
function readIssued(folder: ButtonsFolder, question: string): IssuedButtons | undefined {
  const path = issuedPath(folder, question);
  try {
    const issued: unknown = JSON.parse(readRegularText(path, { maxBytes: MAX_BYTES }));
    const isOurs = isIssued(issued) && issued.question === question && /^[\w-]+$/.test(issued.nonce) &&
      !Number.isNaN(Date.parse(issued.expiresAt));
    return isOurs ? issued : undefined;
  } catch {
    return undefined;
  }
}

/** A mark that cannot be read is one, too. */
function readUsed(folder: ButtonsFolder, question: string, nonce: string): UsedButtons | undefined {
  try {
    const { label, at } = JSON.parse(readRegularText(usedPath(folder, question, nonce), { maxBytes: MAX_BYTES }));
    return { label: String(label), at: String(at) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return { label: "A button", at: `a time that cannot be read (${errorText(error)})` };
  }
}

function issuedPath({ buttonsDir }: ButtonsFolder, question: string): string {
  if (!/^q\d{1,9}$/.test(question)) throw new TypeError(`Cannot use "${question}" as the id of a question`);
  return `${buttonsDir}/${question}.json`;
}

function usedPath(folder: ButtonsFolder, question: string, nonce: string): string {
  return issuedPath(folder, question).replace(/\.json$/, `.${nonce}.used.json`);
}
