import { type ProgramTable, useOf } from "./table.ts";

/**
 * What an awk program may do besides writing to its output: run commands, read and write files, show the environment. A
 * `>` or `|` anywhere after `print` counts, whatever it means there.
 */
const DOES_MORE =
  /\b(?:system|ARGV|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)\b|getline|@|print[^]*(?:>|\|(?!\|))|\bclose\b|\\[0-7x]/;

/** awk by POSIX, and gawk 5.2. */
export const AWK: ProgramTable = {
  programs: /^(?:[gmn]?awk|original-awk)$/,
  optionsFirst: true,
  runs: [
    // gawk takes what it writes for -d, -o and -p from the same word only; -W is any long option.
    ...[
      "-W=",
      "-d",
      "-o",
      "-p",
      "-f=",
      "--file=",
      "-i=",
      "--include=",
      "-l=",
      "--load=",
      "-E=",
      "--exec=",
      "-e=",
      "--source=",
      "-D",
      "--debug",
    ],
  ],
  writes: ["--pretty-print=", "--dump-variables=", "--profile="],
  valued: ["-F=", "-v=", "--field-separator=", "--assign="],
  operands(operands, { options }) {
    const [program, ...files] = operands;
    const reads = files.map((operand) => useOf("reads", operand));
    if (program === undefined || options.has("-f") || options.has("--file")) return reads;
    const text = program.word.value?.replaceAll("||", "");
    return text === undefined || DOES_MORE.test(text) ? [useOf("runs", program), ...reads] : reads;
  },
};
