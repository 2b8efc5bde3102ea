import { wordText } from "../../shell/mod.ts";
import { present } from "../../base/schema.ts";
import { git } from "./git.ts";
import { sed } from "./sed.ts";
import { leavingTasks } from "./tasks.ts";
import { fits, type Given, type Operand, type OperandRule, type Use, useOf, usesOf } from "./use.ts";

/** The rule of a name that `programs.json` uses. */
export function operandRule(name: string): OperandRule {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (rule === undefined) throw new TypeError(`There is no rule ${name} about operands`);
  return rule;
}

/** A path that may lead out of the working directory. */
const ELSEWHERE = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/;

/** The address of a module, which is fetched. */
const ADDRESS = /^[a-z][a-z+.-]+:/i;

/** A server of this machine, in no other way than that it cannot be read as another host. */
const LOCAL_ADDRESS = /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\]):\d{1,5}(?:[/?#][^\s{}[\]\\@]*)?$/;

const SECRET_PATTERN = /^[\^.*+=$]*$|^[^a-z]*(?:KEY|SECRET|TOKEN|PASSW|CREDENTIAL)[^a-z]*$/;

/**
 * What an awk program may do besides writing to its output: run commands, read and write files, show the environment. A
 * `>` or `|` anywhere after `print` counts, whatever it means there.
 */
const AWK_DOES_MORE =
  /\b(?:system|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|getline|@|print[^]*(?:>|\|(?!\|))|\bclose\b|\\[0-7x]/;

/**
 * What a filter of jq may do besides reading its input: show the environment, read modules. There may be blanks and
 * comments behind a dollar sign.
 */
const JQ_DOES_MORE =
  /\$\s*(?:ENV\b|#)|(?<![.\w"])env\b|\b(?:import|include|modulemeta|get_search_list|input_line_number)\b/;

const RULES: Readonly<Record<string, OperandRule>> = {
  git,
  sed,
  runs: (operands) => usesOf("runs", operands),
  /** All are files, but for words that fit the pattern that it is told. */
  reads: (operands, _, { told: [but] }) =>
    usesOf("reads", but === undefined ? operands : operands.filter((one) => !fits(new RegExp(but), one))),
  first_runs: (operands) => usesOf("runs", operands.slice(0, 1)),
  first_reads: (operands) => usesOf("reads", operands.slice(0, 1)),
  second_writes: ([input, output]) => [
    ...(input === undefined ? [] : [useOf("reads", input)]),
    ...(output === undefined ? [] : [useOf("writes", output)]),
  ],
  after_first: (operands) => usesOf("reads", operands.slice(1)),
  /** Tasks that are built, and folders. */
  elsewhere: (operands, { values }) => [
    ...leavingTasks([...operands, ...["--target", "-t"].flatMap((name) => values.get(name) ?? [])], { installs: true }),
    ...usesOf("reads", operands.filter((one) => fits(ELSEWHERE, one))),
  ],
  sessions: (_, { values }) => leavingTasks(["-e", "-s"].flatMap((name) => values.get(name) ?? [])),
  /** Files, but for words that fit the pattern that it is told. */
  runs_if: (operands, _, { told: [pattern = ""] }) =>
    operands.map((one) => useOf(fits(new RegExp(pattern, "i"), one) ? "runs" : "reads", one)),
  shell: ([script], { options }) =>
    script === undefined ? [] : [
      useOf(fits(/^\+/, script) ? "runs" : "reads", script),
      // With -n it only reads what it is given.
      ...(options.has("-n") ? [] : leavingTasks([script])),
    ],
  /** Options that it is told give the program; without them there is a script. */
  script: (operands, { options }, { told }) => {
    const inline = told.some((option) => options.has(option));
    const checks = ["--test", "--check", "-c"].some((option) => options.has(option));
    return [...scriptOf(operands, inline), ...(inline || checks ? [] : leavingTasks(operands.slice(0, 1)))];
  },
  /** Files, which are written with an option that it is told, or after such a word. */
  paths: (operands, { options }, { told }) => {
    const first = operands[0]?.word.value;
    const writes = told.some((one) => one.startsWith("-") ? options.has(one) : one === first);
    return pathUses(operands, writes ? "writes" : "reads");
  },
  rewritten: (operands, { options }) =>
    options.has("--check") || options.has("--diff")
      ? pathUses(operands, "reads")
      : pathUses(operands, "writes").map((use) => ({ ...use, purpose: true })),
  /** A word that may be a file's name, for a program of which nothing is known: `if=.env`, `@.env`. */
  secrets: (operands) =>
    operands.flatMap((operand): readonly Use[] => {
      const path = wordText(operand.word).replace(/^(?:[\w-]+=)?@?/, "");
      return path === "" || /\s/.test(path) ? [] : [{ ...useOf("finds", operand), path }];
    }),
  mode: ([mode]) =>
    fits(/^(?:[2467][0-7]{3}|0[2467][0-7]{3})$|^[ugoa,+=rwxXt-]*[+=][rwxXt]*s/, mode) ? usesOf("leaves", [mode!]) : [],
  // Folders stand before everything else.
  find: (operands) => usesOf("reads", operands.filter(({ at }, index) => at === index + 1)),
  grep: (operands, given) => {
    const folders = ["-d", "--directories"].flatMap((name) => given.values.get(name) ?? []);
    const isRecursive = hasAny(given, ["-r", "-R", "--recursive", "--dereference-recursive"]) ||
      folders.some((one) => !fits(/(?:skip|read)$/, one));
    const isOther = hasAny(given, ["-e", "-f", "--regexp", "--file"]);
    return searched(operands, { isOther, findsSecrets: isRecursive && !hasAny(given, ["--include"]) });
  },
  ripgrep: (operands, given) => {
    const isHidden = hasAny(given, ["--hidden", "-.", "-u", "--unrestricted"]);
    const namesOnly = ["-l", "--files-with-matches", "--files", "-c", "--count", "--files-without-match"];
    const isOther = hasAny(given, ["-e", "-f", "--files"]);
    return searched(operands, { isOther, findsSecrets: isHidden && !hasAny(given, namesOnly) });
  },
  awk: ([program, ...files], { options }) => {
    const reads = usesOf("reads", files);
    if (program === undefined || options.has("-f") || options.has("--file")) return reads;
    const text = program.word.value?.replaceAll("||", "");
    return text === undefined || AWK_DOES_MORE.test(text) ? [useOf("runs", program), ...reads] : reads;
  },
  jq: (operands, { options }) => {
    if (options.has("-f") || options.has("--from-file")) return usesOf("reads", operands);
    const [filter, ...files] = operands;
    const runs = filter !== undefined && JQ_DOES_MORE.test(filter.word.value ?? "$ENV") ? [useOf("runs", filter)] : [];
    return [...runs, ...usesOf("reads", files)];
  },
  // "tar xfI a.tar prog": the bundle's values are the words after it.
  tar: ([bundle]) =>
    bundle?.at === 1 && fits(/^[A-Za-z]+$/, bundle) && fits(/[IFP]/, bundle) ? [useOf("runs", bundle)] : [],
  python: (operands, { options }) => [
    ...scriptOf(operands, options.has("-c") || options.has("-m")),
    ...(options.has("-c") || options.has("-m") ? [] : leavingTasks(operands.slice(0, 1))),
    // Django takes folders of modules, and a runner of tests; to migrate to zero is to drop all tables.
    ...(fits(/(?:^|\/)manage\.py$/, operands[0])
      ? usesOf("runs", operands.filter((one) => fits(/^--(?:py|testr)|^zero$/, one)))
      : []),
    // What a module is given may be a file.
    ...(options.has("-m") ? usesOf("finds", operands) : []),
  ],
  deno: ([first, ...rest]) => {
    const name = first?.word.value ?? "";
    if (first !== undefined && /^(?:eval|repl|x)$/.test(name)) return [useOf("runs", first)];
    // What follows a script or a task is for it.
    const files = /^(?:test|check|fmt|lint|bench|doc)$/.test(name) ? rest : /^run$/.test(name) ? rest.slice(0, 1) : [];
    // bun and tsx take a script without a word before it.
    const task = /^(?:run|task)$/.test(name) ? rest[0] : /[./]/.test(name) ? first : undefined;
    return [
      ...leavingTasks([task]),
      ...usesOf("runs", files.filter((one) => fits(ADDRESS, one))),
      ...usesOf(name === "fmt" ? "writes" : "reads", files),
    ];
  },
  npm: (operands) => {
    const [first, second] = operands;
    const name = first?.word.value ?? "";
    const verb = operands.findIndex((one) => fits(/^(?:run|run-script|rum|urn)$/, one));
    const inWorkspace = /^(?:workspaces?|recursive|multi)$/.test(name);
    const leaving = leavingTasks(inWorkspace ? operands : [first, ...(verb === -1 ? [] : [operands[verb + 1]])]);
    if (second !== undefined && fits(/^(?:\.\.|\/|~)/, second)) return [...leaving, useOf("reads", second)];
    // It reads its program from standard input.
    if (second !== undefined && name === "run" && fits(/^(?:node|bash|sh|python3?)$/, second)) {
      return [...leaving, useOf("runs", second)];
    }
    // It shows the environment.
    if (second?.word.value === "env" && /^run(?:-script)?$/.test(name)) return [...leaving, useOf("runs", second)];
    // A program of any package, and one that a rule must therefore name.
    if (first === undefined || !/^(?:exec|x|dlx|create|init|explore|edit|config|set)$/.test(name)) return leaving;
    return [...leaving, ...usesOf("runs", second === undefined ? [first] : [first, second])];
  },
  go: ([first, ...rest]) => {
    const name = first?.word.value ?? "";
    const kind = /^(?:fmt|fix)$/.test(name) ? "writes" : "reads";
    const elsewhere = usesOf(kind, rest.filter((one) => fits(ELSEWHERE, one)));
    const runs = first !== undefined && /^(?:run|generate|tool|env)$/.test(name) && (name !== "env" || rest.length > 0);
    return runs ? [useOf("runs", first), ...elsewhere] : elsewhere;
  },
  cargo,
  // Names of variables may have any character, and are expanded, too.
  make: (operands) => {
    const harmless = /^(?:V|VERBOSE|DEBUG|BUILD_TYPE|CI|ARGS|TEST|TESTS|PKG|NAME)=[\w./:-]*$/;
    const isVariable = ({ word }: Operand) => (word.value ?? "=").includes("=");
    return [
      ...leavingTasks(operands.filter((one) => one.word.value === undefined || !isVariable(one)), { installs: true }),
      ...operands.filter((one) => isVariable(one) && !fits(harmless, one)).map((one) => ({
        ...useOf("runs", one),
        // A rule must name the variable.
        length: (one.word.value ?? "=").indexOf("=") + 1,
      })),
    ];
  },
  curl: (operands, { values }) => {
    const sent = ["-d", "--data", "--data-binary", "-F", "--form", "--json", "-H", "--header", "-w"];
    const given = sent.flatMap((name) => values.get(name) ?? []);
    return [
      // A value such as @file is read.
      ...usesOf("reads", given.filter(({ word }) => /@|=</.test(word.value ?? "@"))),
      ...usesOf("leaves", ["-T", "--upload-file"].flatMap((name) => values.get(name) ?? [])),
      ...operands.filter((one) => !fits(LOCAL_ADDRESS, one)).map((one) => ({
        ...useOf("leaves", one),
        // A rule must name the host.
        length: /^(?:[\w+.-]+:\/\/)?[^/?#]*/.exec(one.word.value ?? "")?.[0].length || Infinity,
      })),
    ];
  },
};

function hasAny({ options }: Given, names: readonly string[]): boolean {
  return names.some((name) => options.has(name));
}

/** A script is read; without one, the program comes from standard input. */
function scriptOf([first]: readonly Operand[], inline: boolean): readonly Use[] {
  if (inline || first === undefined) return [];
  return [useOf(first.word.value === "-" || fits(ADDRESS, first) ? "runs" : "reads", first)];
}

/** @param options `isOther`: the pattern is no operand; `findsSecrets`: a search of everything may show secrets */
function searched(
  operands: readonly Operand[],
  { isOther, findsSecrets }: { readonly isOther: boolean; readonly findsSecrets: boolean },
): readonly Use[] {
  const [first] = operands;
  const places = operands.slice(isOther ? 0 : 1);
  const whole = places.length === 0 || places.some(({ word }) => /^(?:\.\/*)+$/.test(word.value ?? "."));
  const secrets = whole && findsSecrets && first !== undefined && fits(SECRET_PATTERN, first)
    ? [{ ...useOf("finds", first), path: ".env" }]
    : [];
  return [...secrets, ...usesOf("reads", places)];
}

function pathUses(operands: readonly Operand[], kind: Use["kind"]): readonly Use[] {
  return operands.map((operand) => {
    const { value } = operand.word;
    const path = value?.replace(/::.*$|(?::\d+)+$|\/?\.\.\.$/s, "");
    const named = path === undefined || path === value ? undefined : path === "" ? "." : path;
    // A file of arguments may hold any option.
    return { ...useOf(value?.startsWith("@") ? "runs" : kind, operand), ...present({ path: named }) };
  });
}

function cargo([first, ...rest]: readonly Operand[]): readonly Use[] {
  const operands = first === undefined ? [] : [first, ...rest];
  if (first?.word.value === "fmt") {
    return rest.map((operand) => useOf(/^-/.test(operand.word.value ?? "-") ? "runs" : "writes", operand))
      .filter(({ word }) => !/^--(?:check|edition|verbose|quiet)/.test(word.value ?? ""));
  }
  // What follows "--" is for the compiler.
  const compiler = fits(/^(?:clippy|rustc|rustdoc)$/, first)
    ? rest.filter((one) => fits(/^-(?:[CZL]|-codegen|-sysroot|-extern)/, one))
    : [];
  if (compiler.length > 0) return usesOf("runs", compiler);
  const toolchain = first !== undefined && fits(/^\+/, first) ? [useOf("runs", first)] : [];
  // What follows "--" is for the tests or the program.
  const log = operands.findIndex((one) => fits(/^--logfile/, one));
  const file = operands[log]?.word.value?.includes("=") ? operands[log] : operands[log + 1];
  const path = file?.word.value?.replace(/^--logfile=/, "");
  return log === -1 || file === undefined
    ? toolchain
    : [...toolchain, { ...useOf("writes", file), ...present({ path }) }];
}
