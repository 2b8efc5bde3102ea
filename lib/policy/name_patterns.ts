/** A path in which braces that are not spelled out, as in `.e{nv,x}$Y`, are name patterns. */
export function withoutBraces(path: string): string {
  let text = path;
  for (let before = "", deep = 0; before !== text; deep++) {
    before = text;
    if (deep >= MAX_BRACES_DEEP) {
      // What is nested deeper may be any hidden name.
      const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
      return from === -1 || to < from ? text : `${text.slice(0, from)}.*${text.slice(to + 1)}`;
    }
    text = text.replaceAll(/\{([^{}]*,[^{}]*)\}/g, (_, inner: string) => /(?:^|,)\.(?!\.)/.test(inner) ? ".*" : "@()");
  }
  return text;
}

const MAX_BRACES_DEEP = 16;

/** Whether a name may stand for several names: it has `*`, `?`, `[` or a pattern of bash such as `@(a|b)` in it. */
export function isNamePattern(name: string): boolean {
  return /[*?[]|[@!+]\(/.test(name);
}

type Token = { readonly one: string | "any" } | { readonly many: true; readonly dots: boolean };

function tokensOf(pattern: string): readonly Token[] {
  return (pattern.match(/[@!?*+]\([^)]*\)?|\*+|\[!?\]?(?:\[:\w+:\]|[^\]])*\]|[^]/gu) ?? []).map((piece): Token => {
    if (/^.\(/u.test(piece)) return { many: true, dots: true };
    if (piece.startsWith("*")) return { many: true, dots: false };
    return { one: piece === "?" || (piece.startsWith("[") && piece.length > 2) ? "any" : piece };
  });
}

export interface MatchNameOptions {
  /** Whether a dot at the beginning is like any other character, as for find. @default {false} */
  readonly dots?: boolean;
}

/**
 * Whether a pattern may stand for a name. A pattern that says nothing of a name but its ending may stand for too many
 * to count, as `*` and `*.yml`; one with brackets counts as any character.
 */
export function mayName(pattern: string, name: string, { dots = false }: MatchNameOptions = {}): boolean {
  const tokens = tokensOf(pattern);
  const literal = tokens.map((token) => "one" in token && token.one !== "any" ? token.one : "*").join("");
  if (!literal.startsWith(".") && literal.replace(/\.\w+$/, "").replaceAll("*", "") === "") return false;
  const hidden = name.startsWith(".") && !dots;
  let places = spread(new Set([0]), tokens);
  for (const [index, character] of [...name].entries()) {
    const next = new Set<number>();
    for (const place of places) {
      const token = tokens[place];
      if (token === undefined) continue;
      if ("many" in token) {
        if (index > 0 || !hidden || token.dots) next.add(place);
      } else if (token.one === character || (token.one === "any" && (index > 0 || !hidden))) next.add(place + 1);
    }
    places = spread(next, tokens);
    if (places.size === 0) return false;
  }
  return places.has(tokens.length);
}

function spread(places: Set<number>, tokens: readonly Token[]): Set<number> {
  for (const place of places) {
    const token = tokens[place];
    if (token !== undefined && "many" in token) places.add(place + 1);
  }
  return places;
}
