import type { ProgramTable } from "./table.ts";

/** fd 10: `-x` and `-X` run commands that are not followed. */
export const FD: ProgramTable = {
  programs: /^(?:fd|fdfind)$/,
  runs: ["-x", "--exec", "-X", "--exec-batch", "-L", "--follow"],
  enters: ["-C=", "--base-directory="],
  valued: ["-e=", "-t=", "-d=", "-E=", "-c=", "-j=", "-S=", "-o="],
};
