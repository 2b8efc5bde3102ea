import { type Operand, type ProgramTable, type Use, useOf } from "./table.ts";

/** A script is read; without one, the program comes from standard input. */
function script(operands: readonly Operand[], inline: boolean): readonly Use[] {
  const [first] = operands;
  if (inline || first === undefined) return [];
  return first.word.value === "-" ? [useOf("runs", first)] : [useOf("reads", first)];
}

/** Python 3.12. `-m` names the module that it runs, and is a word of its own for a rule. */
export const PYTHON: ProgramTable = {
  programs: /^(?:python|pypy)[\d.]*$/,
  code: true,
  optionsFirst: true,
  runs: ["-c=", "-m=", "-i", "-W=", "-X="],
  operands: (operands, { options }) => [
    ...script(operands, options.has("-c") || options.has("-m")),
    // Django takes folders of modules, and a runner of tests.
    ...(/(?:^|\/)manage\.py$/.test(operands[0]?.word.value ?? "")
      ? operands.filter(({ word }) => /^--(?:py|testr)/.test(word.value ?? "")).map((one) => useOf("runs", one))
      : []),
    // What a module is given may be a file.
    ...(options.has("-m") ? operands.map((operand) => useOf("finds", operand)) : []),
  ],
};

/** Node 22. */
export const NODE: ProgramTable = {
  programs: /^(?:node|nodejs)$/,
  code: true,
  optionsFirst: true,
  runs: [
    ...["-e=", "--eval=", "-p=", "--print=", "-r=", "--require=", "--import=", "--loader=", "--experimental-loader="],
    ...[
      "-i",
      "--interactive",
      "--env-file=",
      "--experimental-config-file=",
      "--openssl-config=",
      "--run=",
      "--test-reporter=",
      "--inspect-brk",
      "--inspect-wait",
      "--inspect-port=",
      "--env-file-if-exists=",
      "--test-global-setup=",
      "--snapshot-blob=",
      "--experimental-sea-config=",
      "--experimental-default-config-file",
      "--icu-data-dir=",
      "--entry-url=",
    ],
  ],
  writes: [
    "--cpu-prof-dir=",
    "--heap-prof-dir=",
    "--diagnostic-dir=",
    "--redirect-warnings=",
    "--test-reporter-destination=",
    "--report-directory=",
    "--report-dir=",
    "--report-filename=",
    "--trace-event-file-pattern=",
    "--localstorage-file=",
    "--logfile=",
    "--cpu-prof-name=",
    "--heap-prof-name=",
    "--tls-keylog=",
    "--test-rerun-failures=",
    "--redirect-code-traces-to=",
    "--turbo-profiling-output=",
    "--trace-turbo-path=",
    "--trace-turbo-file-prefix=",
    "--trace-turbo-cfg-file=",
  ],
  // node reads underscores like dashes.
  otherNames: (name) => name.startsWith("--") && name.includes("_") ? [name.replaceAll("_", "-")] : [],
  valued: ["--test", "--test-name-pattern=", "-C=", "--conditions="],
  harmless: { "--test-reporter": /^(?:spec|tap|dot|junit|lcov)$/ },
  operands: (operands, { options }) => script(operands, options.has("-e") || options.has("-p")),
};

/** Perl 5, Ruby 3, PHP 8, Lua 5 and shells of other languages: one-letter options alike. */
export const PERL: ProgramTable = {
  programs: /^(?:perl|ruby)[\d.]*$/,
  code: true,
  optionsFirst: true,
  runs: ["-e=", "-E=", "-M=", "-m=", "-I=", "-r=", "-x", "-S", "-d", "-i", "-C="],
  operands: (operands, { options }) => script(operands, options.has("-e") || options.has("-E")),
};

/** PHP 8, Lua 5, R, Tcl and AppleScript. */
export const OTHER_INTERPRETERS: ProgramTable = {
  programs:
    /^(?:php[\d.]*|lua[\d.]*|luajit|osascript|tclsh[\d.]*|wish|Rscript|R|julia|elixir|erl|ghci?|groovy|scala|jshell|irb)$/,
  code: true,
  optionsFirst: true,
  runs: [
    ...["-e=", "-r=", "-d=", "-c=", "-l=", "-B=", "-R=", "-E=", "-i", "-s", "-a", "-z=", "-S=", "-L=", "-eval="],
    ...["--eval=", "--run=", "--print=", "--load="],
  ],
  operands: (operands, { options }) => script(operands, options.has("-e") || options.has("-r")),
};

/** Deno 2 and Bun 1. */
export const DENO: ProgramTable = {
  programs: /^(?:deno|bun|bunx|tsx|ts-node)$/,
  code: true,
  runs: [
    ...[
      "-e=",
      "--eval=",
      "-p=",
      "--print=",
      "-r=",
      "--require=",
      "--import=",
      "--loader=",
      "--preload=",
      "--import-map=",
    ],
    ...["-c=", "--config=", "--cwd=", "--env-file=", "--inspect", "--tsconfig-override=", "--install="],
  ],
  writes: ["-o=", "--output=", "--outfile=", "--outdir=", "--coverage-dir=", "--reporter-outfile=", "--lock="],
  subcommands: { eval: { runs: [] }, install: { runs: ["-g", "--global"] }, repl: {} },
  operands(operands) {
    const [first, ...rest] = operands;
    const name = first?.word.value ?? "";
    if (first !== undefined && /^(?:eval|repl|x)$/.test(name)) return [useOf("runs", first)];
    // What follows a script or a task is for it.
    const files = /^(?:test|check|fmt|lint|bench|doc)$/.test(name) ? rest : /^run$/.test(name) ? rest.slice(0, 1) : [];
    return files.map((operand) => useOf(name === "fmt" ? "writes" : "reads", operand));
  },
};
