import type { WordPart } from "../../shell/mod.ts";

/** Shapes of names whose values are secrets by custom. */
const SECRET =
  /(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|ENCRYPTION|SIGNING|MASTER|DEPLOY|SSH|AUTH|ACCOUNT|SERVICE)_?KEY(?:_ID)?|KEY|APIKEY|SECRETS?|TOKENS?|PASS|PASSW(?:OR)?D|PASSWORDS?|PASSPHRASE|PWD|PAT|CREDENTIALS?|CREDS?|AUTH|DSN|COOKIES?|WEBHOOK|WEBHOOK_URL|DATABASE_URL|DB_URL|REDIS_URL|MONGO(?:DB)?_URI|CONNECTION_STRING)(?:_?\d+|_BASE64|_B64|_JSON|_FILE|_PROD|_DEV)?$/i;

/** Whether a variable holds a secret, by its name. */
export function isSecretVariable(name: string): boolean {
  return SECRET.test(name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")) && !/^(?:OLD)?PWD$/.test(name);
}

/**
 * The variable whose value a part of a word hands over, where that is a secret by its name. What only tells whether or
 * how long it is does not count. Names in small letters are a script's own where the script sets them.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const shown = (text: string) => shownSecret({ type: "variable", text, quoted: true }, () => text === "$token");
 * assertEquals(["$API_KEY", "${GITHUB_TOKEN:-x}", "${x:-$DB_PASSWORD}"].map(shown), [
 *   "API_KEY",
 *   "GITHUB_TOKEN",
 *   "DB_PASSWORD",
 * ]);
 * assertEquals(["$HOME", "${API_KEY:+set}", "${#API_KEY}", "$token", "$PWD"].map(shown), Array(5).fill(undefined));
 * ```
 */
export function shownSecret({ type, text }: WordPart, isOwn: (name: string) => boolean): string | undefined {
  if (type !== "variable") return undefined;
  const told = text.replaceAll(/\$\{#\w+\}|\$\{\w+:?\+(?=[^$]*\})/g, "");
  for (const [name] of told.matchAll(/[A-Za-z_]\w*/g)) {
    if (isSecretVariable(name) && !(name === name.toLowerCase() && isOwn(name))) return name;
  }
  return undefined;
}
