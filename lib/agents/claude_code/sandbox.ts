import { realPathSnapshot } from "../../base/ports/real_path.ts";
import { arrayOf, type JsonObject, objectOf, parseJsonObject } from "../../base/text/json.ts";
import {
  pathsOutside,
  SANDBOX_TRIAL_MS,
  type SandboxGround,
  type SandboxRequest,
  type SandboxSupport,
  type SandboxTrial,
  writableFolders,
} from "../sandbox.ts";
import { readClaudeSettings } from "./effective_settings.ts";
import { present } from "../../base/schema.ts";
import type { CloneFolders, WholeSupport } from "../whole_support.ts";
import { claudeSessions } from "./transcript_files.ts";

export const claudeSandbox: SandboxSupport = {
  findLoosening: findClaudeLoosening,
  findProblem: askClaude,
  findObstacle: findMachineProblem,
  remedy: "Claude Code needs bubblewrap and socat on Linux (apt-get install bubblewrap socat), and user namespaces.",
};

export const claudeInside: WholeSupport = {
  state: { variable: "CLAUDE_CONFIG_DIR", folder: ".claude" },
  copied: [
    "settings.json",
    "CLAUDE.md",
    "agents",
    "commands",
    "skills",
    "plugins",
    "output-styles",
    "keybindings.json",
  ],
  beside: ".claude.json",
  login: ".credentials.json",
  // Sockets for its own sandbox, and the links that its desktop program opens (2.1.328).
  ownTries: ["write /tmp/cc-socks-<uid>", "write ~/.local/share", "write ~/.local/share/applications"],
  hosts: ["api.anthropic.com", "console.anthropic.com", "platform.claude.com", "claude.ai"],
  variables: ["ANTHROPIC_*", "CLAUDE_*", "AWS_BEARER_TOKEN_BEDROCK", "DISABLE_*", "MAX_THINKING_TOKENS", "BASH_*"],
  temporary: "CLAUDE_CODE_TMPDIR",
  // It refuses to permit everything to root elsewhere (2.1.330).
  env: { IS_SANDBOX: "1" },
  adapt: permitAll,
  sessions: claudeSessions,
  trustClone,
};

async function trustClone(folder: string, { folders, of }: CloneFolders): Promise<void> {
  const path = `${folder}/.claude.json`;
  const known = parseJsonObject(await Deno.readTextFile(path).catch(() => "{}")) ?? {};
  const projects = objectOf(known["projects"]);
  const own = of.map((one) => objectOf(projects[one])).find((one) => one["hasTrustDialogAccepted"] === true);
  if (own === undefined) return;
  const added = Object.fromEntries(folders.map((one) => [one, own]));
  await Deno.writeTextFile(path, JSON.stringify({ ...known, projects: { ...projects, ...added } }), { mode: 0o600 });
}

/** It asks once whether it may work without asking: inside there is nothing to ask about. */
async function permitAll(folder: string): Promise<void> {
  for (
    const [name, entry] of [[".claude.json", "bypassPermissionsModeAccepted"], [
      "settings.json",
      "skipDangerousModePermissionPrompt",
    ]] as const
  ) {
    const path = `${folder}/${name}`;
    const known = parseJsonObject(await Deno.readTextFile(path).catch(() => "{}")) ?? {};
    await Deno.writeTextFile(path, JSON.stringify({ ...known, [entry]: true }), { mode: 0o600 });
  }
}

/**
 * The part of `--settings` that switches the sandbox on. A project's own settings cannot switch it off (2.1.328), but
 * add to the lists: what came of all of them is read back before the start.
 *
 * Commands write to the working directory and the folders that are named, and have no network; none runs outside. The
 * tools that write files keep to the same folders.
 *
 * @param options `autoAllow`: whether a command that runs in the sandbox needs no permission
 */
export function claudeSandboxSettings(
  { around, writable }: SandboxRequest,
  { autoAllow }: { readonly autoAllow: boolean },
) {
  if (around !== undefined) return { sandbox: { enabled: false }, permissions: { defaultMode: "bypassPermissions" } };
  return {
    sandbox: {
      enabled: true,
      failIfUnavailable: true,
      autoAllowBashIfSandboxed: autoAllow,
      allowUnsandboxedCommands: false,
      enableWeakerNestedSandbox: false,
      allowNestedUserNamespaces: false,
      enableWeakerNetworkIsolation: false,
      allowAppleEvents: false,
      network: { allowedDomains: [], strictAllowlist: true, allowAllUnixSockets: false, allowLocalBinding: false },
      // A path that begins with one slash is absolute here, unlike in a permission rule (2.1.328).
      filesystem: { allowWrite: [...writable], disabled: false },
    },
    permissions: { blockWritesOutsideWorkingDirectories: true, additionalDirectories: [...writable] },
  };
}

const LOOSENING_FLAG =
  /^--(?:settings|managed-settings|setting-sources|add-dir|permission-mode|(?:allow-)?dangerously-[a-z-]+|worktree|bg|background)(?:=.*)?$|^-w/;

/**
 * The first argument that replaces {@linkcode claudeSandboxSettings}, or goes before them: only the last `--settings`
 * counts (2.1.328).
 */
function findClaudeLoosening(args: readonly string[]): string | undefined {
  return args.find((arg) => LOOSENING_FLAG.test(arg));
}

async function askClaude(trial: SandboxTrial): Promise<string | undefined> {
  const { sandbox, workdir, host } = trial;
  const folders = writableFolders(sandbox, workdir);
  const { stateFolder: state } = host;
  const states = state === undefined ? [] : [state, realPathSnapshot()(state) ?? state];
  if (pathsOutside(states, folders).length < states.length) {
    return `what you trust, and answer, is kept in ${state}, where commands may write`;
  }
  const broken = await findBubblewrapProblem(trial);
  if (broken !== undefined) return broken;
  const settings = await readClaudeSettings(trial, { ours: claudeSandboxSettings(sandbox, { autoAllow: false }) });
  return "problem" in settings ? settings.problem : findSettingsProblem(settings.told, folders);
}

/** What its sandbox needs on Linux: without one of them, Claude Code ends at once (2.1.328). */
const LINUX_PROGRAMS = ["bwrap", "socat"] as const;

async function findMachineProblem(ground: SandboxGround): Promise<string | undefined> {
  const { os, path, realFile } = ground.host;
  const missing = LINUX_PROGRAMS.find((program) =>
    path.every((folder) => realFile(`${folder}/${program}`) === undefined)
  );
  if (os === "linux" && missing !== undefined) return `there is no ${missing} on PATH`;
  return await findBubblewrapProblem(ground);
}

/**
 * What keeps bubblewrap from working, where it is installed: Claude Code looks whether it is there (2.1.328), and with
 * one that cannot work each command fails later.
 */
async function findBubblewrapProblem({ host, processRunner, signal }: SandboxGround): Promise<string | undefined> {
  const bwrap = host.path.map((folder) => `${folder}/bwrap`).find((file) => host.realFile(file) !== undefined);
  if (host.os !== "linux" || bwrap === undefined) return undefined;
  const { code, stderr } = await processRunner.run({
    argv: [bwrap, "--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "--proc", "/proc", "true"],
    timeoutMs: SANDBOX_TRIAL_MS,
    ...present({ signal }),
  });
  return code === 0 ? undefined : `bubblewrap cannot work here: ${stderr.trim().split("\n").at(-1) ?? `code ${code}`}`;
}

/** Switches of `sandbox`, and the value that each must not have. */
const SWITCHES: Readonly<Record<string, boolean>> = {
  enabled: true,
  failIfUnavailable: true,
  allowUnsandboxedCommands: false,
};

const WEAKENING = [
  ["sandbox", "enableWeakerNestedSandbox"],
  ["sandbox", "allowNestedUserNamespaces"],
  ["sandbox", "enableWeakerNetworkIsolation"],
  ["sandbox", "allowAppleEvents"],
  ["sandbox", "filesystem", "disabled"],
  ["sandbox", "network", "allowAllUnixSockets"],
  ["sandbox", "network", "allowLocalBinding"],
] as const;

const OPENING = [
  ["sandbox", "excludedCommands"],
  ["sandbox", "network", "allowedDomains"],
  ["sandbox", "network", "allowUnixSockets"],
  ["sandbox", "network", "httpProxyPort"],
  ["sandbox", "network", "socksProxyPort"],
  ["sandbox", "network", "tlsTerminate"],
] as const;

const OPENING_RULE = /^(?:Edit|Write|MultiEdit|NotebookEdit)\((?:\/\/|~|.*\.\.)|^WebFetch\(domain:/;

/**
 * What is wrong with the settings that came of all sources, as `get_settings` tells them (2.1.328); undefined where the
 * sandbox is the one that was asked for.
 *
 * @param response what the CLI answered
 * @param folders those in which commands may write
 */
export function findSettingsProblem(response: JsonObject, folders: readonly string[]): string | undefined {
  const effective = objectOf(response["effective"]);
  const at = (path: readonly string[]) => path.reduce<unknown>((value, key) => objectOf(value)[key], effective);
  const told = (path: readonly string[]) =>
    `its settings have ${path.join(".")}: ${JSON.stringify(at(path)) ?? "nothing"}`;
  for (const [name, wanted] of Object.entries(SWITCHES)) {
    if (at(["sandbox", name]) !== wanted) return told(["sandbox", name]);
  }
  const open = WEAKENING.find((path) => ![false, undefined].includes(at(path) as boolean | undefined)) ??
    OPENING.find((path) => at(path) !== undefined && !isEmptyList(at(path)));
  if (open !== undefined) return told(open);
  if (at(["sandbox", "network", "strictAllowlist"]) !== true) return told(["sandbox", "network", "strictAllowlist"]);
  for (const path of [["sandbox", "filesystem", "allowWrite"], ["permissions", "additionalDirectories"]]) {
    const [outside] = pathsOutside(arrayOf(at(path)).map(String), folders);
    if (outside !== undefined) return `its settings have ${path.join(".")}: ${JSON.stringify(outside)}`;
  }
  const rule = arrayOf(at(["permissions", "allow"])).map(String).find((each) => OPENING_RULE.test(each));
  if (rule !== undefined) return `its settings have permissions.allow: ${JSON.stringify(rule)}`;
  const applied = objectOf(response["applied"]);
  return applied["outsideFileToolWritesBlocked"] === true
    ? undefined
    : "its tools may write files outside of the working directory";
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
