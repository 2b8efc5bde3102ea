import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { didYouMean } from "../base/text/suggest.ts";
import type { KeyPath, Position } from "./source.ts";

interface JsoncDocument {
  /** Plain data; its objects have no prototype, so that a key such as `__proto__` is nothing special. */
  readonly value: unknown;
  readonly opensObject: boolean;
  /** The first place where the text is not JSON; `value` is a guess then. */
  readonly syntaxError: JsoncProblem | undefined;
  /** Keys that are there a second time in their object: the first hundred. */
  readonly duplicateKeys: readonly JsoncProblem[];
  /** Where the key (or, for an array, the item) at a path stands; the nearest one above it where there is none. */
  locate(path: KeyPath): Position;
}

export interface JsoncProblem extends Position {
  readonly message: string;
}

export function parseJsonc(source: string): JsoncDocument {
  const text = source.startsWith("\ufeff") ? ` ${source.slice(1)}` : source;
  const positionOf = positionFinder(text);
  const { tooDeep, opensObject } = scan(text);
  if (tooDeep !== undefined) {
    const position = positionOf(tooDeep);
    const syntaxError = { ...position, message: `nothing may be nested more than ${MAX_DEPTH} levels deep` };
    return { value: undefined, opensObject, syntaxError, duplicateKeys: [], locate: () => position };
  }
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors.toSorted((left, right) => left.offset - right.offset);
  const find = nodeFinder();
  return {
    value: root === undefined ? undefined : toData(root),
    opensObject,
    syntaxError: first === undefined ? undefined : { ...positionOf(first.offset), message: syntaxMessage(first, text) },
    duplicateKeys: root === undefined ? [] : duplicateKeys(root).take(MAX_DUPLICATES).toArray().map((node) => ({
      ...positionOf(node.offset),
      message: `the key ${JSON.stringify(node.value)} is there twice in the same object`,
    })),
    locate: (path) => positionOf(root === undefined ? 0 : offsetAt(root, path, find)),
  };
}

/** What a configuration has is at most about ten levels deep; the parser calls itself for each. */
const MAX_DEPTH = 64;
const MAX_DUPLICATES = 100;

interface Scanned {
  readonly opensObject: boolean;
  readonly tooDeep?: number;
}

function scan(text: string): Scanned {
  const scanner = createScanner(text, true);
  scanner.scan();
  const opensObject = text.charAt(scanner.getTokenOffset()) === "{";
  // A closing mark ends only what it can end: the parser stays inside of the rest.
  const open: string[] = [];
  for (; scanner.getTokenLength() > 0; scanner.scan()) {
    const mark = text.charAt(scanner.getTokenOffset());
    if (mark === "{" || mark === "[") open.push(mark === "{" ? "}" : "]");
    else if (mark === open.at(-1)) open.pop();
    if (open.length > MAX_DEPTH) return { opensObject, tooDeep: scanner.getTokenOffset() };
  }
  return { opensObject };
}

const NOT_CLOSED = {
  array: 'a "]" was expected here: an array is not closed',
  object: 'a "}" was expected here: an object is not closed',
};
const ESCAPES = 'this is not an escape of JSON, which are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX';

const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  PropertyNameExpected: "a key in double quotes was expected here",
  ValueExpected: "a value was expected here",
  ColonExpected: 'a ":" was expected here, between a key and its value',
  CommaExpected: 'a "," was expected here, between two entries',
  CloseBraceExpected: NOT_CLOSED.object,
  CloseBracketExpected: NOT_CLOSED.array,
  EndOfFileExpected: "nothing more was expected here: the value before is complete",
  UnexpectedEndOfComment: 'this comment does not end: "*/" was expected',
  UnexpectedEndOfString: 'this string does not end: a closing " was expected on the same line',
  InvalidCharacter: "a control character in a string must be written as an escape, such as \\n or \\t",
  InvalidEscapeCharacter: ESCAPES,
  InvalidUnicode: ESCAPES,
};

function syntaxMessage(error: ParseError, text: string): string {
  const found = text.slice(error.offset, error.offset + error.length);
  const code = printParseErrorCode(error.error);
  if (code === "InvalidSymbol" && found.startsWith("'")) return "strings and keys need double quotes";
  if (code === "InvalidSymbol" && found.startsWith("=")) return SYNTAX_MESSAGES["ColonExpected"] ?? "";
  if (code === "InvalidSymbol" || code === "InvalidNumberFormat") {
    const isKey = /^\s*[:=]/.test(text.slice(error.offset + error.length, error.offset + error.length + 100));
    if (isKey && WORD.test(found)) return `quote the key: "${found}"`;
    const meant = didYouMean(found, ["true", "false", "null"]);
    const isValue = /[:,[]\s*$/.test(text.slice(Math.max(0, error.offset - 100), error.offset));
    const isWord = WORD.test(found) && !["NaN", "Infinity", "undefined"].includes(found);
    const remedy = meant === "" && isValue && isWord ? ": a string needs double quotes" : meant;
    return `${JSON.stringify(found)} is not a JSON value${remedy}`;
  }
  if (code === "CommaExpected" && found === "}") return NOT_CLOSED.array;
  if (code === "CommaExpected" && found === "]") return NOT_CLOSED.object;
  return SYNTAX_MESSAGES[code] ?? "this is not JSON";
}

const WORD = /^[A-Za-z_$][\w$.-]*$/;

function toData(node: Node): unknown {
  switch (node.type) {
    case "object": {
      const data: Record<string, unknown> = Object.create(null);
      for (const { key, value } of properties(node)) data[String(key.value)] = toData(value);
      return data;
    }
    case "array":
      return (node.children ?? []).map(toData);
    default:
      return node.value;
  }
}

function* duplicateKeys(node: Node): Generator<Node> {
  const seen = new Set<string>();
  for (const { key, value } of properties(node)) {
    if (seen.has(key.value)) yield key;
    seen.add(key.value);
    yield* duplicateKeys(value);
  }
  if (node.type === "array") { for (const item of node.children ?? []) yield* duplicateKeys(item); }
}

interface Child {
  readonly offset: number;
  readonly value: Node;
}

type FindChild = (node: Node, part: string | number) => Child | undefined;

/** Looks up children of nodes; the properties of an object are listed once. */
function nodeFinder(): FindChild {
  const known = new Map<Node, ReadonlyMap<string, Child>>();
  return (node, part) => {
    if (typeof part === "number") {
      const value = node.type === "array" ? node.children?.[part] : undefined;
      return value && { offset: value.offset, value };
    }
    const listed = known.get(node) ??
      new Map(properties(node).map(({ key, value }) => [String(key.value), { offset: key.offset, value }]));
    known.set(node, listed);
    return listed.get(part);
  };
}

function offsetAt(root: Node, path: KeyPath, find: FindChild): number {
  let at: Child = { offset: root.offset, value: root };
  for (const part of path) {
    const next = find(at.value, part);
    if (next === undefined) break;
    at = next;
  }
  return at.offset;
}

function properties(node: Node): { readonly key: Node; readonly value: Node }[] {
  if (node.type !== "object") return [];
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [{ key, value }];
  });
}

function positionFinder(text: string): (offset: number) => Position {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    let line = 0;
    for (let above = lineStarts.length; above - line > 1;) {
      const middle = (line + above) >> 1;
      if (lineStarts[middle]! <= offset) line = middle;
      else above = middle;
    }
    return { line: line + 1, column: offset - lineStarts[line]! + 1 };
  };
}
