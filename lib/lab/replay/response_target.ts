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

/** The words of a row as a shell reads them, as far as quotes go. */
function shellWords(row: string): readonly string[] {
  const words = row.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/g,
      (_, plain, quoted, one) => plain ?? quoted?.replaceAll(/\\(.)/g, "$1") ?? one,
    )
  );
}
