import type { AgentEvent } from "../agent.ts";
import { makeOwnFolder } from "../../base/ports/state_folder.ts";
import { arrayOf, type JsonObject, objectOf, textOf } from "../../base/text/json.ts";
import {
  pathsOutside,
  SANDBOX_TRIAL_MS,
  type SandboxReport,
  type SandboxRequest,
  type SandboxSupport,
  type SandboxTrial,
  writableFolders,
} from "../sandbox.ts";
import { codexSessions } from "./find_log.ts";
import { findNativeCodex } from "./program.ts";
import { present } from "../../base/schema.ts";
import type { CloneFolders, WholeSupport } from "../whole_support.ts";

export const codexSandbox: SandboxSupport = {
  findLoosening: findCodexLoosening,
  findProblem: tryCodexSandbox,
  remedy:
    "Codex needs user namespaces or Landlock of the kernel on Linux: a container or an old kernel may lack both. " +
    'See what "codex sandbox -- true" says.',
};

export const codexInside: WholeSupport = {
  state: { variable: "CODEX_HOME", folder: ".codex" },
  copied: [
    "config.toml",
    "AGENTS.md",
    "prompts",
    "skills",
    "rules",
    "hooks.json",
    "version.json",
    "models_cache.json",
  ],
  login: "auth.json",
  hosts: ["api.openai.com", "chatgpt.com", "auth.openai.com"],
  // An announcement, and a question to the tmux around it (0.169.0).
  ownTries: ["connect raw.githubusercontent.com:443", "write /tmp/tmux-<uid>"],
  variables: ["CODEX_*", "OPENAI_*", "AZURE_OPENAI_*", "RUST_LOG"],
  sessions: codexSessions,
  adapt: permitRemoving,
  trustClone,
};

/**
 * Without approvals Codex refuses each command in which `rm -f` stands (0.42.0 to 0.169.0), and takes a rule's word for
 * it: of the program, and of a shell where the command is not a plain one. Of several rules the strictest counts, so
 * that what a person's own rules forbid stays forbidden.
 */
async function permitRemoving(folder: string): Promise<void> {
  const shells = ["bash", "dash", "sh", "zsh"].flatMap((name) => FOLDERS_OF_SHELLS.map((path) => `${path}${name}`));
  const allow = (pattern: readonly unknown[]) =>
    `prefix_rule(pattern = ${JSON.stringify(pattern)}, decision = "allow")\n`;
  await Deno.mkdir(`${folder}/rules`, { recursive: true });
  await Deno.writeTextFile(`${folder}/rules/panewright.rules`, allow(["rm"]) + allow([shells, ["-c", "-lc"]]));
}

const FOLDERS_OF_SHELLS = ["", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"] as const;

async function trustClone(folder: string, { folders, of }: CloneFolders): Promise<void> {
  const path = `${folder}/config.toml`;
  const text = await Deno.readTextFile(path).catch(() => "");
  const { parse } = await import("@std/toml");
  const projects = objectOf(objectOf(parse(text))["projects"]);
  if (!of.some((one) => textOf(objectOf(projects[one])["trust_level"]) === "trusted")) return;
  const added = [...new Set(folders)].filter((one) => projects[one] === undefined)
    .map((one) => `\n[projects.${JSON.stringify(one)}]\ntrust_level = "trusted"\n`);
  await Deno.writeTextFile(path, `${text}\n${added.join("")}`);
}

/**
 * The settings (`-c`) that switch the sandbox on. They go before every config.toml, profile and permission profile
 * (0.169.0); only the CLI's own flags go before them.
 *
 * Commands write to the working directory without its `.git`, `.codex` and `.agents`, to $TMPDIR and to the folders
 * that are named, and have no network, not even unix sockets. `approval_policy` is `never`: what Codex asks for in a
 * sandbox is to run a command outside of it.
 *
 * A permission profile narrows the working directory. It goes before `sandbox_mode` among the settings (0.169.0); an
 * older version passes over it.
 */
export function codexSandboxSettings({ around, writable, within }: SandboxRequest): readonly string[] {
  if (around !== undefined) return [`sandbox_mode="danger-full-access"`, `approval_policy="never"`];
  const folders = [...within ?? [], ...writable].map((path) => `${JSON.stringify(path)}="write"`);
  const profile = `{":root"="read",":tmpdir"="write",${folders.join(",")}}`;
  return [
    `sandbox_mode="workspace-write"`,
    "sandbox_workspace_write.network_access=false",
    `sandbox_workspace_write.writable_roots=${JSON.stringify(writable)}`,
    "sandbox_workspace_write.exclude_slash_tmp=true",
    "sandbox_workspace_write.exclude_tmpdir_env_var=false",
    `approval_policy="never"`,
    ...(within === undefined
      ? []
      : [`permissions.panewright.filesystem=${profile}`, `default_permissions="panewright"`]),
  ];
}

const LOOSENING_FLAG =
  /^(?:-[saC].*|--(?:sandbox|ask-for-approval|cd|add-dir|approve-for-me|full-auto|yolo|dangerously-[a-z-]+|remote)(?:=.*)?)$/;
const LOOSENING_KEY = /^\s*["']?(?:sandbox|permission|default_permissions|approval|projects)/;

/** The first argument that goes before {@linkcode codexSandboxSettings}, or changes what they mean. */
function findCodexLoosening(args: readonly string[]): string | undefined {
  return args.find((arg, index) => {
    if (LOOSENING_FLAG.test(arg)) return true;
    const setting = /^(?:-c|--config)$/.test(arg) ? args[index + 1] : /^(?:-c=?|--config=)(.*)$/s.exec(arg)?.[1];
    return setting !== undefined && LOOSENING_KEY.test(setting);
  });
}

/**
 * What is wrong with the sandbox of a turn, as its `turn_context` in the session log tells (0.53.0 to 0.169.0);
 * undefined where it is the one that was asked for.
 *
 * @param payload what the record says
 * @param folders those in which commands may write
 */
export function findTurnProblem(payload: JsonObject, folders: readonly string[]): string | undefined {
  const policy = objectOf(payload["sandbox_policy"]);
  const type = textOf(policy["type"]) ?? textOf(policy["mode"]);
  if (type === undefined) return "its session log does not say";
  if (type === "read-only") return undefined;
  if (type !== "workspace-write") return `it is ${type}`;
  const profile = payload["permission_profile"] === undefined ? undefined : objectOf(payload["permission_profile"]);
  if (policy["network_access"] !== false || (profile !== undefined && profile["network"] !== "restricted")) {
    return "the network is on";
  }
  const entries = arrayOf(objectOf(profile?.["file_system"])["entries"]).map(objectOf);
  const writes = entries.filter(({ access }) => access !== "read" && access !== "none").map(({ path }) =>
    objectOf(path)
  );
  const roots = [...arrayOf(policy["writable_roots"]), ...writes.flatMap((path) => path["path"] ?? [])].map(String);
  const [outside] = pathsOutside(roots, folders);
  if (outside !== undefined) return `commands may write to ${outside}`;
  const kinds = writes.flatMap(({ path, value }) => path === undefined ? [textOf(objectOf(value)["kind"]) ?? "?"] : []);
  const more = kinds.find((kind) => kind !== "tmpdir" && !(kind === "slash_tmp" && folders.includes("/tmp")));
  if (more !== undefined) return `commands may write to ${more}`;
  if (policy["exclude_slash_tmp"] !== true && !folders.includes("/tmp")) return "commands may write to /tmp";
  const approval = payload["approval_policy"];
  return approval === "never" ? undefined : `commands may leave it (approval policy ${JSON.stringify(approval)})`;
}

export interface SandboxTurns {
  /** The folders in which commands may write. */
  readonly folders: readonly string[];
  /** When the agent was started, in milliseconds since the epoch: turns of an earlier process had what that was given. */
  readonly startedAt: number;
}

/** Each turn begins with what it may do, before the model is asked (0.169.0); a record without a time counts. */
export function foldCodexSandbox(
  report: SandboxReport,
  event: AgentEvent,
  { folders, startedAt }: SandboxTurns,
): SandboxReport {
  if (report.problem !== undefined || event.type !== "confined" || event.at < startedAt) return report;
  const problem = findTurnProblem(event.context, folders);
  return problem === undefined ? { turns: report.turns + 1 } : { turns: report.turns, problem };
}

/** Writes a file where it may, and tries to write one where it must not. */
const TRIAL_SCRIPT = `: > "$1" && { : > "$2"; } 2>/dev/null; exit 0`;

/** Several agents start at a time: one tidies away what another one's sandbox is about to run (0.169.0). */
const TRIES = 2;

async function tryCodexSandbox(trial: SandboxTrial): Promise<string | undefined> {
  for (let left = TRIES;; left--) {
    const problem = await tryOnce(trial);
    if (problem === undefined || left === 1 || !/^no command runs in it \(code [1-9]/.test(problem)) return problem;
  }
}

async function tryOnce(trial: SandboxTrial): Promise<string | undefined> {
  const { sandbox, workdir, env, host, processRunner, signal } = trial;
  const { stateFolder: state } = host;
  if (state === undefined) return "neither HOME nor XDG_STATE_HOME names a folder to try it with";
  if (pathsOutside([state], writableFolders(sandbox, workdir)).length === 0) {
    return `what you trust is kept in ${state}, where commands may write`;
  }
  makeOwnFolder(state);
  const name = `.sandbox-trial-${crypto.randomUUID()}`;
  const [inside, outside] = [`${sandbox.within?.[0] ?? workdir}/${name}`, `${state}/${name}`];
  const [program, ...leading] = trial.command ?? [findNativeCodex(host) ?? "codex"];
  const settings = codexSandboxSettings(sandbox).flatMap((setting) => ["-c", setting]);
  const { code, stderr, timedOut } = await processRunner.run({
    argv: [program, ...leading, "sandbox", ...settings, "--", "/bin/sh", "-c", TRIAL_SCRIPT, "sh", inside, outside],
    cwd: workdir,
    ...present({ env }),
    timeoutMs: SANDBOX_TRIAL_MS,
    ...present({ signal }),
  });
  const [wroteInside, wroteOutside] = [await takeAway(inside), await takeAway(outside)];
  if (wroteOutside) return `a command in it could write to ${state}`;
  if (wroteInside) return undefined;
  const said = stderr.trim().split("\n").findLast((line) => !line.startsWith("WARNING")) ?? "";
  return `no command runs in it (${timedOut ? "it took too long" : `code ${code}`}${said === "" ? "" : `: ${said}`})`;
}

async function takeAway(path: string): Promise<boolean> {
  return await Deno.remove(path).then(() => true, () => false);
}
