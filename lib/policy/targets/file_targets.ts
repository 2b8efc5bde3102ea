import { present } from "../../base/schema.ts";
import { type CommandLayer, type ShellWord, wordText } from "../../shell/mod.ts";
import { FILE_PROGRAMS, SUFFIX } from "./file_programs.ts";
import { irregularProgram } from "./irregular_programs.ts";
import { type SortedWords, sortWords } from "./sorted_words.ts";
import type { FileTarget } from "./target.ts";

export function changesFiles(program: string): boolean {
  return (FILE_PROGRAMS.get(program) ?? irregularProgram(program)) !== undefined;
}

/**
 * The files that one command writes or removes, as far as its words tell.
 *
 * @returns `undefined` for one that takes files that its words do not name, as after `xargs`
 */
export function fileTargets(layer: CommandLayer): readonly FileTarget[] | undefined {
  const { program, words, moreWords } = layer;
  if (program === undefined) return [];
  const irregular = irregularProgram(program);
  // What git is given by others is files of its repository, as in "xargs git add".
  if (irregular !== undefined) return moreWords && program !== "git" ? undefined : irregular(words);
  const spec = FILE_PROGRAMS.get(program);
  if (spec === undefined) return [];
  const sorted = sortWords(words, spec);
  if (spec.only !== undefined && !sorted.flags.some((flag) => spec.only?.test(flag.value ?? "-i"))) return [];
  if (moreWords && spec.operands !== "none") return undefined;
  const tree = program === "rm" && sorted.flags.some(({ value }) => /^-[a-zA-Z]*[rR]|^--r/.test(value ?? "-r"));
  const action = tree ? "remove_tree" : spec.action ?? "write";
  const into = spec.operands === "last" || program === "mv" || program === "ln" ? sorted.operands.at(-1) : undefined;
  const operands = spec.operands === "all"
    ? sorted.operands
    : spec.operands === "last"
    ? sorted.operands.slice(-1).filter(({ value }) => value === undefined || !/^[^/]+:/.test(value))
    : [];
  const moved = program === "mv" ? sorted.operands.slice(0, -1) : [];
  const from = sorted.files.length > 0 ? sorted.operands : sorted.operands.slice(0, -1);
  const copied = /^(?:cp|mv|ln|install)$/.test(program) ? { from } : {};
  const purpose = spec.only === undefined ? { purpose: true as const } : {};
  const empties = present({ empties: spec.empties });
  return [
    ...operands.filter((word) => !moved.includes(word)).map((word) => ({
      word,
      action,
      ...purpose,
      ...empties,
      ...copied,
    })),
    ...moved.map((word) => ({ word, action: "remove" as const, ...purpose })),
    ...sorted.files.map((target) => ({ ...target, ...purpose })),
    ...copies(sorted, into),
    ...contents(program, sorted, into),
    ...backups(program, words),
  ];
}

/** Where the backups go that `cp -S` and `sed -i` make: an ending may have a path in it. */
function backups(program: string, words: readonly ShellWord[]): readonly FileTarget[] {
  const ending = program === "sed" ? /^(?:-[nErsuz]*i|--i[a-z-]*=)(.+)$/ : /^(?:-[a-zA-Z]*S|--su[a-z]*=)(.+)$/;
  if (program !== "sed" && !/^(?:cp|mv|ln|install)$/.test(program)) return [];
  return words.slice(1).flatMap((word, index): readonly FileTarget[] => {
    const text = wordText(word);
    const separate = program !== "sed" && (SUFFIX.test(text) || /^-[a-zA-Z]*S$/.test(text));
    const named = separate ? words[index + 2] : word;
    const suffix = separate ? named && wordText(named) : ending.exec(text)?.[1];
    if (named === undefined || (!separate && !ending.test(text))) return [];
    const unknown = suffix === undefined || named.parts.some(({ type }) => type !== "literal");
    if (!unknown && !/[/*]/.test(suffix)) return [];
    const isPath = program === "sed" && !unknown;
    return [{ ...isPath ? { word: named, path: suffix } : { word: unknownWord(named) }, action: "write" }];
  });
}

/** What a file becomes in the folder that it is copied or moved to: `cp x/.env .` writes `./.env`. */
function copies({ operands, files }: SortedWords, into: ShellWord | undefined): readonly FileTarget[] {
  const folders = files.length > 0 ? files.map(({ word, path }) => path ?? word.value) : [into?.value];
  return operands.flatMap((word) => {
    const name = /([^/]+)\/*$/.exec(word.value ?? "")?.[1];
    if ((word === into && files.length === 0) || name === undefined || /^\.{1,2}$/.test(name)) return [];
    return folders.flatMap((folder) =>
      folder === undefined || into === undefined ? [] : [{
        ...{ word: into, path: `${folder}/${name}`, action: "write" as const, purpose: true as const },
        // What has an ending is a file rather than a folder.
        ...(/[^./]\.[^/]*$/.test(folder) ? {} : { from: [word] }),
      }]
    );
  });
}

/**
 * What is written where the content of a folder is copied into another one, or names that are not known: it may be any
 * file there. BSD's cp takes `x/` for the content of x.
 */
function contents(program: string, { operands, flags, files }: SortedWords, into: ShellWord | undefined) {
  const has = (pattern: RegExp) => flags.some(({ value }) => pattern.test(value ?? "-"));
  const whole = program === "cp" && has(/^-\w*[rRa]|^--(?:r|a)/);
  const isAny = (word: ShellWord) => {
    const text = wordText(word);
    return (whole && /(?:^|\/)\.{0,2}$/.test(text)) || /^[*?.]*$/.test(text.slice(text.lastIndexOf("/") + 1));
  };
  const all = program === "cp" && has(/^-\w*T|^--no-t/)
    ? whole
    : operands.some((word) => (word !== into || files.length > 0) && isAny(word));
  if (!/^(?:cp|mv|ln|install)$/.test(program) || into === undefined || !all) return [];
  const folders = files.length > 0 ? files : [{ word: into }];
  return folders.map((target) => ({
    ...target,
    action: "write" as const,
    purpose: true as const,
    empties: true as const,
  }));
}

export function copiedFiles({ program, words }: CommandLayer): readonly ShellWord[] {
  const spec = FILE_PROGRAMS.get(program ?? "");
  if (spec?.operands !== "last") return [];
  const { operands, files } = sortWords(words, spec);
  return files.length > 0 ? operands : operands.slice(0, -1);
}

/** A word of which nothing is known. */
function unknownWord(word: ShellWord): ShellWord {
  return { ...word, value: undefined, parts: [{ type: "variable", text: word.source, quoted: true }] };
}
