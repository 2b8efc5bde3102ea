/** The names in a text of a data file, or in several: they stand between blanks. */
export function namesIn(texts: string | readonly string[]): readonly string[] {
  return [texts].flat().flatMap((text) => text.split(" "));
}
