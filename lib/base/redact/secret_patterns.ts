import { present } from "../schema.ts";
export interface SecretPattern {
  readonly id: string;
  /**
   * Global, linear, on text without control sequences. The named group `secret` is replaced, or the whole match if
   * there is no such group; with one, the flag `d` tells where it stands.
   */
  readonly find: RegExp;
  readonly placeholder: string;
}

/** Facts about the machine and the person that must not get into a recording. */
interface PrivateWords {
  /** The person's home folder, absolute. */
  readonly home?: string;
  readonly hostname?: string;
  readonly username?: string;
  /** Values that are secret whatever their form, such as those of environment variables. */
  readonly secrets?: readonly string[];
}

const SECRET_VARIABLE =
  /KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|COOKIE|WEBHOOK|_(?:PASS|PWD|AUTH|DSN)$|DATABASE_URL/i;

export function privateWordsOf(env: Readonly<Record<string, string>>, hostname: string): PrivateWords {
  const { HOME: home } = env;
  const username = env["LOGNAME"] ?? env["USER"];
  return {
    ...present({ home, username }),
    hostname,
    secrets: Object.entries(env).filter(([name]) => SECRET_VARIABLE.test(name)).map(([, value]) => value),
  };
}

/** The start of a word: a pattern is tried once per word, not at each character. */
const START = String.raw`(?<![A-Za-z0-9_-])`;

const TOKEN_SHAPES: readonly string[] = [
  "sk-[A-Za-z0-9_-]{16,}", // OpenAI, Anthropic
  "[sr]k_(?:live|test)_[A-Za-z0-9]{10,}", // Stripe
  "gh[pousr]_[A-Za-z0-9]{20,}", // GitHub
  "github_pat_[A-Za-z0-9_]{20,}",
  "glpat-[A-Za-z0-9_-]{16,}", // GitLab
  "(?:AKIA|ASIA)[A-Z0-9]{16}", // AWS
  "AIza[A-Za-z0-9_-]{30,}", // Google
  "ya29\\.[A-Za-z0-9_-]{20,}",
  "GOCSPX-[A-Za-z0-9_-]{20,}",
  "(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,}", // Slack
  "npm_[A-Za-z0-9]{30,}",
  "pypi-[A-Za-z0-9_-]{30,}",
  "hf_[A-Za-z0-9]{20,}", // Hugging Face
  "(?:gsk|sbp|ntn|r8|lin_api|dop_v1|dckr_pat|shp(?:at|ca|pa|ss))_[A-Za-z0-9]{20,}", // Groq, Supabase, Notion and others
  "(?:xai|pplx)-[A-Za-z0-9]{20,}",
  "ATATT3[A-Za-z0-9_=-]{20,}", // Atlassian
  "SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}", // SendGrid
  "hv[sbr]\\.[A-Za-z0-9_-]{20,}", // HashiCorp Vault
  "dp\\.[a-z]{2,4}\\.[A-Za-z0-9]{20,}", // Doppler
  "AGE-SECRET-KEY-1[A-Z0-9]{20,}",
  "[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}", // Telegram
  "eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?", // JWT
];

const KEY_WORDS =
  "password|passwd|passphrase|secret|token|(?:api|access|account|private|signing|encryption)[_-]?key|credentials?";

/** What a shell would run for the value stays to be read. */
const NO_COMMAND = String.raw`(?!\$[({]|\x60)`;

const PATTERNS: readonly SecretPattern[] = [
  ...TOKEN_SHAPES.map((shape) => pattern("token", new RegExp(`${START}${shape}`, "gu"))),
  // A digit distinguishes it from prose such as "basic functionality".
  pattern("authorization", /\b(?:Bearer|Basic)[ :]{1,3}(?=[A-Za-z._~+/-]*[0-9])(?<secret>[A-Za-z0-9._~+/=-]{8,})/dgiu),
  // "↓ 24 tokens" and "Token usage: 7" are not assignments: in those the name comes right before the sign.
  pattern(
    "assignment",
    new RegExp(
      `(?:${KEY_WORDS}|_pass|_pwd)s?["']?(?: ?= ?|: ?)["']?(?<secret>${NO_COMMAND}(?:(?!&&|\\|\\|)[^\\s"',;│]){6,})`,
      "dgiu",
    ),
  ),
  // A value that cannot be prose may be short, and one in quotes may have blanks.
  pattern(
    "assignment",
    new RegExp(`(?:${KEY_WORDS}|_pass|_pwd)s?=(?<secret>${NO_COMMAND}(?:(?!&&|\\|\\|)[^\\s"',;│]){4,})`, "dgiu"),
  ),
  pattern(
    "assignment",
    new RegExp(
      `(?:${KEY_WORDS}|_pass|_pwd)s?["']?(?: ?= ?|: ?)(?<quote>["'])(?<secret>(?:\\\\.|(?!\\k<quote>)[^\\\\\\n]){4,200})\\k<quote>`,
      "dgiu",
    ),
  ),
  pattern(
    "option",
    new RegExp(`${START}--?[a-z-]{0,20}(?:${KEY_WORDS})[ =]["']?(?<secret>[^\\s"',;│<-][^\\s"',;│]{3,})`, "dgiu"),
  ),
  pattern("option", /(?<![\w-])(?:-u ?|--user[ =])["']?[^\s:"']{1,60}:(?<secret>[^\s"']{3,})/dgu),
  pattern("option", /\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p(?<secret>[^\s"'-][^\s"']{2,})/dgu),
  // What is no pair of a name and a value is no part of it: "cookie: a=b; git push".
  pattern(
    "cookie",
    /\b(?:set-)?cookie: ?(?<secret>[\w.-]{1,60}=(?:[^\s;"'│]{6,300}|[^\s;"'│]{0,300}(?:; ?[\w.-]{1,60}=[^\s;"'│]{0,300}))(?:; ?[\w.-]{1,60}=[^\s;"'│]{0,300}){0,20})/dgiu,
  ),
  pattern("url-password", /:\/\/[^\s:@/]{0,100}:(?<secret>[^\s/"'<>]{1,200})@/dgu),
  pattern("url-token", /:\/\/(?<secret>[A-Za-z0-9_-]{12,})@/dgu),
  pattern(
    "url-token",
    /(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/(?<secret>[A-Za-z0-9_/-]{10,})/dgu,
  ),
  pattern("private-key", /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?<secret>(?:(?!-----)[^]){0,20000})/dgu),
  pattern("email-local", /(?<![\w.%+-])(?<secret>[\w.%+-]+)@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}/dgu, "user"),
  pattern(
    "email-domain",
    /(?<=[\w.%+-]@)(?<secret>(?:[A-Za-z0-9-]{1,63}\.){0,7}[A-Za-z0-9-]{1,63})\.[A-Za-z]{2,24}/dgu,
    "example",
  ),
  pattern("home", /(?<![\w.-])\/(?:home|Users)\/(?<secret>[^\s/:;,"'`()│]+)/dgu, "user"),
];

function pattern(id: string, find: RegExp, placeholder = "redacted"): SecretPattern {
  return { id, find, placeholder };
}

export function secretPatterns(words: PrivateWords = {}): readonly SecretPattern[] {
  const { home, hostname, username, secrets = [] } = words;
  const host = hostname?.split(".")[0];
  // If several match, the last one decides; these come first, so that the common forms win.
  return [
    ...secrets.filter((secret) => secret.length >= 8)
      .map((secret) => pattern("environment", new RegExp(RegExp.escape(secret), "gu"))),
    ...(username === undefined || username === "" ? [] : [
      pattern("username", new RegExp(`(?<![\\w-])(?<secret>${RegExp.escape(username)})(?=@[\\w-])`, "dgu"), "user"),
    ]),
    ...(host === undefined || host === "" || host === "localhost" ? [] : [hostPattern(host)]),
    ...(home === undefined ? [] : homePatterns(home)),
    ...PATTERNS,
  ];
}

/** A short host name is likely to be an ordinary word too; alone on a line, it is the initial title of a tmux pane. */
function hostPattern(host: string): SecretPattern {
  const name = RegExp.escape(host);
  const find = host.length < 3 ? `(?<=@)${name}(?![\\w-])|^${name}$` : `(?<![\\w-])${name}(?![\\w-])`;
  return pattern("hostname", new RegExp(find, "gmu"), "host");
}

/**
 * Home folders outside `/home` and `/Users`, and the form in which Claude Code writes a home folder in its own
 * paths.
 */
function homePatterns(home: string): SecretPattern[] {
  const parent = home.slice(0, home.lastIndexOf("/") + 1);
  const name = home.slice(parent.length);
  if (name === "" || !home.startsWith("/")) return [];
  const [above, secret] = [RegExp.escape(parent), `(?<secret>${RegExp.escape(name)})`];
  const dashed = RegExp.escape(parent.replaceAll("/", "-"));
  return [
    pattern("home", new RegExp(`(?<![\\w/])${above}${secret}(?![\\w-])`, "dgu"), "user"),
    ...(parent === "/" ? [] : [pattern("home", new RegExp(`(?<!\\w)${dashed}${secret}(?!\\w)`, "dgu"), "user")]),
  ];
}
