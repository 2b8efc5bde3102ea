import { dirname } from "@std/path/posix";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder } from "../../base/ports/state_folder.ts";
import { errorText } from "../../base/text/error_text.ts";

const TOKEN_BYTES = 32;
/** A token as it is written: base64url without padding. */
const TOKEN_FORM = /^[A-Za-z0-9_-]{43}$/;

export function tokenPathIn(stateFolder: string): string {
  return `${stateFolder}/serve/token`;
}

/**
 * The person's token: the one that is there, so that pages and clients stay signed in when the server was started anew,
 * or a new one. The file is its owner's alone.
 *
 * @param options.renew whether to make a new one in any case; what knows the old one is signed out
 * @throws {PanewrightError} when it cannot be read or written, or could have been read by others
 */
export async function readOrMakeToken(
  stateFolder: string,
  { renew = false }: { readonly renew?: boolean } = {},
): Promise<string> {
  return await tokenAt(tokenPathIn(stateFolder), { renew, hint: OWN_HINT });
}

async function tokenAt(
  path: string,
  { hint, renew }: { readonly hint: string; readonly renew: boolean },
): Promise<string> {
  try {
    makeOwnFolder(dirname(path));
    const found = renew ? undefined : readToken(path, hint);
    if (found !== undefined) return found;
    const token = crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
    await replaceFile(path, `${token}\n`, { mode: 0o600, durable: true });
    return token;
  } catch (cause) {
    if (cause instanceof PanewrightError) throw cause;
    throw new PanewrightError(`Cannot use the token in ${path}: ${errorText(cause)}`, { cause });
  }
}

const OWN_HINT = "Make a new one with: panewright serve --new-token";

/** @param hint what to do about one that cannot be used */
function readToken(path: string, hint: string): string | undefined {
  let text: string;
  try {
    assertOwn(path);
    if (((Deno.lstatSync(path).mode ?? 0) & 0o077) !== 0) throw new Error("other users can read it");
    text = readRegularText(path, { maxBytes: 1024 }).trim();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new PanewrightError(`Cannot use the token in ${path}: ${errorText(cause)}`, { cause, hint });
  }
  if (TOKEN_FORM.test(text)) return text;
  throw new PanewrightError(`Cannot use the token in ${path}: it is not one of panewright`, { hint });
}

/** Who may ask: the owner of the server, or somebody whom they have invited. */
export interface Admitted {
  /** Missing for the owner. */
  readonly who?: string;
}

/**
 * Makes the check of tokens: the owner's, and those of the people who are invited when it is made use of.
 *
 * @param stateFolder where those are. @default nobody is invited
 */
export function createTokenCheck(
  token: string,
  stateFolder?: string,
): (given: string) => Promise<Admitted | undefined> {
  const own = digest(token);
  return async (given) => {
    const asked = await digest(given);
    if (areSame(asked, await own)) return {};
    for (const [who, theirs] of stateFolder === undefined ? [] : invitedIn(stateFolder)) {
      if (areSame(asked, await digest(theirs))) return { who };
    }
    return undefined;
  };
}

function areSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.reduce((different, byte, index) => different | (byte ^ other[index]!), 0) === 0;
}

/** The token of somebody who is invited: one who was invited before keeps theirs. */
export async function invite(stateFolder: string, who: string): Promise<string> {
  if (!PERSON.test(who)) {
    throw new UsageError(`Cannot invite ${JSON.stringify(who)}: a name has letters, digits, dots, - and _, 64 at most`);
  }
  makeOwnFolder(`${stateFolder}/serve`);
  const hint = `Take it back with: panewright serve --uninvite ${who}`;
  return await tokenAt(personPath(stateFolder, who), { renew: false, hint });
}

/** @throws {UsageError} for somebody who is not invited */
export async function uninvite(stateFolder: string, who: string): Promise<void> {
  if (PERSON.test(who) && lstatOrUndefined(personPath(stateFolder, who)) !== undefined) {
    return await Deno.remove(personPath(stateFolder, who));
  }
  const names = invitedIn(stateFolder).map(([name]) => name);
  throw new UsageError(`Cannot sign out ${JSON.stringify(who)}: they are not invited${didYouMean(who, names)}`);
}

/** Those who are invited, with their tokens. */
export function invitedIn(stateFolder: string): readonly (readonly [who: string, token: string])[] {
  const folder = `${stateFolder}/serve/people`;
  if (lstatOrUndefined(folder) === undefined) return [];
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => PERSON.test(name)).sort();
  return names.flatMap((who) => {
    try {
      const token = readToken(personPath(stateFolder, who), "");
      return token === undefined ? [] : [[who, token] as const];
    } catch {
      // Whose token cannot be read, or could be read by others, is nobody.
      return [];
    }
  });
}

/** A name is that of a file, too. */
const PERSON = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;

function personPath(stateFolder: string, who: string): string {
  return `${stateFolder}/serve/people/${who}`;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
