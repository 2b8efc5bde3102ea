import { type ProgramTable, useOf } from "./table.ts";

/** tar of GNU 1.34. Options may also be bundled in the first word, without a dash. */
export const TAR: ProgramTable = {
  programs: /^(?:g|bsd)?tar$/,
  runs: [
    ...["-I=", "--use-compress-program=", "--to-command=", "--checkpoint-action=", "--info-script=", "-F="],
    ...["--new-volume-script=", "--rmt-command=", "--rsh-command=", "--absolute-names", "-P"],
  ],
  enters: ["-C=", "--directory=", "--cd="],
  reads: ["-T=", "--files-from=", "-X=", "--exclude-from="],
  valued: ["-f=", "--file=", "-b=", "--exclude=", "--strip-components=", "--transform=", "--format=", "-H="],
  operands(operands) {
    // "tar xfI a.tar prog": the bundle's values are the words after it.
    const [bundle] = operands;
    if (bundle?.at !== 1 || !/^[A-Za-z]+$/.test(bundle.word.value ?? "")) return [];
    return /[IFP]/.test(bundle.word.value ?? "") ? [useOf("runs", bundle)] : [];
  },
};
