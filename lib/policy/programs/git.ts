import { fits, type Given, type Operand, type OperandRule, type RuleContext, type Use, useOf } from "./use.ts";
import { present } from "../../base/schema.ts";

export const git: OperandRule = (operands, { options, values }, context) => {
  // These show names only.
  if (/^(?:check-ignore|ls-files|status)$/.test(operands[0]?.word.value ?? "")) return [];
  if (operands[0]?.word.value === "hash-object") return operands.slice(1).map((one) => useOf("reads", one));
  const rest = operands.slice(1).flatMap((operand): Use[] => {
    // A path may come after a revision: HEAD:.env
    const path = pathIn(operand.word.value);
    // Beside a path elsewhere, diff compares files that are in no repository.
    const isElsewhere = operands[0]?.word.value === "diff" && fits(/^(?:\/|~|\.\.(?:\/|$))/, operand);
    if (options.has("--no-index") || isElsewhere) return [useOf("reads", operand)];
    if (/^[\w+.-]+:\/\/|^[\w.-]+@[\w.-]+:/.test(operand.word.value ?? "")) return [];
    return [{ ...useOf("touches", operand), ...present({ path }) }];
  });
  const ranges = (values.get("-L") ?? []).map((operand) => {
    const path = operand.word.value?.replace(/^.*:/, "");
    return { ...useOf("touches", operand), ...present({ path }) };
  });
  const [, first, file] = operands;
  const bundle = operands[0]?.word.value === "bundle" && first?.word.value === "create" ? file : undefined;
  const written = bundle === undefined ? [] : [useOf("writes", bundle)];
  return [...rest, ...ranges, ...written, ...commandsIn(operands, options, context)];
};

const SECRET_SETTING = /extraheader|token|password|passwd|secret|credential|url\..*insteadof|sendemail\.smtp|proxy/i;

/** The path in `HEAD:path`, `:0:path`, `:(glob)path` and `:/path`. */
function pathIn(text: string | undefined): string | undefined {
  return text?.replace(/^(?::\([^)]*\)|:\d:|:[!^/]+|[^:/]*:)/, "");
}

/** The place of the name of a setting that `git config` changes, where its value may be a command. */
function changedSetting(operands: readonly Operand[], options: Given["options"], context: RuleContext): number {
  const [, first, second] = operands.map(({ word }) => word.value);
  const verb = /^(?:get|set|unset|list|edit|rename-section|remove-section|get-color|get-colorbool)$/.test(first ?? "");
  const at = verb ? 2 : 1;
  const reads = verb
    ? !/^(?:set|rename-section|edit)$/.test(first ?? "")
    : [...options].some((name) => /^--(?:get|unset|remove-section)/.test(name));
  const [name, value] = [verb ? second : first, operands[at + 1]?.word.value];
  if (operands[at] === undefined || reads || (operands.length === at + 1 && !options.has("--add"))) return -1;
  const ours = !["--global", "--system", "--worktree", "--add", "--replace-all"].some((one) => options.has(one));
  const harmless = context.options.find((one) => one.name === "-c")?.harmless;
  return ours && harmless?.test(`${name}=${value ?? "\0"}`) ? -1 : at;
}

function commandsIn(operands: readonly Operand[], options: Given["options"], context: RuleContext): readonly Use[] {
  const [name, first] = operands.map(({ word }) => word.value);
  const runs = (index: number) => {
    const operand = operands[index];
    return operand === undefined ? [] : [{ ...useOf("runs", operand), length: 1 }];
  };
  // An alias may run anything: an entry must name it.
  if (name !== undefined && (name === "*" || !context.knows(name))) {
    return operands.slice(0, 1).map((one) => useOf("unknown", one));
  }
  const changed = name === "config" ? changedSetting(operands, options, context) : -1;
  if (changed !== -1) return runs(changed);
  if (name === "submodule" && first === "foreach") return runs(1);
  // Settings that hold passwords.
  const setting = operands.findIndex(({ word }, index) => index > 0 && SECRET_SETTING.test(word.value ?? ""));
  if (name === "config" && setting !== -1) return runs(setting);
  if (name === "bisect" && first === "run") return runs(1);
  if (name === "filter-branch") return runs(0);
  // An address such as ext::sh runs a program.
  const address = operands.findIndex(({ word }, index) => index > 0 && /^[\w-]+::/.test(word.value ?? ""));
  if (address > 0 && !/^(?:log|grep|show|commit)$/.test(name ?? "")) return runs(address);
  return [];
}

/** Options before the command that change nothing but how git prints and what it looks for. */
export const PLAIN_GLOBAL =
  /^(?:-[pPcC].*|--(?:paginate|no-pager|no-optional-locks|no-replace-objects|no-lazy-fetch|no-advice)|--(?:literal|glob|noglob|icase)-pathspecs|--(?:git-dir|work-tree|namespace)(?:=.*)?)$/s;

const VALUED = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;

/** Where the command of git begins, after options and their values: `git -C x --no-pager push` is a `git push`. */
export function gitCommandAt(
  words: readonly ({ readonly value?: string | undefined } | undefined)[],
  valued: RegExp = VALUED,
): number {
  let index = 1;
  for (let text = words[1]?.value; text?.startsWith("-"); text = words[index]?.value) {
    index += valued.test(text) ? 2 : 1;
  }
  return index;
}
