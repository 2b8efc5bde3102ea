/**
 * A regular expression as a program for {@linkcode countMatchSteps}. What stands for one character (a literal, a class,
 * an escape, a dot) is left to the real engine; the rest of the syntax is taken apart here.
 */
export type Instruction =
  | { readonly op: "character"; readonly accepts: (character: string) => boolean }
  | { readonly op: "split"; readonly first: number; readonly second: number }
  | { readonly op: "jump"; readonly to: number }
  | { readonly op: "save"; readonly slot: number }
  | { readonly op: "forget"; readonly from: number; readonly to: number }
  | { readonly op: "mark"; readonly register: number }
  /** A round beyond those that must be has to take something. */
  | { readonly op: "progress"; readonly register: number; readonly rounds: Rounds | undefined }
  | { readonly op: "begin"; readonly rounds: Rounds }
  /** Another round, or on to `end`. */
  | { readonly op: "round"; readonly rounds: Rounds; readonly end: number; readonly lazy: boolean }
  | { readonly op: "enter"; readonly rounds: Rounds }
  | { readonly op: "edge"; readonly edge: "^" | "$" | "\\b" | "\\B" }
  | { readonly op: "look"; readonly program: Program; readonly wanted: boolean }
  | { readonly op: "reference"; readonly groups: readonly number[] };

/** How many rounds a repetition has, and which register counts them. */
export interface Rounds {
  readonly register: number;
  readonly min: number;
  readonly max: number;
}

/** The instructions; the match is found where they end. */
export interface Program {
  readonly instructions: readonly Instruction[];
  /** Whether it reads from right to left, as what looks back does. */
  readonly backward: boolean;
}

/** A whole regular expression. */
export interface CompiledRegExp extends Program {
  readonly groupCount: number;
  readonly registerCount: number;
}

type Node =
  | { readonly kind: "character"; readonly source: string }
  | { readonly kind: "sequence"; readonly items: readonly Node[] }
  | { readonly kind: "alternatives"; readonly all: readonly Node[] }
  | { readonly kind: "group"; readonly body: Node; readonly index: number | undefined }
  | { readonly kind: "look"; readonly body: Node; readonly ahead: boolean; readonly wanted: boolean }
  | { readonly kind: "edge"; readonly edge: "^" | "$" | "\\b" | "\\B" }
  | { readonly kind: "reference"; readonly name: string }
  | {
    readonly kind: "repeat";
    readonly body: Node;
    readonly min: number;
    readonly max: number;
    readonly lazy: boolean;
    readonly groups: readonly [from: number, to: number];
  };

const ESCAPE = /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|c[A-Za-z]|[^])/u;
const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})(\?)?/;
const GROUP_START = /^\((?:\?(?:(:)|(=)|(!)|(<=)|(<!)|<([^>]+)>))?/;

class Parser {
  #at = 0;
  groupCount = 0;
  readonly names = new Map<string, number[]>();

  constructor(readonly source: string, readonly unicode: boolean, readonly sets: boolean) {}

  parse(): Node {
    const node = this.#alternatives();
    if (this.#at < this.source.length) throw new Error(`Cannot count the steps of /${this.source}/: at ${this.#at}`);
    return node;
  }

  get #rest(): string {
    return this.source.slice(this.#at);
  }

  #alternatives(): Node {
    const all = [this.#sequence()];
    while (this.source[this.#at] === "|") {
      this.#at++;
      all.push(this.#sequence());
    }
    return all.length === 1 ? all[0]! : { kind: "alternatives", all };
  }

  #sequence(): Node {
    const items: Node[] = [];
    while (this.#at < this.source.length && !"|)".includes(this.source[this.#at]!)) {
      const before = this.groupCount;
      const body = this.#term();
      const [whole, min, comma, max, lazy] = QUANTIFIER.exec(this.#rest) ?? [];
      if (whole === undefined) {
        items.push(body);
        continue;
      }
      this.#at += whole.length;
      const few = whole[0] === "+" ? 1 : Number(min ?? 0);
      const many = whole[0] === "?" ? 1 : min === undefined || comma && !max ? Infinity : Number(max ?? min);
      items.push({
        kind: "repeat",
        body,
        min: few,
        max: many,
        lazy: lazy !== undefined,
        groups: [before, this.groupCount],
      });
    }
    return items.length === 1 ? items[0]! : { kind: "sequence", items };
  }

  #term(): Node {
    const next = this.source[this.#at]!;
    if (next === "(") return this.#group();
    if (next === "^" || next === "$") {
      this.#at++;
      return { kind: "edge", edge: next };
    }
    if (next === "[") return this.#take(this.#classLength());
    if (next !== "\\") {
      return this.#take(this.unicode ? String.fromCodePoint(this.source.codePointAt(this.#at)!).length : 1);
    }
    const [edge] = /^\\[bB]/.exec(this.#rest) ?? [];
    const [reference, name, number] = /^\\(?:k<([^>]+)>|([1-9]\d*))/.exec(this.#rest) ?? [];
    if (edge === undefined && reference === undefined) return this.#take(ESCAPE.exec(this.#rest)![0].length);
    this.#at += (edge ?? reference)!.length;
    if (edge !== undefined) return { kind: "edge", edge: edge as "\\b" | "\\B" };
    return { kind: "reference", name: (name ?? number)! };
  }

  #take(length: number): Node {
    const source = this.source.slice(this.#at, this.#at + length);
    this.#at += length;
    return { kind: "character", source };
  }

  #classLength(): number {
    let depth = 0;
    for (let at = this.#at; at < this.source.length; at++) {
      const character = this.source[at];
      if (character === "\\") at++;
      else if (character === "[" && (depth === 0 || this.sets)) depth++;
      else if (character === "]" && --depth === 0) return at + 1 - this.#at;
    }
    throw new Error(`Cannot count the steps of /${this.source}/: a class without an end`);
  }

  #group(): Node {
    const [start = "", plain, ahead, notAhead, behind, notBehind, name] = GROUP_START.exec(this.#rest) ?? [];
    this.#at += start.length;
    const looks = ahead ?? notAhead ?? behind ?? notBehind;
    const index = plain === undefined && looks === undefined ? ++this.groupCount : undefined;
    if (name !== undefined) this.names.set(name, [...this.names.get(name) ?? [], index!]);
    const body = this.#alternatives();
    if (this.source[this.#at++] !== ")") {
      throw new Error(`Cannot count the steps of /${this.source}/: a group without an end`);
    }
    if (looks === undefined) return { kind: "group", body, index };
    return { kind: "look", body, ahead: !looks.includes("<"), wanted: looks.includes("=") };
  }
}

class Compiler {
  registerCount = 0;

  constructor(readonly flags: string, readonly names: ReadonlyMap<string, readonly number[]>) {}

  program(node: Node, backward: boolean): Program {
    const instructions: Instruction[] = [];
    this.#emit(node, { into: instructions, backward });
    return { instructions, backward };
  }

  #emit(node: Node, to: { readonly into: Instruction[]; readonly backward: boolean }): void {
    const { into, backward } = to;
    switch (node.kind) {
      case "character":
        into.push({ op: "character", accepts: characterTest(node.source, this.flags) });
        return;
      case "edge":
        into.push({ op: "edge", edge: node.edge });
        return;
      case "sequence":
        for (const item of backward ? node.items.toReversed() : node.items) this.#emit(item, to);
        return;
      case "alternatives":
        return this.#emitAlternatives(node.all, to);
      case "group": {
        const [open, close] = node.index === undefined ? [] : [2 * node.index, 2 * node.index + 1];
        if (open !== undefined) into.push({ op: "save", slot: backward ? close! : open });
        this.#emit(node.body, to);
        if (open !== undefined) into.push({ op: "save", slot: backward ? open : close! });
        return;
      }
      case "look":
        into.push({ op: "look", program: this.program(node.body, !node.ahead), wanted: node.wanted });
        return;
      case "reference":
        into.push({ op: "reference", groups: this.names.get(node.name) ?? [Number(node.name)] });
        return;
      case "repeat":
        return this.#emitRepeat(node, to);
    }
  }

  #emitAlternatives(all: readonly Node[], to: { readonly into: Instruction[]; readonly backward: boolean }): void {
    const { into } = to;
    const jumps: number[] = [];
    for (const [index, alternative] of all.entries()) {
      if (index === all.length - 1) {
        this.#emit(alternative, to);
        break;
      }
      const split = into.push({ op: "jump", to: -1 }) - 1;
      this.#emit(alternative, to);
      jumps.push(into.push({ op: "jump", to: -1 }) - 1);
      into[split] = { op: "split", first: split + 1, second: into.length };
    }
    for (const jump of jumps) into[jump] = { op: "jump", to: into.length };
  }

  #emitRepeat(node: Node & { kind: "repeat" }, to: { readonly into: Instruction[]; readonly backward: boolean }): void {
    const { into } = to;
    const { body, min, max, lazy, groups: [from, last] } = node;
    const counted = min > 1 || max > 1 && max < Infinity;
    const register = this.registerCount++;
    const rounds = counted ? { register: this.registerCount++, min, max } : undefined;
    const round = () => {
      if (last > from) into.push({ op: "forget", from: 2 * from + 2, to: 2 * last + 2 });
      this.#emit(body, to);
    };
    if (rounds !== undefined) into.push({ op: "begin", rounds });
    else if (min === 1) round();
    if (max < 1 || min === 1 && max === 1) return;
    const start = into.push({ op: "jump", to: -1 }) - 1;
    if (rounds !== undefined) into.push({ op: "enter", rounds });
    into.push({ op: "mark", register });
    round();
    into.push({ op: "progress", register, rounds });
    if (max > 1) into.push({ op: "jump", to: start });
    const end = into.length;
    into[start] = rounds === undefined
      ? { op: "split", first: lazy ? end : start + 1, second: lazy ? start + 1 : end }
      : { op: "round", rounds, end, lazy };
  }
}

function characterTest(source: string, flags: string): (character: string) => boolean {
  if (!flags.includes("i") && !/^[\\[.]/.test(source)) return (character) => character === source;
  const single = new RegExp(`^(?:${source})$`, flags.replace(/[^isuv]/g, ""));
  const known = new Map<string, boolean>();
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const accepted = single.test(character);
    known.set(character, accepted);
    return accepted;
  };
}

/** Takes a regular expression apart. */
export function compileRegExp({ source, flags }: RegExp): CompiledRegExp {
  const parser = new Parser(source, /[uv]/.test(flags), flags.includes("v"));
  const node = parser.parse();
  const compiler = new Compiler(flags, parser.names);
  const program = compiler.program(node, false);
  return { ...program, groupCount: parser.groupCount, registerCount: compiler.registerCount };
}
