/**
 * Where Markdown and HTML hide, strike, quote or shrink what stands on lines of its own, as far as the line alone does
 * not show it.
 *
 * @module
 */

/** Elements whose content a browser does not show, not at once, struck through, or as code or somebody's words. */
const HIDING_ELEMENTS = new Set(
  ("script style template title textarea noscript iframe details dialog select svg pre code samp kbd tt xmp listing " +
    "plaintext s strike del q blockquote object canvas audio video math datalist option optgroup head noembed noframes " +
    "frameset rp").split(" "),
);
const VOID_ELEMENTS = new Set("area base br col embed hr img input link meta source track wbr".split(" "));
const HIDING_ATTRIBUTE =
  /(?<![\w-])(?:hidden|style|class|color|bgcolor|size|width|height|popover|inert|aria-hidden|face)(?![\w-])/i;
const TAG = /<(?:(?<end>\/?)(?<name>[a-z][a-z\d-]*)(?=[\s/>]|$)|\?|!\[CDATA\[|![a-z])/gi;
const MAX_TAG_CHARS = 2000;

/**
 * Makes a reader of lines of prose, one after another, that tells whether an element of HTML may hide a line: one that
 * hides its content, one with an attribute that may, and the inside of a tag.
 */
export function createHtmlWatch(): (prose: string) => boolean {
  const open = new Map<string, number>();
  let until: RegExp | undefined;
  return (prose) => {
    let isHidden = until !== undefined || open.size > 0;
    let at = 0;
    if (until !== undefined) {
      const end = until.exec(prose);
      // A tag cannot hold an empty line, but its quoted values can.
      if (end === null) {
        if (prose.trim() === "" && until.source === ">") until = undefined;
        return true;
      }
      at = end.index + end[0].length;
      until = undefined;
    }
    const finder = new RegExp(TAG);
    finder.lastIndex = at;
    for (let tag = finder.exec(prose); tag !== null; tag = finder.exec(prose)) {
      const name = tag.groups?.["name"]?.toLowerCase();
      const rest = prose.slice(finder.lastIndex, finder.lastIndex + MAX_TAG_CHARS);
      if (name === undefined) {
        const closing = tag[0] === "<?" ? "?>" : tag[0].startsWith("<![") ? "]]>" : ">";
        isHidden = true;
        const end = rest.indexOf(closing);
        if (end < 0) {
          until = new RegExp(RegExp.escape(closing));
          return true;
        }
        finder.lastIndex += end + closing.length;
        continue;
      }
      const attributes = /^(?:[^"'>=]|=\s*"[^"]*"|=\s*'[^']*'|=)*/.exec(rest)?.[0] ?? "";
      if (tag.groups?.["end"] === "/") {
        const depth = open.get(name) ?? 0;
        if (depth > 1) open.set(name, depth - 1);
        else open.delete(name);
      } else if (!VOID_ELEMENTS.has(name)) {
        const hides = HIDING_ELEMENTS.has(name) || open.has(name) || HIDING_ATTRIBUTE.test(attributes);
        if (hides) open.set(name, (open.get(name) ?? 0) + 1);
      }
      isHidden ||= open.size > 0;
      finder.lastIndex += attributes.length;
      const next = prose[finder.lastIndex];
      const isLeftOpen = next === '"' || next === "'" ||
        next === undefined && (prose.trimStart().startsWith("<") || HIDING_ELEMENTS.has(name));
      if (next !== ">" && isLeftOpen) {
        until = next === '"' || next === "'" ? new RegExp(`${next}[^>]*>`) : />/;
        return true;
      }
    }
    return isHidden;
  };
}

/** A part of a paragraph, from one place to another, which a line can stand in. */
type Part = readonly [from: number, to: number];

/**
 * The lines that stand within code between backticks, `~struck~` text, the name of a picture or the title of a link's
 * definition that has begun on a line before, or in the front matter of a file.
 *
 * @param isBreak whether a line ends a paragraph, as an empty one does
 */
export function linesWithin(lines: readonly string[], isBreak: (line: string) => boolean): ReadonlySet<number> {
  const within = new Set<number>();
  const [first = ""] = lines;
  if (/^(?:---|\+\+\+)\s*$/.test(first)) {
    const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === first.trimEnd());
    for (let at = 1; at < end; at++) within.add(at);
  }
  for (let from = 0; from < lines.length; from++) {
    let to = from;
    while (to < lines.length && lines[to]!.trim() !== "" && !isBreak(lines[to]!)) to++;
    if (to - from > 1) lookThrough(lines.slice(from, to), (at) => within.add(from + at));
    from = to;
  }
  return within;
}

function lookThrough(lines: readonly string[], tell: (at: number) => void): void {
  const starts = [0];
  for (const line of lines) starts.push(starts.at(-1)! + line.length + 1);
  const text = lines.join("\n");
  for (const parts of [codeParts(text), struckParts(text), pictureNames(text)]) {
    let at = 0;
    for (const [from, to] of parts) {
      while (starts[at + 1]! <= from) at++;
      while (starts[at + 1]! <= to) tell(++at);
    }
  }
  const definition = lines.findIndex((line) => /^ {0,3}\[[^\]]+\]:/.test(line));
  if (definition < 0) return;
  const title = lines.findIndex((line, at) => at >= definition && /(?:^|\s)["'(][^"')]*$/.test(line));
  if (title >= 0) { for (let at = title + 1; at < lines.length; at++) tell(at); }
}

function* codeParts(text: string): Generator<Part> {
  const runs = [...text.matchAll(/`+/g)];
  const next = new Map<number, number>();
  const following = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at--) {
    const { length } = runs[at]![0];
    following[at] = next.get(length) ?? -1;
    next.set(length, at);
  }
  for (let at = 0; at < runs.length; at++) {
    const end = following[at]!;
    if (end < 0 || text[runs[at]!.index - 1] === "\\") continue;
    yield [runs[at]!.index, runs[end]!.index];
    at = end;
  }
}

function* struckParts(text: string): Generator<Part> {
  let from: number | undefined;
  for (const { index } of text.matchAll(/(?<!~)~(?!~)/g)) {
    const [before = " ", after = " "] = [text[index - 1], text[index + 1]];
    if (from !== undefined && /\S/.test(before)) {
      yield [from, index];
      from = undefined;
    } else if (/[^\p{L}\p{N}]/u.test(before) && /\S/.test(after)) from = index;
  }
}

function* pictureNames(text: string): Generator<Part> {
  for (let from = text.indexOf("!["); from >= 0; from = text.indexOf("![", from + 2)) {
    const to = text.indexOf("]", from);
    if (to < 0) return;
    yield [from, to];
    from = to;
  }
}
