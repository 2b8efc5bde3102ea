import type { ShellWord } from "../../shell/mod.ts";
import type { FileTarget } from "./target.ts";

/**
 * The files that find finds, for what it does with each: as far as names narrow them, all below its folders otherwise.
 */
export function foundFiles(words: readonly ShellWord[], action: FileTarget["action"]): readonly FileTarget[] {
  const rest = words.slice(1).filter(({ value }) => !/^-[HLP]$/.test(value ?? ""));
  const end = rest.findIndex(({ value }) => /^[-(!]/.test(value ?? ""));
  const roots = rest.slice(0, end === -1 ? rest.length : end);
  const all = end === -1 ? [] : rest.slice(end);
  // What comes after the first action does not narrow it: find . -delete -name x
  const acts = all.findIndex(({ value }) => /^-(?:delete|(?:exec|ok)(?:dir)?)$/.test(value ?? ""));
  const tests = acts === -1 ? all : all.slice(0, acts);
  const [program] = words;
  const from = roots.length > 0 ? roots : program === undefined ? [] : [{ ...program, value: "." }];
  const narrowed = !all.some(({ value }) => /^(?:-o|-or|,|!|-not|-regex|-iregex)$/.test(value ?? ""));
  const valuesOf = (test: RegExp) =>
    narrowed ? tests.filter((_, index) => test.test(tests[index - 1]?.value ?? "")).map(({ value }) => value) : [];
  const names = valuesOf(/^-i?name$/);
  const paths = valuesOf(/^-(?:i?path|wholename)$/);
  const empty = narrowed && tests.some(({ value }) => value === "-empty");
  return from.flatMap((word): readonly FileTarget[] => {
    const root = word.value?.replace(/\/+$/, "");
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
