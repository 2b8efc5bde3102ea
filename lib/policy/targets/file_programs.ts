import type { FileTarget } from "./target.ts";

/** What a program does to the files that it is given. */
export interface FileProgram {
  /** Which operands are written: all, or only the last one. */
  readonly operands: "all" | "last" | "none";
  readonly action?: FileTarget["action"];
  /** Options whose value is a file that is written. */
  readonly options?: RegExp;
  /** Options whose value is the next word, and no file. */
  readonly valued?: RegExp;
  /** Whether it acts on files only with one of these options. */
  readonly only?: RegExp;
  /** Whether what it writes loses its content. */
  readonly empties?: true;
}

/** The folder to write into, also abbreviated. */
const INTO = /^(?:-t|--t[a-z-]*)$/;
/** The ending of a backup's name, likewise. */
export const SUFFIX = /^(?:-S|--su[a-z]*)$/;

/** By the manuals of GNU coreutils 9.1 and others. */
const PROGRAMS: Readonly<Record<string, FileProgram>> = {
  rm: { operands: "all", action: "remove" },
  rmdir: { operands: "all", action: "remove" },
  unlink: { operands: "all", action: "remove" },
  shred: { operands: "all", valued: /^-[ns]$/, empties: true },
  mv: { operands: "all", options: INTO, valued: SUFFIX },
  cp: { operands: "last", options: INTO, valued: SUFFIX },
  install: { operands: "last", options: INTO, valued: /^(?:-[mogS]|--(?:mode|owner|group|su[a-z]*))$/ },
  rsync: { operands: "last", valued: /^(?:-e|-f|--(?:exclude|include|filter|rsh))$/ },
  scp: { operands: "last", valued: /^-[cFiJloPSX]$/ },
  ln: { operands: "all", options: INTO, valued: SUFFIX },
  tee: { operands: "all", empties: true },
  touch: { operands: "all", valued: /^-[dtr]$/ },
  mkdir: { operands: "all", valued: /^-m$/ },
  mkfifo: { operands: "all", valued: /^-m$/ },
  truncate: { operands: "all", valued: /^-[sr]$/, empties: true },
  chmod: { operands: "all" },
  chown: { operands: "all" },
  chgrp: { operands: "all" },
  sed: { operands: "all", only: /^(?:-[nEersuz]*i.*|--in-place.*)$/, valued: /^-[ef]$/ },
  unzip: { operands: "none", options: /^-d$/ },
  patch: { operands: "none", options: /^(?:-[do]|--(?:directory|output))$/ },
};

/** What is known of a program that changes the files that it is given by options and operands. */
export function fileProgram(program: string): FileProgram | undefined {
  return Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
}
