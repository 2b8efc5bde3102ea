import { lstatOrUndefined } from "../base/ports/files.ts";
import { UNMAKEABLE } from "./placeholders.ts";

/** What one agent may do in the sandbox of its run; all paths are absolute. */
export interface SandboxSpec {
  /** Whose it is, as messages name it: `programmer`, `step build`. */
  readonly name: string;
  readonly writable: readonly string[];
  /** What of that can only be read. */
  readonly readOnly: readonly string[];
  /** What is not there for it. */
  readonly hidden: readonly string[];
  /** What of the hidden is there all the same. */
  readonly shown: readonly string[];
  /** Its folder for temporary files. */
  readonly temporary: string;
  /** Names of variables that it gets of the environment, besides those that are set for it; `*` at the end stands for any. */
  readonly variables: readonly string[];
}

/** Where a person keeps what is no agent's business, below the home. */
const SECRETS = [
  ...[".ssh", ".aws", ".azure", ".gnupg", ".kube", ".password-store", ".netrc", ".pypirc", ".git-credentials"],
  ...[".vault-token", ".terraform.d/credentials.tfrc.json", ".docker/config.json", ".cargo/credentials.toml"],
  ...[".gem/credentials", ".npmrc", ".bash_history", ".zsh_history", ".local/share/fish/fish_history"],
  ...[".config/gh", ".config/hub", ".config/gcloud", ".config/op", ".config/git/credentials", ".config/sops"],
  ...[".config/panewright"],
  ...[".local/share/keyrings", ".mozilla", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware"],
  ...[".thunderbird", ".config/microsoft-edge", ".codex/auth.json", ".codex/sessions", ".codex/history.jsonl"],
  ...[".claude/.credentials.json", ".claude/projects", ".claude/history.jsonl", ".claude.json"],
  ...[".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".qwen/oauth_creds.json"],
  ...[".local/share/opencode/auth.json", ".config/github-copilot", ".cursor", ".config/goose/secrets.yaml"],
] as const;

/** Whether a path below the home is one of those, in one of them, or holds one. */
export function isSecret(path: string): boolean {
  return SECRETS.some((secret) => `${path}/`.startsWith(`${secret}/`) || `${secret}/`.startsWith(`${path}/`));
}

export function secretsOf(home: string): readonly string[] {
  return SECRETS.map((name) => `${home}/${name}`);
}

/** What else of a working directory would run outside later, or says what agents may do. */
const OBEYED = [".mcp.json", ".vscode", ".idea"] as const;
const OBEYED_BY_GIT = ["hooks", "config"] as const;

/** What of a working directory can only be read: what is there, and what must not come to be there. */
export function obeyedOf(workdir: string): readonly string[] {
  return [
    ...gitObeyedOf(`${workdir}/.git`),
    ...thereOf(OBEYED, workdir),
    ...UNMAKEABLE.map((name) => `${workdir}/${name}`),
  ];
}

/** What git obeys of a folder of its own. */
export function gitObeyedOf(folder: string): readonly string[] {
  return thereOf(OBEYED_BY_GIT, folder);
}

function thereOf(names: readonly string[], folder: string): readonly string[] {
  return names.map((name) => `${folder}/${name}`).filter((path) => lstatOrUndefined(path) !== undefined);
}

/** What programs need of the environment to work as they do outside. */
export const VARIABLES = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "LANG", "LANGUAGE", "LC_*", "TZ", "PWD"],
  ...["EDITOR", "VISUAL", "PAGER", "NO_COLOR", "FORCE_COLOR", "CI", "DEBIAN_FRONTEND", "TMUX_PANE"],
  ...["CC", "CXX", "CFLAGS", "CXXFLAGS", "LDFLAGS", "CPATH", "PKG_CONFIG_PATH", "MAKEFLAGS"],
  ...["JAVA_HOME", "GOPATH", "GOROOT", "GOFLAGS", "CARGO_HOME", "RUSTUP_HOME", "RUST_BACKTRACE", "PYENV_ROOT"],
  ...["VIRTUAL_ENV", "CONDA_*", "PYTHON*", "NODE_*", "NVM_DIR", "DENO_DIR", "DENO_NO_*", "RBENV_ROOT", "GEM_HOME"],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "PANEWRIGHT_*"],
] as const;

/**
 * What keeps programs from doing, beside their work, what would be a refusal each time: asking for a newer version of
 * themselves; with git, writing down what it has just looked at, where the repository is that of a folder above.
 */
export const QUIET: Readonly<Record<string, string>> = {
  ...{ NO_UPDATE_NOTIFIER: "1", npm_config_update_notifier: "false" },
  ...{ DENO_NO_UPDATE_CHECK: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1", GIT_OPTIONAL_LOCKS: "0" },
};

/** Which of these names are not among those that may pass. */
export function withheldNames(names: Iterable<string>, allowed: readonly string[]): readonly string[] {
  const exact = new Set(allowed.filter((name) => !name.endsWith("*")));
  const begins = allowed.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  return [...names].filter((name) => !exact.has(name) && !begins.some((start) => name.startsWith(start))).toSorted();
}
