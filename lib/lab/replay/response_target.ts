const HEADER = "--- RESPONSE FILE INSTRUCTION ---";

interface ResponseTarget {
  readonly path: string;
  readonly partialPath: string | undefined;
}

export function findResponseTarget(prompt: string): ResponseTarget | undefined {
  const start = prompt.lastIndexOf(HEADER);
  if (start < 0) return undefined;
  for (const row of prompt.slice(start).split("\n")) {
    const words = shellWords(row);
    const cat = words.findIndex((word, index) => word === "cat" && words[index + 1] === ">");
    const written = words[cat + 2];
    if (cat < 0 || written === undefined || !written.startsWith("/")) continue;
    const mv = words.indexOf("mv", cat);
    const renamed = mv < 0 ? [] : words.slice(mv + 1).filter((word) => !word.startsWith("-"));
    return renamed[0] === written && renamed[1] !== undefined
      ? { path: renamed[1], partialPath: written }
      : { path: written, partialPath: undefined };
  }
  return undefined;
}

function shellWords(row: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let index = 0; index < row.length; index++) {
    const character = row[index]!;
    if (quote === undefined && (character === " " || character === "\t")) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === "\\" && quote !== "'") {
      word = (word ?? "") + (row[++index] ?? "");
    } else {
      word = (word ?? "") + character;
    }
  }
  return word === undefined ? words : [...words, word];
}
