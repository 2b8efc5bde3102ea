import { SECRET_PATTERN } from "./grep.ts";
import { type ProgramTable, useOf } from "./table.ts";

/** With these, hidden files are searched. */
const HIDDEN = ["--hidden", "-.", "-u", "--unrestricted"];
/** With these, only names are shown. */
const NAMES_ONLY = ["-l", "--files-with-matches", "--files", "-c", "--count", "--files-without-match"];

/**
 * ripgrep 14: a preprocessor is a program, and so is what it asks for the host's name.
 * With `-L` files may be anywhere.
 */
export const RIPGREP: ProgramTable = {
  programs: /^rg$/,
  runs: ["--pre=", "--hostname-bin=", "--search-zip", "-z", "-L", "--follow"],
  finds: ["-g=", "--glob=", "--iglob=", "--type-add="],
  reads: ["-f=", "--file=", "--ignore-file="],
  valued: ["-e=", "-t=", "-T=", "-A=", "-B=", "-C=", "-m=", "-j=", "-r=", "-M=", "-E=", "-d=", "--pre-glob="],
  operands: (operands, { options }) => {
    const pattern = options.has("-e") || options.has("-f") || options.has("--files") ? 0 : 1;
    const [first] = operands;
    const places = operands.slice(pattern);
    const whole = places.length === 0 || places.some(({ word }) => /^(?:\.\/*)+$/.test(word.value ?? "."));
    const hidden = HIDDEN.some((option) => options.has(option)) && !NAMES_ONLY.some((option) => options.has(option));
    return [
      ...(whole && hidden && first !== undefined && SECRET_PATTERN.test(first.word.value ?? "")
        ? [{ ...useOf("finds", first), path: ".env" }]
        : []),
      ...places.map((operand) => useOf("reads", operand)),
    ];
  },
};
