import { type ProgramTable, useOf } from "./table.ts";

/** Editors and pagers run commands as they please; only what shows a version is harmless. */
export const EDITORS: ProgramTable = {
  programs: /^(?:vim?|nvim|view|ex|ed|emacs|nano|less|more|most|man|info|top|htop|gdb|lldb|tmux|screen|expect|dialog)$/,
  runs: [
    ...[
      "-c=",
      "-S=",
      "-s=",
      "-u=",
      "--cmd=",
      "-P=",
      "--pager=",
      "-H=",
      "--html=",

      "--command=",
      "--eval=",
      "-l=",
    ],
    ...["-k=", "--lesskey-file=", "--lesskey-src=", "-batch", "--batch", "-ex=", "-e=", "-E="],
  ],
  writes: ["-o=", "-O=", "-w=", "-W=", "--log-file="],
  operands: (operands) =>
    operands.map((operand) =>
      operand.word.value?.startsWith("+") === true ? useOf("runs", operand) : useOf("reads", operand)
    ),
};

/** zip 3 and unzip 6. */
export const ZIP: ProgramTable = {
  programs: /^zip$/,
  runs: ["-TT=", "--unzip-command=", "-T"],
  writes: ["-b=", "--temp-path=", "-O=", "--output-file=", "-lf=", "--logfile-path="],
};

/** Tests and linters: settings and plugins that they are told to load are code. */
export const CHECKERS: ProgramTable = {
  programs:
    /^(?:py\.?test|mypy|pylint|tox|nox|black|ruff|flake8|isort|eslint|prettier|tsc|jest|vitest|mocha|rspec|rubocop|phpunit)$/,
  code: true,
  runs: [
    ...["-p=", "-c=", "--config=", "--rootdir=", "--confcutdir=", "--override-ini=", "--load-plugins=", "--init-hook="],
    ...[
      "--rcfile=",
      "--python-executable=",
      "--config-file=",
      "--rulesdir=",
      "--plugin=",
      "--parser=",
      "--resolve-plugins-relative-to=",
    ],
    ...[
      "--require=",
      "-r=",
      "--format=",
      "-f=",
      "--formatter=",
      "--globalSetup=",
      "--setupFilesAfterEnv=",
      "--runner=",
    ],
    ...[
      "--rootDir=",
      "--testRunner=",
      "--basetemp=",
      "--pdbcls=",
      "--rulesdir=",
      "--root=",

      "--transform=",
      "--reporter=",
      "--bootstrap=",
      "--import=",
      "--loader=",
      "--project=",
      "--environment=",
    ],
  ],
  writes: [
    "-o=",
    "--output-file=",
    "--outFile=",
    "--outDir=",
    "--junitxml=",
    "--junit-xml=",
    "--outputFile=",
    "--cache-location=",
    "--coverageDirectory=",
  ],
  valued: ["-k=", "-m=", "-n=", "-t=", "--testNamePattern="],
  harmless: {
    // Settings of the project itself, and formats that are built in.
    "--project": /^(?!\/|~|.*\.\.)[\w./-]*tsconfig[\w.-]*\.json$/,
    "-p": /^(?:no:[\w.]+|xdist|(?!\/|~|.*\.\.)[\w./-]*tsconfig[\w.-]*\.json|\.)$/,
    "--format": /^[a-z]+$/,
    "-f": /^[a-z]+$/,
    "--reporter": /^[a-z-]+$/,
    "--environment": /^[a-z-]+$/,
  },
};

/** uniq and xxd write their second operand; tree, file and base64 have options that write. */
export const SECOND_WRITES: ProgramTable = {
  programs: /^(?:uniq|xxd)$/,
  valued: ["-f=", "-s=", "-w=", "-c=", "-l=", "-g=", "-o="],
  operands: ([input, output]) => [
    ...(input === undefined ? [] : [useOf("reads", input)]),
    ...(output === undefined ? [] : [useOf("writes", output)]),
  ],
};

/** jq 1.7: the first operand is the filter. */
export const JQ: ProgramTable = {
  programs: /^(?:jq|gojq|jaq)$/,
  runs: ["-f=", "--from-file=", "-L="],
  reads: ["--slurpfile=", "--rawfile=", "--argfile="],
  valued: ["--arg=", "--argjson=", "--indent=", "--tab"],
  operands: (operands, { options }) =>
    operands.slice(options.has("-f") || options.has("--from-file") ? 0 : 1).map((operand) => useOf("reads", operand)),
};

/** Programs with one or two options that are not harmless. */
export const FEW_OPTIONS: readonly ProgramTable[] = [
  {
    programs: /^tree$/,
    writes: ["-o="],
    reads: ["--fromfile", "--gitfile=", "--infofile="],
    valued: ["-L=", "-I=", "-P="],
  },
  { programs: /^file$/, runs: ["-C", "--compile", "-m=", "--magic-file="], reads: ["-f=", "--files-from="] },
  { programs: /^date$/, runs: ["-s=", "--set="], reads: ["-f=", "--file=", "-r=", "--reference="], valued: ["-d="] },
  {
    programs: /^hostname$/,
    runs: ["-F=", "--file=", "-b"],
    operands: (operands) => operands.map((one) => useOf("runs", one)),
  },
  { programs: /^c?split$/, runs: ["--filter="], valued: ["-l=", "-b=", "-n=", "-a=", "-f="] },
  { programs: /^shellcheck$/, reads: ["--rcfile="] },
  { programs: /^gofmt$/, writes: ["-cpuprofile="], words: true, valued: ["-r="] },
  {
    programs: /^(?:ba|da|z|k|mk|a|fi)?sh$/,
    code: true,
    optionsFirst: true,
    runs: ["-c=", "-s", "-i", "-l", "--rcfile=", "--init-file=", "--login"],
    valued: ["-o=", "-O="],
    operands: ([script]) => script === undefined ? [] : [useOf("reads", script)],
  },
  {
    programs: /^xargs$/,
    optionsFirst: true,
    reads: ["-a=", "--arg-file="],
    valued: [
      "-I=",
      "-n=",
      "-P=",
      "-d=",
      "-L=",
      "-s=",
      "-E=",
      "--max-args=",
      "--max-procs=",
      "--delimiter=",
      "--max-lines=",
    ],
  },
  { programs: /^(?:echo|printf|test|\[|true|false|:|env|pwd|cd|sleep|tr|seq|expr|basename|dirname|export|set|read)$/ },
  { programs: /^(?:\.|source)$/, operands: ([script]) => script === undefined ? [] : [useOf("reads", script)] },
];

/** Programs that read what their operands name, and write nothing. The values of options count as operands. */
export const READERS: readonly ProgramTable[] = [
  {
    programs:
      /^(?:cat|head|tail|wc|nl|tac|rev|comm|diff|cmp|md5sum|sha\d+sum|base(?:32|64)|od|ls|stat|du|hexdump|bat|strings|readlink|realpath)$/,
    reads: ["--files0-from=", "--from-file=", "--to-file=", "-X=", "--exclude-from="],
    operands: (operands) => operands.map((operand) => useOf("reads", operand)),
  },
  {
    programs: /^(?:cut|paste|column|join|fold)$/,
    valued: ["-d=", "-f=", "-c=", "-b=", "-o=", "--delimiter=", "--fields=", "--output-delimiter="],
    operands: (operands) => operands.filter(({ word }) => word.value !== "/").map((operand) => useOf("reads", operand)),
  },
];
