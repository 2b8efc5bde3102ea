import DATA from "./file_programs.json" with { type: "json" };
import { present } from "../../base/schema.ts";
import type { FileTarget } from "./target.ts";

/** A row of `file_programs.json`, by the manuals of GNU coreutils 9.1 and others: what a program does to its files. */
interface FileProgramRow<Pattern = string> {
  /** Which operands are written: all, or only the last one. */
  readonly operands: "all" | "last" | "none";
  readonly action?: FileTarget["action"];
  readonly options?: Pattern;
  readonly valued?: Pattern;
  /** Whether it acts on files only with one of these options. */
  readonly only?: Pattern;
  readonly empties?: true;
}

export type FileProgram = FileProgramRow<RegExp>;

export const SUFFIX = /^(?:-S|--su[a-z]*)$/;

export const FILE_PROGRAMS: ReadonlyMap<string, FileProgram> = new Map(
  Object.entries(DATA as Readonly<Record<string, FileProgramRow>>).map(([name, { options, valued, only, ...rest }]) => {
    const [written, skipped, needed] = [options, valued, only].map((one) => one === undefined ? one : new RegExp(one));
    return [name, { ...rest, ...present({ options: written, valued: skipped, only: needed }) }];
  }),
);
