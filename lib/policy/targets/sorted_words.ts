import { type ShellWord, wordStart } from "../../shell/mod.ts";
import type { FileProgram } from "./file_programs.ts";
import type { FileTarget } from "./target.ts";

export interface SortedWords {
  readonly operands: readonly ShellWord[];
  readonly flags: readonly ShellWord[];
  readonly files: readonly FileTarget[];
}

export function sortWords(words: readonly ShellWord[], spec: FileProgram): SortedWords {
  const operands: ShellWord[] = [];
  const flags: ShellWord[] = [];
  const files: FileTarget[] = [];
  let optionsEnd = false;
  for (let index = 1; index < words.length; index++) {
    const word = words[index] as ShellWord;
    const text = wordStart(word);
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
      // Options may share a word, and the last of them takes the rest of it or the next word: -rt DIR, -rtDIR.
      const found = clustered(text, spec.options);
      if (found === "next" && next !== undefined) {
        files.push({ word: next, action: "write" });
        index++;
      } else if (found !== "next" && found !== undefined) files.push({ word, path: found, action: "write" });
    }
  }
  return { operands, flags, files };
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
