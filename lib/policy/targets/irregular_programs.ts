import { type ShellWord, wordStart } from "../../shell/mod.ts";
import { foundFiles } from "./found_files.ts";
import type { FileTarget } from "./target.ts";

type Targets = (words: readonly ShellWord[]) => readonly FileTarget[];

/** What is known of a program that changes files, and whose words are more than options and files. */
export function irregularProgram(program: string): Targets | undefined {
  return Object.hasOwn(PROGRAMS, program) ? PROGRAMS[program] : undefined;
}

const PROGRAMS: Readonly<Record<string, Targets>> = {
  dd: (words) =>
    words.flatMap((word) => {
      const text = wordStart(word);
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
    const changed = removedByGit(words) ?? movedByGit(words);
    if (changed !== undefined) return changed;
    const at = words.findIndex(({ value }) => value === "clone" || value === "init" || value === "worktree");
    return at === -1 ? [] : words.slice(at + 1)
      .filter(({ value }) => value === undefined || !/^-|:|^[^/]*$/.test(value))
      .filter((_, index, all) => words[at]?.value !== "clone" || index === all.length - 1)
      .map((word) => ({ word, action: "write", purpose: true }));
  },
};

function movedByGit(words: readonly ShellWord[]): readonly FileTarget[] | undefined {
  const [, command, ...rest] = words;
  if (command?.value !== "mv") return undefined;
  const operands = rest.filter(({ value }) => !/^-./.test(value ?? ""));
  const [from, into] = [operands.slice(0, -1), operands.slice(-1)];
  return [
    ...from.map((word) => ({ word, action: "remove" as const, purpose: true as const })),
    ...into.map((word) => ({ word, action: "write" as const, purpose: true as const, from })),
  ];
}

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
