import { type Operand, type ProgramTable, type Use, useOf } from "./table.ts";

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

/** uniq and xxd read their first operand and write their second one. */
const secondWrites = ([input, output]: readonly Operand[]): readonly Use[] => [
  ...(input === undefined ? [] : [useOf("reads", input)]),
  ...(output === undefined ? [] : [useOf("writes", output)]),
];

/** uniq of GNU coreutils 9.1 and xxd. */
export const SECOND_WRITES: readonly ProgramTable[] = [
  {
    programs: /^uniq$/,
    valued: ["-f=", "-s=", "-w=", "--skip-fields=", "--skip-chars=", "--check-chars="],
    operands: secondWrites,
  },
  { programs: /^xxd$/, valued: ["-s=", "-c=", "-l=", "-g=", "-o=", "-n="], operands: secondWrites },
];

/**
 * What a filter of jq may do besides reading its input: show the environment, read modules. There may be blanks and
 * comments behind a dollar sign.
 */
const JQ_DOES_MORE =
  /\$\s*(?:ENV\b|#)|(?<![.\w"])env\b|\b(?:import|include|modulemeta|get_search_list|input_line_number)\b/;

/** jq 1.7: the first operand is the filter. */
export const JQ: ProgramTable = {
  programs: /^(?:jq|gojq|jaq)$/,
  runs: ["-f=", "--from-file=", "-L="],
  reads: ["--slurpfile==", "--rawfile==", "--argfile=="],
  valued: ["--arg==", "--argjson==", "--indent=", "--tab"],
  operands(operands, { options }) {
    if (options.has("-f") || options.has("--from-file")) return operands.map((operand) => useOf("reads", operand));
    const [filter, ...files] = operands;
    const reads = files.map((operand) => useOf("reads", operand));
    if (filter === undefined) return reads;
    return JQ_DOES_MORE.test(filter.word.value ?? "$ENV") ? [useOf("runs", filter), ...reads] : reads;
  },
};

/** Programs with one or two options that are not harmless. */
export const FEW_OPTIONS: readonly ProgramTable[] = [
  {
    programs: /^tree$/,
    writes: ["-o="],
    reads: ["--gitfile=", "--infofile="],
    valued: ["-L=", "-I=", "-P="],
    operands: (operands) => operands.map((one) => useOf("reads", one)),
  },
  {
    programs: /^file$/,
    runs: ["-C", "--compile", "-m=", "--magic-file="],
    reads: ["-f=", "--files-from="],
    operands: (operands) => operands.map((one) => useOf("reads", one)),
  },
  {
    programs: /^(?:cd|chdir|pushd)$/,
    operands: (operands) =>
      operands.filter(({ word }) => !/^[-+]\d*$/.test(word.value ?? "")).map((one) => useOf("reads", one)),
  },
  { programs: /^date$/, runs: ["-s=", "--set="], reads: ["-f=", "--file=", "-r=", "--reference="], valued: ["-d="] },
  {
    programs: /^hostname$/,
    runs: ["-F=", "--file=", "-b"],
    operands: (operands) => operands.map((one) => useOf("runs", one)),
  },
  { programs: /^c?split$/, runs: ["--filter="], valued: ["-l=", "-b=", "-n=", "-a=", "-f="] },
  // It has no recursion, and a copy of what a link leads to is one of its target's content.
  { programs: /^cp$/, runs: ["-L", "--dereference", "-H"] },
  {
    programs: /^(?:ba|da|z|k|mk|a|fi)?sh$/,
    code: true,
    optionsFirst: true,
    runs: ["-c=", "-s", "-i", "-l", "--rcfile=", "--init-file=", "--login"],
    valued: ["-o=", "-O="],
    // "+n" takes back an "-n".
    operands: ([script]) =>
      script === undefined ? [] : [useOf(script.word.value?.startsWith("+") === true ? "runs" : "reads", script)],
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
  { programs: /^(?:echo|printf|test|\[|true|false|:|env|pwd|sleep|tr|seq|expr|basename|dirname|export|set|read)$/ },
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
