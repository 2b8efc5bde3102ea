import { compareVersions } from "../../base/text/order.ts";
import { type JsonObject, objectOf, textOf } from "../../base/text/json.ts";
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

const TRUST_KNOWN_SINCE = "0.169.0";

/** Settings of the machine, which go before the person's, or are taken where those say nothing. */
const MACHINE_SETTINGS = ["/etc/codex/config.toml", "/etc/codex/managed_config.toml"] as const;

/** Codex' login, and its trust in folders, by its config.toml (0.53.0 to 0.169.0). */
export const codexSetup: CliSetup = {
  findLogin: (look) =>
    !look.asksPerson && isSet(look, "CODEX_API_KEY") ? { state: "ready", detail: "CODEX_API_KEY is set" } : undefined,
  async judgeLogin(said, look) {
    const word = loginWord(said);
    if (word.state === "ready") return word;
    const provider = await findModelProvider(look);
    return provider === "unknown" ? { ...word, state: "unknown" } : providerWord(provider, look) ?? word;
  },
  findTrust: findCodexTrust,
};

interface ModelProvider {
  readonly name: string;
  readonly keyVariable: string | undefined;
}

function providerWord(provider: ModelProvider | undefined, look: SetupLook): SetupWord | undefined {
  if (provider === undefined) return undefined;
  const { name, keyVariable } = provider;
  if (keyVariable === undefined) return { state: "ready", detail: `model provider ${name}, which needs no login` };
  return isSet(look, keyVariable)
    ? { state: "ready", detail: `model provider ${name}, with its key in ${keyVariable}` }
    : { state: "missing", detail: `its model provider ${name} needs a key in ${keyVariable}, which is not set` };
}

/** The model provider in place of OpenAI; `undefined` where it is OpenAI, `unknown` where that cannot be told. */
async function findModelProvider(look: SetupLook): Promise<ModelProvider | undefined | "unknown"> {
  const { args, profile } = look;
  // What arguments, profiles, the machine or a project say about it is not followed.
  if (profile !== undefined || args.some((arg) => /model_provider|^--(?:profile|oss|local-provider)\b|^-p/.test(arg))) {
    return "unknown";
  }
  const config = await readConfig(look);
  if (config === undefined || config["profile"] !== undefined) return "unknown";
  const name = textOf(config["model_provider"]);
  if (name === undefined) return hasOtherSettings(look, "model_provider") ? "unknown" : undefined;
  if (name === "openai") return undefined;
  const provider = objectOf(objectOf(config["model_providers"])[name]);
  if (provider["requires_openai_auth"] === true) return undefined;
  return { name, keyVariable: textOf(provider["env_key"]) };
}

/** Codex asks about a folder of a repository, or with settings of its own, until it knows the folder or repository. */
async function findCodexTrust(look: SetupLook): Promise<SetupWord> {
  const { workdir, asksPerson, args, profile, version, kindOf } = look;
  const { trusted, unknown } = trustWords(workdir);
  if (!asksPerson) return worksWithoutTerminal(look) ? trusted : { state: "missing", ...NO_REPOSITORY };
  const config = await readConfig(look);
  if (config === undefined) return unknown;
  const projects = objectOf(config["projects"]);
  const levelOf = (folder: string) => textOf(objectOf(projects[folder])["trust_level"]);
  const folders = foldersAbove(workdir);
  const root = folders.find((folder) => kindOf(`${folder}/.git`) !== undefined);
  if ([workdir, ...(root === undefined ? [] : [root])].some((folder) => levelOf(folder) === "trusted")) return trusted;
  if (version === undefined || compareVersions(version, TRUST_KNOWN_SINCE) < 0) return unknown;
  const isElsewhere = profile !== undefined || args.some((arg) => arg.includes("projects")) ||
    hasOtherSettings(look, "projects") || folders.some((folder) => levelOf(folder) === "trusted");
  // A file in place of .git leads to another repository, whose folder may be trusted.
  if (isElsewhere || (root !== undefined && kindOf(`${root}/.git`) === "file")) return unknown;
  if (root === undefined && kindOf(`${workdir}/.codex`) === undefined) return trusted;
  return { state: "missing", detail: `it does not trust ${root ?? workdir} yet` };
}

/** Arguments with which `codex exec` works anywhere (0.169.0); trust in the folder does not help. */
const ANYWHERE = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--yolo"];

const NO_REPOSITORY = {
  detail: "without a terminal it works in git repositories only, and the working directory is in none",
  remedy: 'Make it one with "git init", or let it work there: "args": ["--skip-git-repo-check"].',
};

function worksWithoutTerminal({ args, kindOf, workdir }: SetupLook): boolean {
  return args.some((arg) => ANYWHERE.includes(arg)) ||
    // A folder of that name without a HEAD is none.
    foldersAbove(workdir).some((folder) =>
      kindOf(`${folder}/.git`) === "file" || kindOf(`${folder}/.git/HEAD`) === "file"
    );
}

/** Whether settings besides the person's own may say something. */
function hasOtherSettings(look: SetupLook, key: string): boolean {
  const files = [...MACHINE_SETTINGS, ...foldersAbove(look.workdir).map((folder) => `${folder}/.codex/config.toml`)];
  const says = (file: string) => readOr(() => look.readText(file)?.includes(key) ?? false, true);
  return files.some((file) => file !== ownFile(look) && says(file));
}

/** The person's config.toml; empty where there is none, `undefined` where it cannot be read. */
async function readConfig(look: SetupLook): Promise<JsonObject | undefined> {
  const file = ownFile(look);
  if (file === undefined) return undefined;
  try {
    const text = look.readText(file);
    const { parse } = await import("@std/toml");
    return text === undefined ? {} : parse(text);
  } catch {
    return undefined;
  }
}

function ownFile({ env }: SetupLook): string | undefined {
  const home = env("HOME");
  const folder = env("CODEX_HOME") ?? (home === undefined ? undefined : `${home}/.codex`);
  return folder === undefined ? undefined : `${folder}/config.toml`;
}
