import { assertEquals } from "@std/assert";
import { parseJsonc } from "../../lib/config/jsonc.ts";

Deno.test("comments and trailing commas are allowed, and a byte order mark is passed over", () => {
  const { value, syntaxError, duplicateKeys } = parseJsonc('\ufeff{ // a\n  "a": [1, 2,], /* b */ "c": null,\n}\n');
  assertEquals(JSON.stringify(value), '{"a":[1,2],"c":null}');
  assertEquals({ syntaxError, duplicateKeys }, { syntaxError: undefined, duplicateKeys: [] });
});

for (
  const [text, line, column, message] of [
    ["", 1, 1, "a value was expected here"],
    ['{ "a": 1', 1, 9, 'a "}" was expected here: an object is not closed'],
    ['{ "a": [1, 2 }', 1, 14, 'a "]" was expected here: an array is not closed'],
    ['{\n  "a" 1\n}', 2, 7, 'a ":" was expected here, between a key and its value'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'a "," was expected here, between two entries'],
    ["{ a: 1 }", 1, 3, 'quote the key: "a"'],
    ["{ max-rounds : 1 }", 1, 3, 'quote the key: "max-rounds"'],
    ['{ "a" = 1 }', 1, 7, 'a ":" was expected here, between a key and its value'],
    ['{ "a": codex }', 1, 8, '"codex" is not a JSON value: a string needs double quotes'],
    ["{ \"a\": 'b' }", 1, 8, "strings and keys need double quotes"],
    ['{ "a": True }', 1, 8, '"True" is not a JSON value (did you mean "true"?)'],
    ['{ "a": }', 1, 8, "a value was expected here"],
    ['{ "a": 1,, "b": 2 }', 1, 10, "a key in double quotes was expected here"],
    ['{ "a": 1 } x', 1, 12, '"x" is not a JSON value'],
    ["{} {}", 1, 4, "nothing more was expected here: the value before is complete"],
    ['{ "a": "b\n}', 1, 8, 'this string does not end: a closing " was expected on the same line'],
    ['{ "a": "\\x" }', 1, 8, 'this is not an escape of JSON, which are \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX'],
    ['{ "a": 1 /* }', 1, 10, 'this comment does not end: "*/" was expected'],
    ['{ "a": "\t" }', 1, 8, "a control character in a string must be written as an escape, such as \\n or \\t"],
  ] as const
) {
  Deno.test(`what is wrong with ${JSON.stringify(text)} is said with its place`, () => {
    assertEquals(parseJsonc(text).syntaxError, { line, column, message });
  });
}

Deno.test("what is nested too deep is an error of syntax with its place, however much there is of it", () => {
  const message = "nothing may be nested more than 64 levels deep";
  const deepest = `${"[".repeat(64)}${"]".repeat(64)}`;
  assertEquals(parseJsonc(deepest).syntaxError, undefined);
  assertEquals(parseJsonc(`\n${"[".repeat(65)}`).syntaxError, { line: 2, column: 65, message });
  assertEquals(parseJsonc('{"a":'.repeat(200_000)).syntaxError, { line: 1, column: 64 * 5 + 1, message });
  assertEquals(parseJsonc("[},".repeat(200_000)).syntaxError, { line: 1, column: 64 * 3 + 1, message });
  assertEquals(parseJsonc(`${"[]".repeat(100)}`).syntaxError?.column, 3);
  assertEquals(parseJsonc(`{ "a": "${"[".repeat(100)}" /* ${"{".repeat(100)} */ }`).syntaxError, undefined);
});

Deno.test("of keys that are there twice, the first hundred are found", () => {
  assertEquals(parseJsonc(`{${'"a":1,'.repeat(10_000)}}`).duplicateKeys.length, 100);
});

Deno.test("a key that is there twice is found at every depth", () => {
  const text = '{ "a": { "b": 1,\n "b": 2 },\n "c": [ { "d": 1, "d": 2 } ],\n "a": 3 }';
  assertEquals(
    parseJsonc(text).duplicateKeys,
    [
      { line: 2, column: 2, message: 'the key "b" is there twice in the same object' },
      { line: 3, column: 19, message: 'the key "d" is there twice in the same object' },
      { line: 4, column: 2, message: 'the key "a" is there twice in the same object' },
    ].toSorted((left, right) => left.line - right.line),
  );
});

Deno.test("every value knows where it stands; one that is missing, where its parent does", () => {
  const { locate } = parseJsonc('{\n  "roles": {\n    "tester": { "args": ["a", "b"] }\n  }\n}');
  assertEquals(locate([]), { line: 1, column: 1 });
  assertEquals(locate(["roles", "tester"]), { line: 3, column: 5 });
  assertEquals(locate(["roles", "tester", "args", 1]), { line: 3, column: 31 });
  assertEquals(locate(["roles", "analyst", "args"]), { line: 2, column: 3 });
});

Deno.test("a key named __proto__ is a key like any other", () => {
  const { value } = parseJsonc('{ "__proto__": { "polluted": true } }');
  assertEquals(Object.keys(value as object), ["__proto__"]);
  assertEquals(({} as Record<string, unknown>)["polluted"], undefined);
});

Deno.test("a key that is there twice is told as JSON has it", () => {
  const [duplicate] = parseJsonc('{ "a\\nb": 1, "a\\nb": 2 }').duplicateKeys;
  assertEquals(duplicate?.message, 'the key "a\\nb" is there twice in the same object');
});
