import { type Given, type Operand, type OptionTable, type ProgramTable, type Use, useOf } from "./table.ts";
import { present } from "../../base/schema.ts";

/** Settings that name no program, and pagers that only show. */
const HARMLESS_SETTING =
  /^(?:core\.pager=(?:cat|less|more|)|pager\.\w+=(?:false|true|cat|less)|color\.[\w.-]+=\w+|advice\.\w+=(?:true|false)|user\.(?:name|email)=.*|core\.(?:quotepath|autocrlf|abbrev|filemode|ignorecase)=\w+|init\.defaultbranch=[\w/-]+|diff\.(?:algorithm|renames|context|mnemonicprefix|noprefix)=\w+|log\.\w+=\w+|commit\.gpgsign=false|gc\.auto=0)$/i;

const OWN_STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;
/** Other strategies are programs of that name. */
const STRATEGIES = { "-s": OWN_STRATEGY, "--strategy": OWN_STRATEGY };

/** Options that run what the repository's settings name. */
const DIFF = ["--ext-diff", "--textconv"];
/** Options that name the program at the other end. */
const REMOTE = ["--upload-pack=", "--receive-pack=", "--exec="];

/** Options that any command may have, for all that is known of it. */
const COMMON: OptionTable = { writes: ["--output="], enters: ["--work-tree="], reads: ["--pathspec-from-file="] };

function withCommon(tables: Readonly<Record<string, OptionTable>>): Readonly<Record<string, OptionTable>> {
  const kinds = ["writes", "enters", "reads"] as const;
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name,
      { ...table, ...Object.fromEntries(kinds.map((kind) => [kind, [...table[kind] ?? [], ...COMMON[kind] ?? []]])) },
    ]),
  );
}

/** Commands without an option that runs programs or writes files of its choice. */
const HARMLESS = "status rm mv restore ls-files ls-tree rev-parse rev-list describe shortlog " +
  "merge-base check-ignore reflog remote worktree clean bisect submodule symbolic-ref for-each-ref";

/** Further commands that do no more than their names say: what any other does, an alias or a server, is not known. */
const PLAIN = new Set(
  (HARMLESS +
    " version help fetch push am annotate bundle checkout-index cherry commit-graph commit-tree count-objects " +
    "diff-files diff-index diff-tree fsck gc format-patch ls-remote name-rev range-diff replace rerere " +
    "sparse-checkout show-branch show-ref stripspace verify-commit verify-tag whatchanged merge-tree merge-file " +
    "mktag mktree patch-id pack-objects pack-refs prune prune-packed read-tree repack update-index update-ref " +
    "unpack-objects write-tree index-pack check-attr check-mailmap check-ref-format column fmt-merge-msg " +
    "get-tar-commit-id request-pull verify-pack filter-branch").split(" "),
);

/** git 2.47, by git(1) and the manuals of its commands. */
export const GIT: ProgramTable = {
  programs: /^git$/,
  globalsFirst: true,
  runs: ["-c=", "--config-env=", "--exec-path=", "--git-dir=", "--attr-source="],
  enters: ["-C=", "--work-tree="],
  valued: ["--namespace=", "--super-prefix="],
  harmless: { "-c": HARMLESS_SETTING },
  subcommands: withCommon({
    "*": {
      runs: [...DIFF, ...REMOTE, "--open-files-in-pager", "-O"],
      writes: ["--output=", "--output-directory=", "-o="],
    },
    ...Object.fromEntries(HARMLESS.split(" ").map((name) => [name, {}])),
    add: { runs: ["-f", "--force", "-e", "--edit"] },
    checkout: { runs: ["-f", "--force", "-m", "--merge"], valued: ["-b=", "-B="] },
    switch: { runs: ["-f", "--force", "--discard-changes"], valued: ["-c=", "-C="] },
    reset: { runs: ["--hard"] },
    config: {
      runs: ["-l", "--list", "--get-regexp=", "--get-urlmatch=", "-e", "--edit"],
      writes: ["-f=", "--file="],
      valued: ["--get", "--get-all", "-t=", "--type=", "--default=", "--blob="],
    },
    diff: { runs: DIFF, writes: ["--output="], reads: ["--no-index", "-O="], valued: ["-S=", "-G="] },
    show: { runs: DIFF, writes: ["--output="], valued: ["-S=", "-G=", "--format=", "-n="] },
    log: {
      runs: DIFF,
      writes: ["--output="],
      valued: ["-S=", "-G=", "-L=", "-n=", "--grep=", "--author=", "--format="],
    },
    clone: { runs: [...REMOTE, "-u=", "-c=", "--config=", "--template="], valued: ["-b=", "-o=", "-j=", "--depth="] },
    init: { runs: ["--template="] },
    grep: {
      runs: ["-O", "--open-files-in-pager", "--textconv", "--no-exclude-standard", "--no-index"],
      reads: ["-f="],
      valued: ["-e=", "-A=", "-B=", "-C=", "-m="],
    },
    commit: {
      runs: ["-n", "--no-verify"],
      reads: ["-F=", "--file=", "-t=", "--template=", "--pathspec-from-file="],
      valued: ["-m=", "--message=", "-C=", "-c=", "--author=", "--date="],
    },
    tag: { runs: ["-d", "--delete", "-f", "--force"], reads: ["-F=", "--file="], valued: ["-m=", "--message=", "-u="] },
    stash: { runs: DIFF, writes: ["--output="], valued: ["-m=", "--message="] },
    rebase: { runs: ["-x=", "--exec=", "-s=", "--strategy="], valued: ["-X=", "--onto="], harmless: STRATEGIES },
    merge: {
      runs: ["-s=", "--strategy="],
      reads: ["-F=", "--file="],
      valued: ["-m=", "--message="],
      harmless: STRATEGIES,
    },
    "cherry-pick": { runs: ["--strategy="], harmless: STRATEGIES },
    revert: { runs: ["--strategy="], harmless: STRATEGIES },
    pull: { runs: [...REMOTE, "-s=", "--strategy="], harmless: STRATEGIES },
    difftool: { runs: ["-x=", "--extcmd=", "-t=", "--tool="] },
    mergetool: { runs: ["-t=", "--tool="] },
    archive: { runs: [...REMOTE, "--remote="], writes: ["-o=", "--output="] },
    notes: { reads: ["-F=", "--file="], valued: ["-m=", "--message=", "--ref="] },
    "hash-object": { valued: ["-t=", "--path="] },
    "checkout-index": { writes: ["--prefix="] },
    "fast-export": { writes: ["--export-marks="], reads: ["--import-marks="] },
    "fast-import": { writes: ["--export-marks=", "--export-pack-edges="], reads: ["--import-marks="] },
    apply: { runs: ["--unsafe-paths"], valued: ["-p=", "-C="] },
    blame: { runs: ["--textconv"], reads: ["--contents=", "--ignore-revs-file="], valued: ["-L=", "-S="] },
    "send-email": { runs: ["--sendmail-cmd=", "--smtp-server=", "--to-cmd=", "--cc-cmd="] },
    branch: { runs: ["--edit-description"] },
    "cat-file": { runs: ["--textconv", "--filters", "--batch-command"] },
  }),
  operands(operands, { options, values }) {
    // These show names only.
    if (/^(?:check-ignore|ls-files|status)$/.test(operands[0]?.word.value ?? "")) return [];
    if (operands[0]?.word.value === "hash-object") return operands.slice(1).map((one) => useOf("reads", one));
    const rest = operands.slice(1).flatMap((operand): Use[] => {
      // A path may come after a revision: HEAD:.env
      const path = pathIn(operand.word.value);
      if (options.has("--no-index")) return [useOf("reads", operand)];
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
    return [...rest, ...ranges, ...written, ...commandsIn(operands, options)];
  },
};

/** Settings with passwords and tokens in them. */
const SECRET_SETTING = /extraheader|token|password|passwd|secret|credential|url\..*insteadof|sendemail\.smtp|proxy/i;

/** The path in `HEAD:path`, `:0:path`, `:(glob)path` and `:/path`. */
function pathIn(text: string | undefined): string | undefined {
  return text?.replace(/^(?::\([^)]*\)|:\d:|:[!^/]+|[^:/]*:)/, "");
}

/** Whether a command's table, or its name, tells what it does. */
function isKnown(name: string): boolean {
  return PLAIN.has(name) || (GIT.subcommands !== undefined && name !== "*" && Object.hasOwn(GIT.subcommands, name));
}

/** The place of the name of a setting that `git config` changes, where its value may be a command. */
function changedSetting(operands: readonly Operand[], options: Given["options"]): number {
  const [, first, second] = operands.map(({ word }) => word.value);
  const verb = /^(?:get|set|unset|list|edit|rename-section|remove-section|get-color|get-colorbool)$/.test(first ?? "");
  const at = verb ? 2 : 1;
  const reads = verb
    ? !/^(?:set|rename-section|edit)$/.test(first ?? "")
    : [...options].some((name) => /^--(?:get|unset|remove-section)/.test(name));
  const [name, value] = [verb ? second : first, operands[at + 1]?.word.value];
  if (operands[at] === undefined || reads || (operands.length === at + 1 && !options.has("--add"))) return -1;
  const ours = !["--global", "--system", "--worktree", "--add", "--replace-all"].some((one) => options.has(one));
  return ours && HARMLESS_SETTING.test(`${name}=${value ?? "\0"}`) ? -1 : at;
}

function commandsIn(operands: readonly Operand[], options: Given["options"]): readonly Use[] {
  const [name, first] = operands.map(({ word }) => word.value);
  const runs = (index: number) => {
    const operand = operands[index];
    return operand === undefined ? [] : [{ kind: "runs" as const, at: operand.at, length: 1, word: operand.word }];
  };
  // An alias may run anything: an entry must name it.
  if (name !== undefined && !isKnown(name)) return operands.slice(0, 1).map((one) => useOf("unknown", one));
  if (name === "config" && changedSetting(operands, options) !== -1) return runs(changedSetting(operands, options));
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
