import type { WordPart } from "../shell/mod.ts";

const SECRET =
  /PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN(?!I[ZS])|CREDENTIAL|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|CONNECTION_STRING|(?:^|_)(?:KEY|PASS|PWD|PAT|JWT|SK|CREDS?|AUTH|DSN|COOKIES?|WEBHOOK|WEBHOOK_URL|DATABASE_URL|DB_URL|REDIS_URL|MONGO(?:DB)?_UR[IL]|KUBECONFIG|NETRC|PGPASSFILE)(?:_?\d+|_BASE64|_B64|_JSON|_FILE|_PROD|_DEV)?$/i;

const NO_SECRET = /^(?:OLD)?PWD$|^(?:MAX|MIN|NUM|N|TOTAL)_.*TOKENS?$|TOKENS?_(?:COUNT|LIMIT|USED)$/i;

export function isSecretVariable(name: string): boolean {
  return SECRET.test(name.replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")) && !NO_SECRET.test(name);
}

/**
 * The variable whose value a part of a word hands over, where that is a secret by its name. What only tells whether or
 * how long it is does not count. Names in small letters are a script's own where the script sets them.
 */
export function shownSecret({ type, text }: WordPart, isOwn: (name: string) => boolean): string | undefined {
  if (type !== "variable") return undefined;
  const told = text.replaceAll(/\$\{#\w+\}|\$\{\w+:?\+(?=[^$]*\})/g, "");
  for (const [name] of told.matchAll(/[A-Za-z_]\w*/g)) {
    if (isSecretVariable(name) && !(name === name.toLowerCase() && isOwn(name))) return name;
  }
  return undefined;
}
