import { type ProgramTable, useOf } from "./table.ts";

/** grep of GNU 3.8. It runs nothing. */
export const GREP: ProgramTable = {
  programs: /^(?:[ef]?grep|zgrep)$/,
  reads: ["-f=", "--file=", "--exclude-from="],
  valued: ["-e=", "--regexp=", "-A=", "-B=", "-C=", "-m=", "-d=", "-D=", "--include=", "--exclude=", "--exclude-dir="],
  operands: (operands, { options }) => {
    const pattern = options.has("-e") || options.has("-f") || options.has("--regexp") || options.has("--file") ? 0 : 1;
    return operands.slice(pattern).map((operand) => useOf("reads", operand));
  },
};
