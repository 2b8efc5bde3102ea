import type { CommandLayer, ShellCommand, ShellWord } from "../../shell/mod.ts";

/** What a command does to a file. */
export interface FileTarget {
  /** The path as a word, or as a part of one. */
  readonly word: ShellWord;
  /** Present where the path is only this part of the word, as in `of=disk`. */
  readonly path?: string;
  /** `remove_tree`: a folder and all in it. */
  readonly action: "write" | "remove" | "remove_tree";
  /** Whether its content is gone, as if it were removed. */
  readonly empties?: true;
  /**
   * Whether it is the program's purpose to do so; otherwise a rule must name the file, or the word that asks for it.
   */
  readonly purpose?: true;
}

/** What a program does to the files that it is given. */
interface FileProgram {
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
const SUFFIX = /^(?:-S|--su[a-z]*)$/;

/** Programs whose very purpose is to change files, and downloads. By the manuals of GNU coreutils 9.1 and others. */
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

/** Whether changing the files that it is given is a program's very purpose. */
export function changesFiles(program: string): boolean {
  return Object.hasOwn(PROGRAMS, program) || Object.hasOwn(SPECIAL, program);
}

/**
 * The files that one command writes or removes, as far as its words tell.
 *
 * @returns `undefined` for one that takes files that its words do not name, as after `xargs`
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { commandLayers, parseShellCommand } from "../../shell/mod.ts";
 * const targets = (text: string) => fileTargets(commandLayers(parseShellCommand(text).commands[0]!)[0]!);
 * assertEquals(targets("cp /etc/hosts copy")?.map(({ word, path }) => path ?? word.value), ["copy", "copy/hosts"]);
 * assertEquals(targets("rm -fr a b")?.map(({ word, action }) => [word.value, action]), [
 *   ["a", "remove_tree"],
 *   ["b", "remove_tree"],
 * ]);
 * ```
 */
export function fileTargets(layer: CommandLayer): readonly FileTarget[] | undefined {
  const { program, words, moreWords } = layer;
  if (program === undefined) return [];
  const special = Object.hasOwn(SPECIAL, program) ? SPECIAL[program] : undefined;
  // What git is given by others is files of its repository, as in "xargs git add".
  if (special !== undefined) return moreWords && program !== "git" ? undefined : special(words);
  const spec = Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
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
  const purpose = spec.only === undefined ? { purpose: true as const } : {};
  const empties = spec.empties === undefined ? {} : { empties: spec.empties };
  return [
    ...operands.filter((word) => !moved.includes(word)).map((word) => ({ word, action, ...purpose, ...empties })),
    ...moved.map((word) => ({ word, action: "remove" as const, ...purpose })),
    ...sorted.files.map((target) => ({ ...target, ...purpose })),
    ...copies(sorted, into),
    ...backups(program, words),
  ];
}

/** Where the backups go that `cp -S` and `sed -i` make: an ending may have a path in it. */
function backups(program: string, words: readonly ShellWord[]): readonly FileTarget[] {
  const ending = program === "sed" ? /^(?:-[nErsuz]*i|--i[a-z-]*=)(.+)$/ : /^(?:-[a-zA-Z]*S|--su[a-z]*=)(.+)$/;
  if (program !== "sed" && !/^(?:cp|mv|ln|install)$/.test(program)) return [];
  return words.slice(1).flatMap((word, index): readonly FileTarget[] => {
    const text = literalText(word);
    const separate = program !== "sed" && (SUFFIX.test(text) || /^-[a-zA-Z]*S$/.test(text));
    const named = separate ? words[index + 2] : word;
    const suffix = separate ? named && literalText(named) : ending.exec(text)?.[1];
    if (named === undefined || (!separate && !ending.test(text))) return [];
    const unknown = suffix === undefined || named.parts.some(({ type }) => type !== "literal");
    if (!unknown && !/[/*]/.test(suffix)) return [];
    return [
      program === "sed" && !unknown
        ? { word: named, path: suffix, action: "write" }
        : { word: unknownWord(named), action: "write" },
    ];
  });
}

/** What a file becomes in the folder that it is copied or moved to: `cp x/.env .` writes `./.env`. */
function copies({ operands, files }: SortedWords, into: ShellWord | undefined): readonly FileTarget[] {
  const folders = files.length > 0 ? files.map(({ word, path }) => path ?? word.value) : [into?.value];
  return operands.flatMap((word) => {
    const name = /([^/]+)\/*$/.exec(word.value ?? "")?.[1];
    if ((word === into && files.length === 0) || name === undefined || /^\.{1,2}$/.test(name)) return [];
    return folders.flatMap((folder) =>
      folder === undefined || into === undefined
        ? []
        : [{ word: into, path: `${folder}/${name}`, action: "write" as const, purpose: true as const }]
    );
  });
}

/**
 * The files that one command copies from.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { commandLayers, parseShellCommand } from "../../shell/mod.ts";
 * const copied = (text: string) => copiedFiles(commandLayers(parseShellCommand(text).commands[0]!)[0]!);
 * assertEquals(copied("cp -r a b c").map(({ value }) => value), ["a", "b"]);
 * assertEquals(copied("cp -t c a b").map(({ value }) => value), ["a", "b"]);
 * ```
 */
export function copiedFiles({ program, words }: CommandLayer): readonly ShellWord[] {
  const spec = program !== undefined && Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
  if (spec === undefined || (spec.operands !== "last" && program !== "sed")) return [];
  const { operands, files } = sortWords(words, spec);
  return program === "sed" ? [] : files.length > 0 ? operands : operands.slice(0, -1);
}

/**
 * The files that a command's redirections write.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "../../shell/mod.ts";
 * const [command] = parseShellCommand("make > out.txt 2>&1 < in.txt").commands;
 * assertEquals(redirectionTargets(command!).map(({ word }) => word.value), ["out.txt"]);
 * assertEquals(readTargets(command!).map(({ value }) => value), ["in.txt"]);
 * ```
 */
export function redirectionTargets({ redirections }: ShellCommand): readonly FileTarget[] {
  return redirections
    .filter(({ operator, target }) =>
      operator.includes(">") && !(operator === ">&" && /^(?:\d+-?|-)$/.test(target.value ?? ""))
    )
    .map(({ target }) => ({ word: target, action: "write" as const }));
}

/** The files that a command's redirections read. */
export function readTargets({ redirections }: ShellCommand): readonly ShellWord[] {
  return redirections.filter(({ operator }) => operator === "<" || operator === "<>").map(({ target }) => target);
}

function literalText({ parts }: ShellWord): string {
  return parts.map(({ text }) => text).join("");
}

/** A word of which nothing is known. */
function unknownWord(word: ShellWord): ShellWord {
  return { ...word, value: undefined, parts: [{ type: "variable", text: word.source, quoted: true }] };
}

interface SortedWords {
  readonly operands: readonly ShellWord[];
  readonly flags: readonly ShellWord[];
  /** Files that options name. */
  readonly files: readonly FileTarget[];
}

function sortWords(words: readonly ShellWord[], spec: FileProgram): SortedWords {
  const operands: ShellWord[] = [];
  const flags: ShellWord[] = [];
  const files: FileTarget[] = [];
  let optionsEnd = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const text = word.value ?? literalStart(word);
    if (optionsEnd || !/^-./.test(text)) {
      operands.push(word);
      continue;
    }
    if (text === "--") {
      optionsEnd = true;
      continue;
    }
    flags.push(word);
    const [name = "", value] = splitOption(text);
    const next = words[index + 1];
    if (spec.options?.test(name)) {
      if (value !== undefined) files.push({ word, path: value, action: "write" });
      else if (next !== undefined) {
        files.push({ word: next, action: "write" });
        index++;
      }
    } else if (value === undefined && spec.valued?.test(name)) index++;
    else if (spec.options !== undefined && text.startsWith("-") && !text.startsWith("--")) {
      // Options may share a word, and the last of them takes the rest of it or the next word: -sSLo FILE, -LoFILE.
      const found = clustered(text, spec.options);
      if (found === "next" && next !== undefined) {
        files.push({ word: next, action: "write" });
        index++;
      } else if (found !== "next" && found !== undefined) files.push({ word, path: found, action: "write" });
    }
  }
  return { operands, flags, files };
}

function literalStart(word: ShellWord): string {
  const [first] = word.parts;
  return first?.type === "literal" ? first.text : "";
}

function splitOption(text: string): readonly string[] {
  const equals = text.startsWith("--") ? text.indexOf("=") : -1;
  return equals === -1 ? [text] : [text.slice(0, equals), text.slice(equals + 1)];
}

function clustered(text: string, options: RegExp): string | "next" | undefined {
  for (let index = 1; index < text.length; index++) {
    if (!options.test(`-${text[index]}`)) continue;
    return index === text.length - 1 ? "next" : text.slice(index + 1);
  }
  return undefined;
}

/**
 * The files that find finds, for what it does with each: as far as names narrow them, all below its folders otherwise.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "../../shell/mod.ts";
 * const found = (text: string) =>
 *   foundFiles(parseShellCommand(text).commands[0]!.words, "remove").map(({ path, action }) => [path, action]);
 * assertEquals(found("find src -name '*.pyc' -delete"), [["src/*.pyc", "remove"]]);
 * assertEquals(found("find . -type f -delete"), [["./*", "remove_tree"]]);
 * ```
 */
export function foundFiles(words: readonly ShellWord[], action: FileTarget["action"]): readonly FileTarget[] {
  const rest = words.slice(1).filter(({ value }) => !/^-[HLP]$/.test(value ?? ""));
  const end = rest.findIndex(({ value }) => /^[-(!]/.test(value ?? ""));
  const roots = rest.slice(0, end === -1 ? rest.length : end);
  const tests = end === -1 ? [] : rest.slice(end);
  const [program] = words;
  const from = roots.length > 0 ? roots : program === undefined ? [] : [{ ...program, value: "." }];
  const narrowed = !tests.some(({ value }) => /^(?:-o|-or|,|!|-not|-regex|-iregex)$/.test(value ?? ""));
  const names = narrowed
    ? tests.filter((_, index) => /^-i?name$/.test(tests[index - 1]?.value ?? "")).map(({ value }) => value)
    : [];
  const paths = narrowed
    ? tests.filter((_, index) => /^-(?:i?path|wholename)$/.test(tests[index - 1]?.value ?? "")).map(({ value }) =>
      value
    )
    : [];
  const empty = narrowed && tests.some(({ value }) => value === "-empty");
  return from.flatMap((word): readonly FileTarget[] => {
    const root = word.value?.replace(/\/+$/, "") ?? undefined;
    if (root === undefined || [...names, ...paths].includes(undefined)) return [{ word, action }];
    const [name] = names;
    const [path] = paths;
    // A name that begins with a dot and a pattern may be any of the hidden files.
    if (name !== undefined && /^\.[^/]*[*?[]/.test(name)) return [{ word: { ...word, value: undefined }, action }];
    if (name !== undefined) return [{ word, path: `${root}/${name}`, action }];
    if (path !== undefined && path.startsWith(`${root}/`)) return [{ word, path, action }];
    if (empty) return [{ word, path: root === "" ? "/" : root, action: "write" }];
    return [{ word, path: `${root}/*`, action: "remove_tree" }];
  });
}

/** What `git clean -f` and `git rm` remove. */
function removedByGit(words: readonly ShellWord[]): readonly FileTarget[] | undefined {
  const [, command, ...rest] = words;
  const operands = rest.filter(({ value }) => !/^-./.test(value ?? ""));
  const has = (pattern: RegExp) => rest.some(({ value }) => pattern.test(value ?? ""));
  if (command?.value === "clean") {
    if (!has(/^-\w*f|^--force/) || has(/^-\w*n|^--dry/) || !has(/^-\w*[dxX]/)) return [];
    return operands.length > 0
      ? operands.map((word) => ({ word, action: "remove_tree" }))
      : [{ word: command, path: ".", action: "remove_tree" }];
  }
  if (command?.value !== "rm" || has(/^--cached/)) return undefined;
  return operands.map((word) => ({ word, action: has(/^-\w*r/) ? "remove_tree" : "remove", purpose: true }));
}

const SPECIAL: Readonly<Record<string, (words: readonly ShellWord[]) => readonly FileTarget[]>> = {
  dd: (words) =>
    words.flatMap((word) => {
      const text = word.value ?? literalStart(word);
      if (!text.startsWith("of=")) return [];
      const target = { word, action: "write", purpose: true } as const;
      return [word.value === undefined ? target : { ...target, path: text.slice(3) }];
    }),
  find: (words) => words.some(({ value }) => value === "-delete") ? foundFiles(words, "remove") : [],
  tar: (words) => {
    const [, first] = words;
    const text = first?.value ?? "";
    const bundle = /^-?[A-Za-z]+$/.test(text) ? text : "";
    const creates = /[cru]/.test(bundle) || words.some(({ value }) => /^--(?:create|append|update)$/.test(value ?? ""));
    const file =
      words[bundle.endsWith("f") ? 2 : words.findIndex(({ value }) => /^(?:-f|--file)$/.test(value ?? "")) + 1];
    const into = words.flatMap(({ value }, index) => {
      const attached = /^(?:-C|--directory=)(.+)$/.exec(value ?? "")?.[1];
      const word = words[attached === undefined ? index + 1 : index];
      if (word === undefined || !/^(?:-C|--directory)/.test(value ?? "")) return [];
      return [attached === undefined ? { word } : { word, path: attached }];
    });
    return [
      ...(creates && file !== undefined && file !== words[0]
        ? [{ word: file, action: "write" as const, purpose: true as const }]
        : []),
      ...(creates ? [] : into.map((target) => ({ ...target, action: "write" as const, purpose: true as const }))),
    ];
  },
  git: (words) => {
    const removed = removedByGit(words);
    if (removed !== undefined) return removed;
    const at = words.findIndex(({ value }) => value === "clone" || value === "init" || value === "worktree");
    return at === -1 ? [] : words.slice(at + 1)
      .filter(({ value }) => value === undefined || !/^-|:|^[^/]*$/.test(value))
      .filter((_, index, all) => words[at]?.value !== "clone" || index === all.length - 1)
      .map((word) => ({ word, action: "write", purpose: true }));
  },
};
