import { type CompiledRegExp, compileRegExp, type Program } from "./regexp_program.ts";

/** A search that took more steps than it may. */
export class TooManySteps extends Error {}

const compiled = new Map<string, CompiledRegExp>();

/**
 * Counts the steps of a backtracking search for a regular expression, as the engine takes them, from `from` on.
 *
 * @param found what the real engine found there
 * @throws {Error} when the search comes to another result than the engine
 * @throws {TooManySteps}
 */
export function countMatchSteps(
  pattern: RegExp,
  search: {
    readonly text: string;
    readonly from: number;
    readonly found: RegExpExecArray | null;
    readonly limit: number;
  },
): number {
  const { text, from, found, limit } = search;
  const key = `/${pattern.source}/${pattern.flags}`;
  let program = compiled.get(key);
  if (program === undefined) compiled.set(key, program = compileRegExp(pattern));
  const matcher = new Matcher(program, {
    text,
    limit,
    multiline: pattern.multiline,
    ignoreCase: pattern.ignoreCase,
    unicode: /[uv]/.test(pattern.flags),
  });
  const last = pattern.sticky ? Math.min(from, text.length) : text.length;
  let end: number | undefined;
  // The engine begins with the whole of a pair.
  let start = matcher.isWithinPair(from) ? from - 1 : from;
  for (; start <= last && end === undefined; start++) end = matcher.matchAt(start);
  const result = end === undefined ? undefined : [start - 1, end];
  const wanted = found === null ? undefined : [found.index, found.index + found[0].length];
  if (String(result) !== String(wanted)) {
    throw new Error(
      `Cannot count the steps of ${key}: found ${result}, the engine ${wanted}, in ${
        JSON.stringify(text.slice(0, 200))
      }`,
    );
  }
  return matcher.steps;
}

interface Subject {
  readonly text: string;
  readonly multiline: boolean;
  readonly ignoreCase: boolean;
  readonly unicode: boolean;
  readonly limit: number;
}

/** Where a search that failed resumes. */
interface Choice {
  readonly pc: number;
  readonly at: number;
  /** How many changes had been noted. */
  readonly changes: number;
}

class Matcher {
  steps = 0;
  /** Where groups begin and end, and after them where the rounds of repetitions began; -1 for nowhere. */
  readonly #places: Int32Array;
  /** What to undo: a place and what it was, one after the other. */
  readonly #changes: number[] = [];

  constructor(readonly whole: CompiledRegExp, readonly subject: Subject) {
    this.#places = new Int32Array(2 * whole.groupCount + 2 + whole.registerCount);
  }

  isWithinPair(at: number): boolean {
    const { text, unicode } = this.subject;
    return unicode && at > 0 && /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
  }

  matchAt(start: number): number | undefined {
    this.#places.fill(-1);
    this.#changes.length = 0;
    return this.#run(this.whole, start);
  }

  #set(place: number, value: number): void {
    this.#changes.push(place, this.#places[place]!);
    this.#places[place] = value;
  }

  #undo(changes: number): void {
    while (this.#changes.length > changes) {
      const value = this.#changes.pop()!;
      this.#places[this.#changes.pop()!] = value;
    }
  }

  /** Where a match ends that begins at `start`. */
  #run({ instructions, backward }: Program, start: number): number | undefined {
    const choices: Choice[] = [];
    const registers = 2 * this.whole.groupCount + 2;
    let pc = 0;
    let at = start;
    for (;;) {
      if (++this.steps > this.subject.limit) throw new TooManySteps();
      const instruction = instructions[pc++];
      if (instruction === undefined) return at;
      let holds = true;
      switch (instruction.op) {
        case "character": {
          const character = this.#characterAt(at, backward);
          holds = character !== undefined && instruction.accepts(character);
          if (holds) at += backward ? -character!.length : character!.length;
          break;
        }
        case "split":
          choices.push({ pc: instruction.second, at, changes: this.#changes.length });
          pc = instruction.first;
          break;
        case "jump":
          pc = instruction.to;
          break;
        case "save":
          this.#set(instruction.slot, at);
          break;
        case "forget":
          for (let slot = instruction.from; slot < instruction.to; slot++) this.#set(slot, -1);
          break;
        case "mark":
          this.#set(registers + instruction.register, at);
          break;
        case "progress": {
          const isDue = instruction.rounds !== undefined &&
            this.#places[registers + instruction.rounds.register]! <= instruction.rounds.min;
          holds = isDue || this.#places[registers + instruction.register] !== at;
          break;
        }
        case "begin":
          this.#set(registers + instruction.rounds.register, 0);
          break;
        case "enter":
          this.#set(
            registers + instruction.rounds.register,
            this.#places[registers + instruction.rounds.register]! + 1,
          );
          break;
        case "round": {
          const { rounds: { register, min, max }, end, lazy } = instruction;
          const done = this.#places[registers + register]!;
          const mayGoOn = done < max;
          if (mayGoOn && done >= min) choices.push({ pc: lazy ? pc : end, at, changes: this.#changes.length });
          if (!mayGoOn || lazy && done >= min) pc = end;
          break;
        }
        case "edge":
          holds = this.#isEdge(at, instruction.edge);
          break;
        case "look": {
          const changes = this.#changes.length;
          const found = this.#run(instruction.program, at) !== undefined;
          if (!found || !instruction.wanted) this.#undo(changes);
          holds = found === instruction.wanted;
          break;
        }
        case "reference": {
          const length = this.#repeatedLength(instruction.groups, at, backward);
          holds = length !== undefined;
          if (length !== undefined) at += backward ? -length : length;
          break;
        }
      }
      if (holds) continue;
      const next = choices.pop();
      if (next === undefined) return undefined;
      ({ pc, at } = next);
      this.#undo(next.changes);
    }
  }

  #repeatedLength(groups: readonly number[], at: number, backward: boolean): number | undefined {
    const group = groups.find((one) => this.#places[2 * one + 1]! >= 0);
    if (group === undefined) return 0;
    const { text, ignoreCase } = this.subject;
    const repeated = text.slice(this.#places[2 * group], this.#places[2 * group + 1]);
    this.steps += repeated.length;
    const from = backward ? at - repeated.length : at;
    const there = text.slice(Math.max(0, from), from + repeated.length);
    const isSame = ignoreCase ? there.toLowerCase() === repeated.toLowerCase() : there === repeated;
    return isSame ? repeated.length : undefined;
  }

  #characterAt(at: number, backward: boolean): string | undefined {
    const { text, unicode } = this.subject;
    if (backward) {
      if (at <= 0) return undefined;
      return text.slice(at - (this.isWithinPair(at - 1) ? 2 : 1), at);
    }
    if (at >= text.length) return undefined;
    return unicode ? String.fromCodePoint(text.codePointAt(at)!) : text[at]!;
  }

  #isEdge(at: number, edge: "^" | "$" | "\\b" | "\\B"): boolean {
    const { text, multiline } = this.subject;
    if (edge === "^") return at === 0 || multiline && isLineEnd(text[at - 1]!);
    if (edge === "$") return at === text.length || multiline && isLineEnd(text[at]!);
    const isBetween = isWord(text[at - 1]) !== isWord(text[at]);
    return isBetween === (edge === "\\b");
  }
}

function isLineEnd(character: string): boolean {
  return character === "\n" || character === "\r" || character === "\u2028" || character === "\u2029";
}

const WORD = new Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

function isWord(character: string | undefined): boolean {
  return character !== undefined && WORD.has(character);
}
