import { type CharacterSet, parsePattern, type PatternNode } from "./pattern_tree.ts";

/**
 * How many steps a backtracking matcher takes until it has found a match, or knows that there is none: each character that
 * it compares, and each edge that it looks at, is one. It tries what a matcher without any cleverness tries.
 *
 * @param limit it gives up after so many
 */
export function countSteps(source: string, text: string, limit = Infinity): number {
  const characters = [...text].map((character) => character.codePointAt(0) ?? 0);
  let steps = 0;
  const step = () => {
    if (++steps > limit) throw new TooManySteps();
  };
  const isIn = (set: CharacterSet, at: number) =>
    at < characters.length && set.some(([first, last]) => first <= characters[at]! && characters[at]! <= last);

  const match = (node: PatternNode, at: number, then: (end: number) => boolean): boolean => {
    switch (node.kind) {
      case "characters":
        step();
        return isIn(node.set, at) && then(at + 1);
      case "edge":
        step();
        return (node.edge === "word" || at === (node.edge === "start" ? 0 : characters.length)) && then(at);
      case "group":
        return match(node.body, at, then);
      case "sequence":
        return sequence(node.items, at, then);
      case "alternatives":
        return node.alternatives.some((each) => match(each, at, then));
      case "look":
        return match(node.body, at, () => true) !== node.negative && then(at);
      case "repeat":
        return repeat(node, { at, round: 0 }, then);
      case "reference":
        throw new TypeError("references to groups are not counted");
    }
  };
  const sequence = (items: readonly PatternNode[], at: number, then: (end: number) => boolean): boolean => {
    const [first, ...rest] = items;
    return first === undefined ? then(at) : match(first, at, (end) => sequence(rest, end, then));
  };
  const repeat = (
    node: PatternNode & { readonly kind: "repeat" },
    { at, round }: { readonly at: number; readonly round: number },
    then: (end: number) => boolean,
  ): boolean => {
    const more = round < node.max &&
      match(node.body, at, (end) => end > at && repeat(node, { at: end, round: round + 1 }, then));
    return more || round >= node.min && then(at);
  };

  const tree = parsePattern(source);
  try {
    for (let start = 0; start <= characters.length; start++) {
      if (match(tree, start, () => true)) break;
    }
  } catch (error) {
    if (!(error instanceof TooManySteps)) throw error;
  }
  return steps;
}

class TooManySteps extends Error {}
