import type { Pack } from "../../agents/packs/pack.ts";
import type { ProviderId } from "../../agents/provider.ts";
import { dotted, isKeyed, type KeyPath, valueAt } from "../source.ts";

export interface TrustItem {
  readonly key: string;
  readonly does: string;
  readonly value: unknown;
  /**
   * Whether a person is asked about it by itself: it gives others more than the right to be run as a person runs them.
   */
  readonly alone: boolean;
}

/** What a config file would do, in the order of the file. */
export function trustItems(data: Readonly<Record<string, unknown>>): readonly TrustItem[] {
  return leavesOf(data, []).flatMap(({ path, value }) => {
    const form = formOf(path);
    const kind = KINDS.find(({ is }) => is.test(form)) ?? UNKNOWN;
    if (kind.does === undefined) return [];
    const alone = kind.alone?.(value, { data, name: String(path.at(-1)) }) ?? false;
    return alone === "harmless" ? [] : [{ key: dotted(path), does: kind.does, value, alone }];
  });
}

/**
 * What an agent would do that a config file adds: what its pack starts, with what, and what is believed of its word. What
 * a person decides about, and what is only told, is left out.
 */
export function packItems(id: ProviderId, pack: Pack): readonly TrustItem[] {
  const { program, args = [], env = {}, version_args, login_status_args, model, ask_mode, tools } = pack;
  const item = (key: string, does: string, value: unknown, alone = false): readonly TrustItem[] =>
    value === undefined ? [] : [{ key: `agents.${id}.${key}`, does, value, alone }];
  return [
    ...item("program", "runs a program of its own as an agent", program && [program, ...args], true),
    ...item(
      "args",
      "adds arguments to an agent's command line",
      program === undefined && args.length > 0 ? args : undefined,
      LOOSENING_ARGUMENT.test(JSON.stringify(args)),
    ),
    ...Object.entries(env).flatMap(([name, value]) =>
      item(`env.${name}`, "sets an environment variable of an agent", value, STEERING_VARIABLE.test(name))
    ),
    ...item("version_args", "asks that program for its version with these arguments", version_args),
    ...item("login_status_args", "asks that program for its login with these arguments", login_status_args),
    ...item("model", "says how an agent gets its model", model),
    ...item("ask_mode", "says what an agent asks before it acts", ask_mode),
    ...item("obeys", "says what of a folder an agent obeys", pack.obeys, true),
    ...item(
      "sandbox",
      "says what an agent takes into a sandbox, writes beside its work, and reaches",
      pack.sandbox,
      true,
    ),
    ...item("tools", "says where an agent's requests have what is decided about", tools),
  ];
}

interface Leaf {
  readonly path: KeyPath;
  readonly value: unknown;
}

/** Values that are shown one by one: an argv is one value, a list of permissions is one for each entry. */
function leavesOf(value: unknown, path: KeyPath): readonly Leaf[] {
  const [group, ...rest] = path;
  if (isKeyed(value) && !(group === "permissions" && rest.length > 1) && !(isScreenGroup(group) && rest.length > 0)) {
    return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
  }
  const isList = Array.isArray(value) && !isScreenGroup(group) && (value.some(isKeyed) || group === "permissions");
  if (!isList) return [{ path, value }];
  return value.flatMap((inner, index) => leavesOf(inner, [...path, index]));
}

function isScreenGroup(group: string | number | undefined): boolean {
  return group === "rules" || group === "layouts";
}

/** The path with * for what the file's author names: a name must not pass for a key. */
function formOf(path: KeyPath): string {
  const [group] = path;
  const isChosen = (index: number) =>
    typeof path[index] === "number" ||
    index === 1 && (group === "pipelines" || group === "agents" || isScreenGroup(group)) ||
    path[index - 1] === "env" && (group === "pipelines" ? index > 3 : index > 2);
  return path.map((part, index) => isChosen(index) ? "*" : part).join(".");
}

interface Around {
  readonly data: Readonly<Record<string, unknown>>;
  readonly name: string;
}

interface Kind {
  readonly is: RegExp;
  readonly does?: string;
  readonly alone?: (value: unknown, around: Around) => boolean | "harmless";
}

const UNKNOWN: Kind = { is: /^/, does: "sets a value" };

const AGENT = String.raw`^(?:providers\.[\w-]+|roles\.\w+|pipelines\.\*\.\*)\.`;

const KINDS: readonly Kind[] = [
  { is: new RegExp(`${AGENT}command$`), does: "runs a program of its own as an agent", alone: () => true },
  {
    is: new RegExp(`${AGENT}env\\.\\*$`),
    does: "sets an environment variable of an agent",
    alone: (_, { name }) => STEERING_VARIABLE.test(name),
  },
  {
    is: new RegExp(`${AGENT}args$`),
    does: "adds arguments to an agent's command line",
    alone: (value) => LOOSENING_ARGUMENT.test(JSON.stringify(value)),
  },
  { is: /^agents\.\*$/, does: "adds an agent that this file describes" },
  { is: new RegExp(`${AGENT}profile$`), does: "starts an agent with a profile of its CLI" },
  { is: new RegExp(`${AGENT}(?:model|provider|limits(?:\\.\\w+)?)$`) },
  { is: /^pipelines\.\*\.\*\.check(?:\.\*)?\.command$/, does: "runs as the check of a step" },
  {
    is: /^(?:pipelines\.\*\.\*|roles\.\w+)\.prompt$/,
    does: "gives an agent its orders",
    alone: (value) => value === "self" ? "harmless" : false,
  },
  { is: /^fallback\.\*\.login$/, does: "starts an agent with the login in this folder", alone: () => true },
  { is: /^fallback/ },
  { is: /^pipelines\./ },
  { is: /^workspace\.setup$/, does: "runs in each new workspace, before its agents" },
  { is: /^workspace\.share$/, does: "copies what git ignores into workspaces, where agents read it" },
  {
    is:
      /^(?:workspace(?:\.setup_\w+)?|isolation|evidence(?:\.(?!clean_room$|hidden_cmd$|mutation_cmd$|canaries$|tests$|sign$)\w+)?)$/,
  },
  { is: /^evidence\.hidden_cmd$/, does: "runs as the hidden tests of a result" },
  { is: /^evidence\.mutation_cmd$/, does: "runs on a result that has passed" },
  { is: /^evidence\.tests$/, does: "says which files count as the tests of a PASS" },
  { is: /^evidence\.sign$/, does: "signs what a PASS rests on with this key of yours" },
  {
    is: /^evidence\.canaries$/,
    does: "has a PASS believed without a look whether the checks can fail",
    alone: (value) => value === false ? false : "harmless",
  },
  {
    is: /^evidence\.clean_room$/,
    does: "has a PASS believed without checks on a fresh checkout",
    alone: (value) => value === false ? false : "harmless",
  },
  { is: /^project_test_cmd$/, does: "runs as the project's test command" },
  { is: /^post_processing\.git_commit_message$/, does: "commits all changes after PASS, with the hooks of git" },
  { is: /^post_processing\.openspec_change$/, does: "runs openspec after PASS" },
  { is: /^notifications\.command$/, does: "runs as a program that is told how runs go" },
  {
    is: /^notifications\.buttons$/,
    does: "lets whoever reads the messages answer agents in your place",
    alone: (value) => value === "none" ? "harmless" : true,
  },
  {
    is: /^notifications\.ntfy_token_file$/,
    does: "sends the access token in this file to a server",
    alone: () => true,
  },
  { is: /^notifications\.webhook_secret_file$/, does: "signs messages with what is in this file" },
  { is: /^notifications\.desktop$/, does: "shows messages on your desktop" },
  { is: /^notifications\.delay_seconds$/ },
  { is: /^notifications\./, does: "tells a server how runs go" },
  {
    is: /^permissions\.auto_accept$/,
    does: "accepts permission dialogs of agents without a person",
    alone: (value, { data }) => value === false ? "harmless" : !isBounded(data),
  },
  {
    is: /^permissions\.default$/,
    does: "decides what no rule names",
    alone: (value) => value === "allow" ? true : "harmless",
  },
  {
    is: /^permissions\.allow\.\*$/,
    does: "has this accepted without a person",
    alone: (value) => !/[A-Za-z0-9]/.test(patternOf(value)),
  },
  {
    is: /^permissions\.allow_everyday$/,
    does: "has everyday commands, and edits in the working directory, accepted without a person",
    alone: (value) => value === false ? "harmless" : false,
  },
  { is: /^permissions\.lift_builtin\.\*$/, does: "lifts a built-in rule", alone: () => true },
  { is: /^permissions\.writable/, does: "lets agents write to a further folder" },
  {
    is: /^permissions\.model_answers$/,
    does: "lets a model answer in place of a person over MCP",
    alone: (value) => value === "all" ? true : "harmless",
  },
  {
    is: /^permissions\.accept_typed_input$/,
    does: "lets Codex type what nobody judges into running commands",
    alone: (value) => value === true ? true : "harmless",
  },
  {
    is: /^permissions\.hook_trial$/,
    does: "starts agents without having seen that their hooks ask what the policy says",
    alone: (value) => value === "off" ? true : "harmless",
  },
  {
    is: /^permissions\.answers_from$/,
    does: "takes any program of yours, also one that an agent has left behind, for you when it says yes",
    alone: (value) => value === "any" ? true : "harmless",
  },
  { is: /^permissions\.(?:deny|ask)\.\*$/ },
  { is: /^permissions\.(?:deny|ask|allow|lift_builtin|dry_run|dialog_timeout_seconds|accept_\w+)$/ },
  {
    is: /^wd$/,
    does: "lets agents work in this folder",
    alone: (value) => value === "." ? "harmless" : /^\/|^~|(?:^|\/)\.\.(?:\/|$)/.test(String(value)),
  },
  { is: /^tmux\.(?:socket|session)$/, does: "opens its panes in a tmux server of yours" },
  { is: /^(?:rules|layouts)\.\*$|^rules_file$/, does: "changes how agents' screens are read" },
  { is: /^prompt(?:_file)?$/, does: "gives the agents their job" },
  {
    is: /^sandbox$/,
    does: "leaves agents outside of their CLI's sandbox",
    alone: (value) => value === "off" ? false : "harmless",
  },
  {
    is: /^deliver$/,
    does: "delivers work that has passed, with your login and in your name",
    alone: (value) => value === "leave" ? "harmless" : value === "pull_request",
  },
  { is: /^exec\.default_answer$/, does: "answers questions of agents in your place" },
  {
    is: /^exec\.writes_outside$/,
    does: "lets a step write to other files than it names",
    alone: (value) => value === "warn" ? false : "harmless",
  },
  { is: /^(?:limits|condensation|handoff|exec|tmux)\./ },
  {
    is: /^(?:\$schema|provider|start_agent|loop|autonomy_level|default_pipeline|cleanup_on_exit|\w+_seconds)$/,
  },
  { is: /^(?:limits|condensation|handoff|exec|tmux|permissions|notifications|post_processing|rules|layouts)$/ },
];

const STEERING_VARIABLE = new RegExp(
  [
    "^(?:LD_|DYLD_|GIT_|PYTHON|NODE_|DENO_|NPM_|RUBY|PERL|JAVA_|XDG_|SSL_|PANEWRIGHT_|TMUX)",
    "^(?:ANTHROPIC|CLAUDE|CODEX|COPILOT|GEMINI|GOOGLE|OPENAI|OPENCODE|QWEN)_",
    "^(?:PATH|HOME|IFS|ENV|BASH_ENV|SHELL|EDITOR|VISUAL|PAGER|ZDOTDIR|TMPDIR|INITIAL_AGENT_MODE)$",
    "_(?:URL|PROXY)$",
  ].join("|"),
  "i",
);

const LOOSENING_ARGUMENT = new RegExp(
  [
    "danger|bypass|yolo|insecure|skip-permission|permission-mode|sandbox|approval|trust|hook|polic",
    "--(?:auto|full-auto|allow|add-dir|include-dir|config|settings|mcp|plugin|extension|enable)",
    '"-c"|"-c[^"]|"-[asye]"',
  ].join("|"),
  "i",
);

function isBounded({ permissions }: Readonly<Record<string, unknown>>): boolean {
  const byDefault = valueAt(permissions, ["default"]);
  const allow = valueAt(permissions, ["allow"]);
  const named = (Array.isArray(allow) && allow.length > 0) || valueAt(permissions, ["allow_everyday"]) === true;
  return byDefault === undefined ? named : byDefault !== "allow";
}

/** The pattern of a permission rule; empty for a rule that names neither command nor path. */
function patternOf(rule: unknown): string {
  return typeof rule === "string" ? rule : String(valueAt(rule, ["command"]) ?? valueAt(rule, ["path"]) ?? "");
}
