import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { didYouMean } from "../text/suggest.ts";
import type { KeyPath, Position } from "./source.ts";

/** A text with JSON in it, comments and trailing commas allowed, whose values know where they stand. */
export interface JsoncDocument {
  /** Plain data; its objects have no prototype, so that a key such as `__proto__` is nothing special. */
  readonly value: unknown;
  /** The first place where the text is not JSON; `value` is a guess then. */
  readonly syntaxError: JsoncProblem | undefined;
  /** Every key that is there a second time in its object. */
  readonly duplicateKeys: readonly JsoncProblem[];
  /** Where the key (or, for an array, the item) at a path stands; the nearest one above it where there is none. */
  locate(path: KeyPath): Position;
}

/** One thing that is wrong with the text. */
export interface JsoncProblem extends Position {
  readonly message: string;
}

/**
 * Reads JSON with comments and trailing commas.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const document = parseJsonc('{\n  // how often\n  "max_rounds": 3,\n}');
 * assertEquals(document.locate(["max_rounds"]), { line: 3, column: 3 });
 * assertEquals(parseJsonc("{ 'a': 1 }").syntaxError, {
 *   line: 1,
 *   column: 3,
 *   message: "strings and property names need double quotes",
 * });
 * ```
 */
export function parseJsonc(source: string): JsoncDocument {
  const text = source.startsWith("\ufeff") ? ` ${source.slice(1)}` : source;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const positionOf = positionFinder(text);
  const first = errors.toSorted((left, right) => left.offset - right.offset)[0];
  return {
    value: root === undefined ? undefined : toData(root),
    syntaxError: first === undefined ? undefined : { ...positionOf(first.offset), message: syntaxMessage(first, text) },
    duplicateKeys: duplicateKeys(root).map((node) => ({
      ...positionOf(node.offset),
      message: `the key "${node.value}" is there twice in the same object`,
    })),
    locate: (path) => positionOf(root === undefined ? 0 : offsetAt(root, path)),
  };
}

const NOT_CLOSED = {
  array: 'a "]" was expected here: an array is not closed',
  object: 'a "}" was expected here: an object is not closed',
};
const ESCAPES = 'this is not an escape of JSON, which are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX';

const SYNTAX_MESSAGES: Readonly<Record<string, string>> = {
  PropertyNameExpected: "a property name in double quotes was expected here",
  ValueExpected: "a value was expected here",
  ColonExpected: 'a ":" was expected here, between a property name and its value',
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
  if (code === "InvalidSymbol" && found.startsWith("'")) return "strings and property names need double quotes";
  if (code === "InvalidSymbol" || code === "InvalidNumberFormat") {
    return `${JSON.stringify(found)} is not a JSON value${didYouMean(found, ["true", "false", "null"])}`;
  }
  if (code === "CommaExpected" && found === "}") return NOT_CLOSED.array;
  if (code === "CommaExpected" && found === "]") return NOT_CLOSED.object;
  return SYNTAX_MESSAGES[code] ?? "this is not JSON";
}

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

function duplicateKeys(node: Node | undefined): Node[] {
  if (node === undefined) return [];
  const seen = new Set<string>();
  const found: Node[] = [];
  for (const { key, value } of properties(node)) {
    if (seen.has(key.value)) found.push(key);
    seen.add(key.value);
    found.push(...duplicateKeys(value));
  }
  if (node.type === "array") found.push(...(node.children ?? []).flatMap(duplicateKeys));
  return found;
}

function offsetAt(root: Node, path: KeyPath): number {
  let node = root;
  let offset = root.offset;
  for (const part of path) {
    const property = typeof part === "number" ? undefined : properties(node).findLast(({ key }) => key.value === part);
    const next = typeof part === "number" ? node.type === "array" ? node.children?.[part] : undefined : property?.value;
    if (next === undefined) break;
    offset = property?.key.offset ?? next.offset;
    node = next;
  }
  return offset;
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
    const line = lineStarts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - lineStarts[line]! + 1 };
  };
}
