/** Characters, as ranges of code points that do not overlap, in their order. */
export type CharacterSet = readonly (readonly [first: number, last: number])[];

/** Where something stands in a pattern's source; `end` excluded. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A regular expression as a tree. */
export type PatternNode =
  | { readonly kind: "characters"; readonly set: CharacterSet } & Span
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] } & Span
  | { readonly kind: "alternatives"; readonly alternatives: readonly PatternNode[] } & Span
  /** `max` is `Infinity` for `*` and `+`. */
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number } & Span
  /** `^`, `$`, `\b` and `\B`. */
  | { readonly kind: "edge"; readonly edge: "start" | "end" | "word" } & Span
  | { readonly kind: "look"; readonly body: PatternNode; readonly ahead: boolean; readonly negative: boolean } & Span
  /** `\1` and `\k<name>`. */
  | { readonly kind: "reference" } & Span
  | { readonly kind: "group"; readonly body: PatternNode } & Span;

const LAST = 0x10ffff;

/** Every character. */
export const ANY_CHARACTER: CharacterSet = [[0, LAST]];

const DIGITS: CharacterSet = [[0x30, 0x39]];
const WORD: CharacterSet = [[0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]];
const SPACES: CharacterSet = [
  ...[[0x09, 0x0d], [0x20, 0x20], [0xa0, 0xa0], [0x1680, 0x1680], [0x2000, 0x200a], [0x2028, 0x2029]] as const,
  ...[[0x202f, 0x202f], [0x205f, 0x205f], [0x3000, 0x3000], [0xfeff, 0xfeff]] as const,
];
const LINE_ENDS: CharacterSet = [[0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]];

/** All characters that are in one of the sets. */
export function unite(sets: readonly CharacterSet[]): CharacterSet {
  const sorted = sets.flat().toSorted((a, b) => a[0] - b[0]);
  const united: [number, number][] = [];
  for (const [first, last] of sorted) {
    const before = united.at(-1);
    if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else united.push([first, last]);
  }
  return united;
}

/** All characters that are not in the set. */
export function invert(set: CharacterSet): CharacterSet {
  const inverted: [number, number][] = [];
  let next = 0;
  for (const [first, last] of unite([set])) {
    if (first > next) inverted.push([next, first - 1]);
    next = last + 1;
  }
  if (next <= LAST) inverted.push([next, LAST]);
  return inverted;
}

/** Whether two sets have a character in common. */
export function overlaps(one: CharacterSet, other: CharacterSet): boolean {
  return one.some(([first, last]) => other.some(([from, to]) => first <= to && from <= last));
}

function classOf(letter: string): CharacterSet | undefined {
  switch (letter) {
    case "d":
      return DIGITS;
    case "D":
      return invert(DIGITS);
    case "w":
      return WORD;
    case "W":
      return invert(WORD);
    case "s":
      return SPACES;
    case "S":
      return invert(SPACES);
    default:
      return undefined;
  }
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };

/** Reads one pattern; position is the only state. */
class Reader {
  #at = 0;

  constructor(readonly source: string) {}

  read(): PatternNode {
    const tree = this.#alternatives();
    if (this.#at < this.source.length) throw new SyntaxError(`unexpected "${this.source[this.#at]}"`);
    return tree;
  }

  #peek(text: string): boolean {
    return this.source.startsWith(text, this.#at);
  }

  #take(text: string): boolean {
    if (!this.#peek(text)) return false;
    this.#at += text.length;
    return true;
  }

  #takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.source);
    if (!match) return undefined;
    this.#at += match[0].length;
    return match;
  }

  #character(): number {
    const code = this.source.codePointAt(this.#at);
    if (code === undefined) throw new SyntaxError("unexpected end");
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #alternatives(): PatternNode {
    const start = this.#at;
    const alternatives = [this.#sequence()];
    while (this.#take("|")) alternatives.push(this.#sequence());
    const [only, ...others] = alternatives;
    return only && others.length === 0 ? only : { kind: "alternatives", alternatives, start, end: this.#at };
  }

  #sequence(): PatternNode {
    const start = this.#at;
    const items: PatternNode[] = [];
    while (this.#at < this.source.length && !this.#peek("|") && !this.#peek(")")) items.push(this.#quantified());
    return { kind: "sequence", items, start, end: this.#at };
  }

  #quantified(): PatternNode {
    const start = this.#at;
    const body = this.#atom();
    const quantifier = this.#takeMatch(/(?:([*+?])|\{(\d+)(,)?(\d*)\})\??/y);
    if (!quantifier) return body;
    const [, sign, least, comma, most] = quantifier;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const max = sign === "?" ? 1 : sign !== undefined || comma && most === "" ? Infinity : Number(comma ? most : least);
    return { kind: "repeat", body, min, max, start, end: this.#at };
  }

  #atom(): PatternNode {
    const start = this.#at;
    const span = () => ({ start, end: this.#at });
    if (this.#take("^")) return { kind: "edge", edge: "start", ...span() };
    if (this.#take("$")) return { kind: "edge", edge: "end", ...span() };
    if (this.#takeMatch(/\\[bB]/y)) return { kind: "edge", edge: "word", ...span() };
    if (this.#takeMatch(/\\(?:[1-9]\d*|k<[^>]*>)/y)) return { kind: "reference", ...span() };
    if (this.#take(".")) return { kind: "characters", set: invert(LINE_ENDS), ...span() };
    if (this.#take("[")) return { kind: "characters", set: this.#class(), ...span() };
    if (this.#take("(")) return this.#group(start);
    return { kind: "characters", set: this.#escapeOrCharacter(), ...span() };
  }

  #group(start: number): PatternNode {
    const look = this.#takeMatch(/\?(<)?([=!])/y);
    if (!look && !this.#take("?:") && !this.#takeMatch(/\?<[^>=!]*>/y) && this.#peek("?")) {
      throw new SyntaxError(
        `a group that begins with "(${this.source.slice(this.#at, this.#at + 2)}" is not supported`,
      );
    }
    const body = this.#alternatives();
    if (!this.#take(")")) throw new SyntaxError("a group is not closed");
    const span = { start, end: this.#at };
    if (!look) return { kind: "group", body, ...span };
    return { kind: "look", body, ahead: look[1] === undefined, negative: look[2] === "!", ...span };
  }

  #class(): CharacterSet {
    const negative = this.#take("^");
    const sets: CharacterSet[] = [];
    while (!this.#take("]")) {
      const from = this.#classAtom();
      const single = from.length === 1 && from[0]?.[0] === from[0]?.[1] ? from[0]?.[0] : undefined;
      if (single !== undefined && this.#peek("-") && this.source[this.#at + 1] !== "]") {
        this.#at++;
        const to = this.#classAtom();
        sets.push([[single, to[0]?.[1] ?? single]]);
      } else sets.push(from);
    }
    const set = unite(sets);
    return negative ? invert(set) : set;
  }

  #classAtom(): CharacterSet {
    if (this.#take("\\b")) return [[8, 8]];
    return this.#escapeOrCharacter();
  }

  #escapeOrCharacter(): CharacterSet {
    if (!this.#take("\\")) {
      const code = this.#character();
      return [[code, code]];
    }
    // Which characters have a property is not looked up: any character counts.
    if (this.#takeMatch(/[pP]\{[^}]*\}/y)) return ANY_CHARACTER;
    const hex = this.#takeMatch(/x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})/y);
    if (hex) {
      const code = parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16);
      return [[code, code]];
    }
    const control = this.#takeMatch(/c([a-zA-Z])/y);
    if (control?.[1]) return [[control[1].charCodeAt(0) % 32, control[1].charCodeAt(0) % 32]];
    const code = this.#character();
    const letter = String.fromCodePoint(code);
    return classOf(letter) ?? [[CONTROLS[letter] ?? code, CONTROLS[letter] ?? code]];
  }
}

/**
 * Reads the source of a regular expression that is known to be valid (`new RegExp(source, "u")` took it). Flags that
 * change what characters mean (`i`, `s`, `m`, `v`) are not supported, nor are groups that set them.
 *
 * @throws {SyntaxError} for what it does not support
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const tree = parsePattern("a|[b-d]*");
 * assertEquals(tree.kind === "alternatives" && tree.alternatives.map(({ start, end }) => [start, end]), [[0, 1], [2, 8]]);
 * ```
 */
export function parsePattern(source: string): PatternNode {
  return new Reader(source).read();
}
