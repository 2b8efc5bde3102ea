import { type ProgramTable, useOf } from "./table.ts";

/**
 * find of GNU findutils 4.9. What `-exec` runs is followed as a command of its own; `-execdir` runs it in each file's
 * folder, and with `-L` and `-follow` files may be anywhere.
 */
export const FIND: ProgramTable = {
  programs: /^(?:find|gfind)$/,
  words: true,
  runs: ["-execdir", "-okdir", "-L", "-H", "-follow"],
  writes: ["-fprint=", "-fprint0=", "-fprintf=", "-fls="],
  reads: ["-files0-from=", "-newer=", "-anewer=", "-cnewer=", "-samefile="],
  valued: [
    "-name=",
    "-iname=",
    "-path=",
    "-ipath=",
    "-wholename=",
    "-regex=",
    "-iregex=",
    "-lname=",
    "-perm=",
    "-printf=",
  ],
  // Folders stand before everything else.
  operands: (operands) =>
    operands.filter(({ at }, index) => at === index + 1).map((operand) => useOf("reads", operand)),
};
