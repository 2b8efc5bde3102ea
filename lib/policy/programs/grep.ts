import { type ProgramTable, useOf } from "./table.ts";

/** A pattern that every row of a file of secrets fits, or just their names. */
export const SECRET_PATTERN = /^[\^.*+=$]*$|^[^a-z]*(?:KEY|SECRET|TOKEN|PASSW|CREDENTIAL)[^a-z]*$/;

const RECURSIVE = ["-r", "-R", "--recursive", "--dereference-recursive"];

/** grep of GNU 3.8. It runs nothing. */
export const GREP: ProgramTable = {
  programs: /^(?:[ef]?grep|zgrep)$/,
  finds: ["--include="],
  reads: ["-f=", "--file=", "--exclude-from="],
  valued: ["-e=", "--regexp=", "-A=", "-B=", "-C=", "-m=", "-d=", "-D=", "--exclude=", "--exclude-dir="],
  operands: (operands, { options }) => {
    const pattern = options.has("-e") || options.has("-f") || options.has("--regexp") || options.has("--file") ? 0 : 1;
    const [first] = operands;
    const places = operands.slice(pattern);
    const whole = places.length === 0 || places.some(({ word }) => /^(?:\.\/*)+$/.test(word.value ?? "."));
    const all = whole && RECURSIVE.some((option) => options.has(option)) && !options.has("--include");
    return [
      ...(all && first !== undefined && SECRET_PATTERN.test(first.word.value ?? "")
        ? [{ ...useOf("finds", first), path: ".env" }]
        : []),
      ...places.map((operand) => useOf("reads", operand)),
    ];
  },
};
