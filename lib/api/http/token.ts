import { PanewrightError } from "../../base/errors.ts";
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
  const path = tokenPathIn(stateFolder);
  try {
    makeOwnFolder(`${stateFolder}/serve`);
    const found = renew ? undefined : readToken(path);
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

function readToken(path: string): string | undefined {
  let text: string;
  try {
    assertOwn(path);
    if (((Deno.lstatSync(path).mode ?? 0) & 0o077) !== 0) throw new Error("other users can read it");
    text = readRegularText(path, { maxBytes: 1024 }).trim();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return undefined;
    throw new PanewrightError(`Cannot use the token in ${path}: ${errorText(cause)}`, {
      cause,
      hint: "Make a new one with: panewright serve --new-token",
    });
  }
  if (TOKEN_FORM.test(text)) return text;
  throw new PanewrightError(`Cannot use the token in ${path}: it is not one of panewright`, {
    hint: "Make a new one with: panewright serve --new-token",
  });
}

export function createTokenCheck(token: string): (given: string) => Promise<boolean> {
  const expected = digest(token);
  return async (given) => {
    const [one, other] = await Promise.all([digest(given), expected]);
    return one.reduce((different, byte, index) => different | (byte ^ other[index]!), 0) === 0;
  };
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
