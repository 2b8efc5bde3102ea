import { type ProgramTable, useOf } from "./table.ts";

/**
 * ripgrep 14: a preprocessor is a program, and so is what it asks for the host's name.
 * With `-L` files may be anywhere.
 */
export const RIPGREP: ProgramTable = {
  programs: /^rg$/,
  runs: ["--pre=", "--hostname-bin=", "--search-zip", "-z", "-L", "--follow"],
  reads: ["-f=", "--file=", "--ignore-file="],
  valued: ["-e=", "-g=", "-t=", "-T=", "-A=", "-B=", "-C=", "-m=", "-j=", "-r=", "-M=", "-E=", "-d=", "--pre-glob="],
  operands: (operands, { options }) => {
    const pattern = options.has("-e") || options.has("-f") || options.has("--files") ? 0 : 1;
    return operands.slice(pattern).map((operand) => useOf("reads", operand));
  },
};
