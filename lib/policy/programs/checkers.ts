import { type Operand, type ProgramTable, type Use, useOf } from "./table.ts";
import { present } from "../../base/schema.ts";

/** A path below the working directory. */
const LOCAL = String.raw`(?!\/|~|.*\.\.)[\w./@-]+`;

/** Settings of TypeScript that are the project's own. */
const OWN_SETTINGS = new RegExp(`^(?:no:[\\w.]+|xdist|${LOCAL.replace("+", "*")}tsconfig[\\w.-]*\\.json|\\.)$`);

/** What files are named without: the test in a file, the line, and the pattern of a package. */
function pathIn(operand: Operand): Operand & { readonly path?: string } {
  const { value } = operand.word;
  const path = value?.replace(/::.*$|(?::\d+)+$|\/?\.\.\.$/s, "");
  return path === undefined || path === value ? operand : { ...operand, path: path === "" ? "." : path };
}

function usesOf(operands: readonly Operand[], kind: Use["kind"], given: Pick<Use, "purpose"> = {}): readonly Use[] {
  return operands.map(pathIn).map((operand) => ({
    // A file of arguments may hold any option.
    ...useOf(operand.word.value?.startsWith("@") ? "runs" : kind, operand),
    ...given,
    ...present({ path: operand.path }),
  }));
}

/** A filter of warnings that names no class of a module. */
const WARNING = /^(?:error|ignore|default|always|once|module)(?::(?::\w*Warning)?)?$/;

/** The name of a long option without what programs spell differently; what a setting of several parts is a part of. */
function spelling(name: string): string {
  const bare = name.replace(/^--?/, "").replaceAll(/[-_]/g, "").toLowerCase();
  if (/^pooloptions\..*execargv/.test(bare)) return "execargv";
  return /^(outputfile|browser\.provideroptions|alias|execargv)\./.exec(bare)?.[1] ?? bare;
}

/** What test runners and linters are given: settings and plugins are code, other options name what is written. */
const SHARED = {
  code: true,
  runs: [
    ...["-p=", "-c=", "--config=", "--rootdir=", "--confcutdir=", "--override-ini=", "--load-plugins=", "--init-hook="],
    ...["--rcfile=", "--python-executable=", "--config-file=", "--rulesdir=", "--plugin=", "--parser="],
    ...["--resolve-plugins-relative-to=", "--require=", "-r=", "--format=", "-f=", "--formatter=", "--globalSetup="],
    ...["--setupFilesAfterEnv=", "--setupFiles=", "--runner=", "--rootDir=", "--roots=", "--testRunner=", "--pdbcls="],
    ...["--root=", "--dir=", "--transform=", "--bootstrap=", "--import=", "--loader=", "--project="],
    ...["--environment=", "--reporter=", "--pyargs", "--import-mode=", "--install-types", "--pdb", "--settings-file="],
    ...["--settings-path=", "--ui", "--ui=", "--api", "--api=", "--browser=", "--config-path=", "--vcs-root="],
    ...["--resolver=", "--testEnvironment=", "--snapshotSerializers=", "--globalTeardown=", "--testResultsProcessor="],
    ...[
      "--reporters=",
      "--file=",
      "--configuration=",
      "--opts=",
      "--ui-host=",
      "--ui-port=",
      "--pastebin=",
      "--trace",
      "--cov-config=",
      "-W=",
      "--moduleNameMapper=",
      "--browser.enabled",
      "--api.host=",
      "--api.port=",
      "--watchPlugins=",
      "--env=",
      "--preset=",
      "--projects=",
      "--prerunner=",
    ],
    ...["--typecheck.checker=", "--pool=", "--execArgv=", "--coverage.customProviderModule="],
    ...["--coverage.reporter=", "--workspace=", "--browser.provider=", "--browser.providerOptions=", "--alias="],
    ...[
      "--sequence.sequencer=",
      "--filter=",
      "--testSequencer=",
      "--prettierPath=",
      "--coverageReporters=",
      "--haste=",
    ],
    ...["--dependencyExtractor=", "--snapshotResolver=", "--modulePaths=", "--moduleDirectories=", "--node-option="],
    ...["-n=", "-R=", "-O=", "--options=", "--reporter-option=", "--reporter-options=", "--package=", "--tsconfig="],
    ...["--compilers=", "--experimental-loader=", "--inspect", "--inspect-config", "--mcp", "--tx=", "--driver-path="],
    ...["--browser-executable-path=", "--pythonwarnings=", "--append-config=", "--output-format="],
    ...["--extension-pkg-allow-list=", "--extension-pkg-whitelist=", "--unsafe-load-any-extension=", "--prepend="],
    ...["--printer=", "--extension="],
  ],
  writes: [
    ...["--output-file=", "--outFile=", "--outDir=", "--junitxml=", "--junit-xml=", "--outputFile=", "--output="],
    ...["--cache-location=", "--coverageDirectory=", "--basetemp=", "--cache-dir=", "--cache-file=", "--report-log="],
    ...["--declarationDir=", "--tsBuildInfoFile=", "--generateTrace=", "--html=", "--log-file=", "--logfile="],
    ...[
      "--resultlog=",
      "--generateCpuProfile=",
      "--attachmentsDir=",
      "--outputJson=",
      "--suppressions-location=",
      "--alluredir=",
      "--json-report-file=",
      "--html-report=",
      "--txt-report=",
      "--xml-report=",
      "--xslt-html-report=",
      "--cobertura-xml-report=",
      "--any-exprs-report=",
      "--linecount-report=",
      "--linecoverage-report=",
      "--lineprecision-report=",
      "--timing-stats=",
      "--line-checking-stats=",
      "--import-graph=",
      "--ext-import-graph=",
      "--int-import-graph=",
      "--spelling-private-dict-file=",
      "--log-junit=",
      "--log-teamcity=",
      "--coverage-html=",
      "--coverage-clover=",
      "--coverage-cobertura=",
      "--coverage-crap4j=",
      "--coverage-php=",
      "--coverage-xml=",
      "--testdox-html=",
      "--testdox-text=",
      "--cache-directory=",
      "--generate-baseline=",
      "--deprecation-out=",
      "--cache-root=",
      "--cov-report=",
      "--cacheDirectory=",
      "--fail-log=",
      "--report-file=",
      "--out=",
      "--coverage.reportsDirectory=",
      "--debug=",
    ],
  ],
  reads: ["--ignore-path=", "--ignore-file=", "--env-file=", "--extend-exclude-from=", "--stdin-filename="],
  finds: ["--doctest-glob="],
  valued: [
    ...["--ext=", "--coverage", "--unsafe", "--json", "--testdox"],
    "-k=",
    "-m=",
    "-t=",
    "--testNamePattern=",
    "-g=",
    "--grep=",
    "--cov=",
    "--maxfail=",
    "--tb=",
  ],
  harmless: {
    // Settings of the project itself, and formats and reporters that are built in.
    "--project": new RegExp(`^(?:${LOCAL.replace("+", "*")}tsconfig[\\w.-]*\\.json|[\\w-]+)$`),
    "-p": OWN_SETTINGS,
    "--format": /^[a-z]+$/,
    "-f": /^[a-z]+$/,
    "--formatter": /^[a-z]+$/,
    "--reporter": /^[a-z-]+$/,
    "--reporters": /^(?:default|verbose|dot|json|junit|github-actions|summary)$/,
    "--environment": /^[a-z-]+$/,
    "--env": /^(?:node|jsdom)$/,
    "--cov-report": /^(?:term|term-missing|term:skip-covered|term-missing:skip-covered|xml|html|json|lcov)$/,
    "--import-mode": /^(?:prepend|append|importlib)$/,
    "--ui": /^(?:bdd|tdd)$/,
    "-W": WARNING,
    "--pythonwarnings": WARNING,
    "--tsconfig": OWN_SETTINGS,
    "--pool": /^(?:forks|threads|vmForks|vmThreads|typescript|browser)$/,
    "--coverage.reporter": /^[a-z-]+$/,
    "--coverageReporters": /^[a-z-]+$/,
    "--browser.provider": /^[a-z]+$/,
    "--filter": /^(?![./~])[^/]*$/,
    "--output-format": /^[a-z0-9-]+$/,
    "-R": /^[a-z-]+$/,
    "-n": /^(?:\d+|auto|logical)$/,
    "--tx": /^(?:\d+\*)?popen$/,
    "--extension": /^[\w.,:]+$/,
    "--unsafe-load-any-extension": /^(?:n|no)$/,
  },
  // Programs differ in dashes and letter case: --outdir, -outDir, --out-dir.
  otherNames: (name) => SPELLED.get(spelling(name)) ?? [],
} satisfies Omit<ProgramTable, "programs">;

const SPELLED: ReadonlyMap<string, readonly string[]> = new Map(
  [...SHARED.runs, ...SHARED.writes, ...SHARED.reads].filter((option) => option.startsWith("--"))
    .map((option) => [spelling(option.replace(/=$/, "")), [option.replace(/=$/, "")]]),
);

/** Options with which a linter changes the files that it looks at. */
const FIXES = [
  "--fix",
  "--write",
  "-w",
  "--fix-only",
  "--autocorrect",
  "--autocorrect-all",
  "-a",
  "-A",
  "--auto-correct",
  "--apply",
  "--apply-unsafe",
  "--add-noqa",
  "--fix-layout",
  "-x",
];

/** Python's own test runner, which looks for tests in a folder. */
export const UNITTEST: ProgramTable = {
  programs: /^unittest$/,
  code: true,
  reads: ["-s=", "--start-directory=", "-t=", "--top-level-directory="],
  valued: ["-p=", "--pattern=", "-k="],
  operands: (operands) => usesOf(operands, "reads"),
};

/** Test runners and linters: what they look at, and what they change with an option. */
export const CHECKERS: ProgramTable = {
  ...SHARED,
  programs:
    /^(?:py\.?test|unittest|mypy|pyright|pylint|tox|nox|ruff|flake8|eslint|prettier|tsc|jest|vitest|mocha|ava|playwright|cypress|biome|oxlint|stylelint|rspec|rubocop|phpunit|standardrb)$/,
  runs: [...SHARED.runs, "-o="],
  operands: (operands, { options }) =>
    usesOf(
      operands,
      FIXES.some((option) => options.has(option)) || operands[0]?.word.value === "format" ? "writes" : "reads",
    ),
};

/** Linters whose `-o` names a file. */
export const REPORTERS: ProgramTable = {
  ...CHECKERS,
  programs: /^(?:eslint|ruff|stylelint|rubocop|rspec)$/,
  runs: [...SHARED.runs, "-I="],
  writes: [...SHARED.writes, "-o="],
};

/** Programs whose purpose is to change the files that they are given. */
export const FORMATTERS: ProgramTable = {
  ...SHARED,
  programs: /^(?:black|isort|autopep8|yapf|pyupgrade|rustfmt|clang-format|shfmt|autoflake)$/,
  operands: (operands, { options }) =>
    options.has("--check") || options.has("--diff")
      ? usesOf(operands, "reads")
      : usesOf(operands, "writes", { purpose: true }),
};

/** gofmt 1.23, which writes with `-w`, and shellcheck 0.9, which follows what a script sources with `-x`. */
export const FILE_CHECKERS: readonly ProgramTable[] = [
  {
    programs: /^(?:gofmt|goimports)$/,
    writes: ["-cpuprofile="],
    words: true,
    valued: ["-r=", "-local="],
    operands: (operands, { options }) => usesOf(operands, options.has("-w") ? "writes" : "reads"),
  },
  { programs: /^shellcheck$/, reads: ["--rcfile="], operands: (operands) => usesOf(operands, "reads") },
];
