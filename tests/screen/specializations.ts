import { parsePattern, type PatternNode } from "../support/pattern_tree.ts";

/** Sources of a pattern with one part less: an alternative, a character of a class, or an optional part. */
export function* smallerPatterns(source: string): Generator<string> {
  for (const node of nodesOf(parsePattern(source))) {
    if (node.kind === "alternatives") {
      for (const left of node.alternatives) {
        const others = node.alternatives.filter((each) => each !== left);
        yield replace(source, node, others.map(({ start, end }) => source.slice(start, end)).join("|"));
      }
    }
    if (node.kind === "repeat" && node.min === 0 && node.max === 1) {
      yield replace(source, node, "");
      yield replace(source, node, source.slice(node.body.start, node.body.end));
    }
    if (node.kind === "characters" && source[node.start] === "[" && source[node.start + 1] !== "^") {
      const members = [...source.slice(node.start + 1, node.end - 1).matchAll(/\\.|[^\\]-[^\\]|[^\\]/gu)];
      if (members.length < 2) continue;
      for (const { index, 0: text } of members) {
        const at = node.start + 1 + index;
        yield source.slice(0, at) + source.slice(at + text.length);
      }
    }
  }
}

function replace(source: string, { start, end }: PatternNode, by: string): string {
  return source.slice(0, start) + by + source.slice(end);
}

function* nodesOf(node: PatternNode): Generator<PatternNode> {
  yield node;
  if (node.kind === "sequence") { for (const item of node.items) yield* nodesOf(item); }
  if (node.kind === "alternatives") { for (const each of node.alternatives) yield* nodesOf(each); }
  if (node.kind === "repeat" || node.kind === "group" || node.kind === "look") yield* nodesOf(node.body);
}

function isValid(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** Every copy of plain data in which one pattern has a part less, or one list of colours an entry. */
export function* specializations<T>(data: T): Generator<T> {
  if (data instanceof RegExp) {
    for (const source of smallerPatterns(data.source)) {
      if (isValid(source, data.flags)) yield new RegExp(source, data.flags) as T;
    }
    return;
  }
  if (typeof data !== "object" || data === null) return;
  for (const [key, value] of Object.entries(data)) {
    if (key === "kinds" && Array.isArray(value) && typeof value[0] === "string") continue;
    if ((key === "foreground" || key === "background") && Array.isArray(value) && value.length > 1) {
      for (const left of value) yield { ...data, [key]: value.filter((each) => each !== left) };
      continue;
    }
    for (const changed of specializations(value)) yield withValue(data, { key, value: changed });
  }
}

function withValue<T extends object>(data: T, { key, value }: { readonly key: string; readonly value: unknown }): T {
  if (!Array.isArray(data)) return { ...data, [key]: value };
  return data.with(Number(key), value) as unknown as T;
}
