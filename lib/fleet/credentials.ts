import { UsageError } from "../base/errors.ts";
import { assertOwn } from "../base/ports/state_folder.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { findWrongField, isObject, oneOf, optional, text, type ValuesOf } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { isToken, RIGHTS, type Rights } from "./names.ts";

const FIELDS = {
  /** `nats://host:4222`, or `tls://host:4222`; those of a cluster have commas between them. */
  server: text,
  /** The user's name, which the server knows by its key. */
  name: text,
  rights: oneOf(...RIGHTS),
  /** The nkey's seed. */
  seed: text,
  /** The public key of the fleet's admin, whose word it is what users may do. */
  fleet: text,
  /** What the user signs with, and the admin's word whose key that is. */
  key: text,
  grant: text,
  /** The file with the certificate of who has signed the server's, beside this file or absolute. */
  ca: optional(text),
};

/**
 * Reads users such as `anna=submitter`; there is always an `admin`.
 *
 * @throws {UsageError} for what is none
 */
export function readUsers(words: readonly string[]): readonly { readonly name: string; readonly rights: Rights }[] {
  const named = words.map((word) => {
    const [name = "", given = ""] = word.split("=");
    const rights = RIGHTS.find((one) => one === given);
    if (isToken(name) && rights !== undefined) return { name, rights };
    throw new UsageError(`Cannot make the user "${word}": it is not NAME=RIGHTS`, {
      hint: `RIGHTS is one of ${RIGHTS.join(", ")}; a name has letters, digits, - and _.`,
    });
  });
  const admin = named.some(({ rights }) => rights === "admin") ? [] : [{ name: "admin", rights: "admin" as const }];
  return [...admin, ...named];
}

/** How one user reaches a fleet: a file of their own, as `panewright fleet init` writes it. */
export type Credentials = ValuesOf<typeof FIELDS>;

const MAX_BYTES = 64 * 1024;

/** Where the credentials are that a command goes by: `$PANEWRIGHT_FLEET`, or `panewright/fleet.json` of the config folder. */
export function credentialsPath(env: (name: string) => string | undefined): string | undefined {
  const [named, config, home] = [env("PANEWRIGHT_FLEET"), env("XDG_CONFIG_HOME"), env("HOME")];
  if (named !== undefined && named !== "") return named;
  const folder = config?.startsWith("/") ? config : home?.startsWith("/") ? `${home}/.config` : undefined;
  return folder === undefined ? undefined : `${folder}/panewright/fleet.json`;
}

const HINT =
  "Try one out on this machine with: panewright fleet up. A fleet's credentials are named by --fleet FILE or by PANEWRIGHT_FLEET.";

/** @throws {UsageError} when there are none, or others can read or write them */
export function readCredentials(path: string | undefined): Credentials {
  if (path === undefined) throw new UsageError("Cannot find a fleet: no file names one", { hint: HINT });
  const problem = (what: string, hint = HINT) => new UsageError(`Cannot use the fleet of ${path}: ${what}`, { hint });
  let value: unknown;
  try {
    assertOwn(path);
    if (((Deno.lstatSync(path).mode ?? 0) & 0o077) !== 0) throw new Error("others can read it");
    value = JSON.parse(readRegularText(path, { maxBytes: MAX_BYTES }));
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) throw problem("there is no such file");
    if (cause instanceof SyntaxError) throw problem("it is not JSON");
    throw problem(errorText(cause), `Make it yours alone: chmod 600 ${path}`);
  }
  const wrong = isObject(value) ? findWrongField(value, FIELDS) : "";
  if (wrong !== undefined) throw problem(wrong === "" ? "it is no object" : `its "${wrong}" is missing or wrong`);
  const credentials = value as Credentials;
  if (!isToken(credentials.name)) throw problem(`its "name" has other characters than letters, digits, - and _`);
  const { ca } = credentials;
  return ca === undefined || ca.startsWith("/")
    ? credentials
    : { ...credentials, ca: `${path.slice(0, path.lastIndexOf("/") + 1)}${ca}` };
}
