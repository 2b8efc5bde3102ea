import { type ProgramTable, useOf } from "./table.ts";

/** sort of GNU coreutils 9.1. */
export const SORT: ProgramTable = {
  programs: /^g?sort$/,
  runs: ["--compress-program="],
  writes: ["-o=", "--output=", "-T=", "--temporary-directory="],
  reads: ["--files0-from=", "--random-source="],
  valued: ["-k=", "-t=", "-S=", "--key=", "--field-separator=", "--parallel=", "--batch-size=", "--buffer-size="],
  operands: (operands) => operands.map((operand) => useOf("reads", operand)),
};
