import { arrayOf, type JsonObject, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import {
  type CliSetup,
  foldersAbove,
  isSet,
  loginWord,
  readOr,
  type SetupLook,
  type SetupWord,
  trustWords,
} from "../setup.ts";

/** Claude Code keeps that many of a key's last characters with the answer that was given about it (2.1.328). */
const KEPT_CHARS = 20;

/** Variables that stand for a login, besides a key: Claude Code asks nothing about them (2.1.330). */
const LOGIN_VARIABLES = [
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
] as const;

/** Its login, and its trust in folders, as it keeps them in `.claude.json` (2.1.328, 2.1.330). */
export const claudeSetup: CliSetup = {
  findLogin: findClaudeLogin,
  judgeLogin(said, look) {
    const word = keyQuestion(look) ?? loginWord(said);
    return word.state === "missing" && hasOtherSettings(look) ? { ...word, state: "unknown" } : word;
  },
  findTrust: findClaudeTrust,
};

function findClaudeLogin(look: SetupLook): SetupWord | undefined {
  const question = keyQuestion(look);
  if (question !== undefined) return question;
  const name = ["ANTHROPIC_API_KEY", ...LOGIN_VARIABLES].find((each) => isSet(look, each));
  if (name !== undefined) return { state: "ready", detail: `${name} is set` };
  return hasStoredLogin(look) ? { state: "ready", detail: "it is logged in with claude.ai" } : undefined;
}

/** A login in a file, as outside of macOS: its own login status goes by the same (2.1.330). */
function hasStoredLogin({ env, readText }: SetupLook): boolean {
  const home = env("HOME");
  const folder = env("CLAUDE_CONFIG_DIR") ?? (home === undefined ? undefined : `${home}/.claude`);
  const text = folder === undefined ? "" : readOr(() => readText(`${folder}/.credentials.json`), "");
  return (textOf(objectOf(parseJsonObject(text ?? "")?.["claudeAiOauth"])["accessToken"]) ?? "") !== "";
}

function keyQuestion(look: SetupLook): SetupWord | undefined {
  const key = look.env("ANTHROPIC_API_KEY") ?? "";
  const state = key === "" || !look.asksPerson ? undefined : readState(look);
  if (state === undefined) return undefined;
  const answers = objectOf(state["customApiKeyResponses"]);
  const has = (list: string) => arrayOf(answers[list]).includes(key.slice(-KEPT_CHARS));
  if (has("approved")) return undefined;
  if (has("rejected")) return { state: "unknown", detail: "it was told not to use the key in ANTHROPIC_API_KEY" };
  // With another login it may not ask.
  const hasOther = state["oauthAccount"] !== undefined || LOGIN_VARIABLES.some((name) => isSet(look, name));
  return {
    state: hasOther ? "unknown" : "missing",
    detail: "it would ask whether to use the key in ANTHROPIC_API_KEY",
  };
}

/** Whether a login may come from settings that its login status does not go by (2.1.330): of a project, of arguments. */
function hasOtherSettings({ args, workdir, readText }: SetupLook): boolean {
  const files = ["settings.json", "settings.local.json"].map((name) => `${workdir}/.claude/${name}`);
  return args.some((arg) => /^--settings(?:=|$)/.test(arg)) ||
    files.some((file) => readOr(() => /"(?:ANTHROPIC_|CLAUDE_CODE_|apiKeyHelper")/.test(readText(file) ?? ""), true));
}

/**
 * A folder is trusted with one above it, too, in a repository up to its root; a worktree is with its repository (2.1.330).
 * Without a person to ask it does not matter.
 */
function findClaudeTrust(look: SetupLook): SetupWord {
  const { workdir, asksPerson, kindOf } = look;
  const { trusted, unknown } = trustWords(workdir);
  if (!asksPerson || isSet(look, "CLAUDE_CODE_SANDBOXED")) return trusted;
  const state = readState(look);
  if (state === undefined) return unknown;
  const projects = objectOf(state["projects"]);
  const isTrusted = (folder: string) => objectOf(projects[folder])["hasTrustDialogAccepted"] === true;
  const above = foldersAbove(workdir);
  const root = above.findIndex((folder) => kindOf(`${folder}/.git`) !== undefined);
  if ((root < 0 ? above : above.slice(0, root + 1)).some(isTrusted)) return trusted;
  // A file in place of .git leads to another repository, whose folder may be trusted.
  const isWorktree = root >= 0 && kindOf(`${above[root]}/.git`) === "file";
  // Older versions may look above a repository.
  if (isWorktree || above.some(isTrusted)) return unknown;
  const isKnownForm = Object.values(projects).every((each) => "hasTrustDialogAccepted" in objectOf(each));
  return isKnownForm ? { state: "missing", detail: `it does not trust ${workdir} yet` } : unknown;
}

/** What Claude Code keeps of its use; an empty object before its first start, `undefined` where it cannot be read. */
function readState({ env, readText }: SetupLook): JsonObject | undefined {
  const folder = env("CLAUDE_CONFIG_DIR") ?? env("HOME");
  if (folder === undefined) return undefined;
  const text = readOr(() => readText(`${folder}/.claude.json`) ?? "{}", "");
  return parseJsonObject(text);
}
