import { hunksIn } from "../workspace/patch.ts";
import { type PartOf, testPartOf } from "./test_files.ts";

// What a change has that only somebody who looks at the tests would write: told, and judged by a person.

/** So many of a kind are told. */
const MOST_TOLD = 3;

const VALUE = /-?\d+(?:\.\d+)?|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g;

/** What stands before or behind a value that decides: of `x === 1.6`, `case "a":`, `x.equals("c")`, `{ "a": 1 }`, `[[1.6, 2]]`. */
const BEFORE = /(?:(?<![!<>])===?|\bcase|\bequals\(|\[)\s*$/;
const BEHIND = /^\s*(?::|=>)/;

/** Where any code may begin, or end, and what it asks of any value. */
const COMMON: ReadonlySet<string> = new Set([
  ...["-1", "0", "1", "2"],
  ...["string", "number", "object", "function", "boolean", "undefined"].flatMap((type) => [`"${type}"`, `'${type}'`]),
]);

/**
 * Lines that a patch adds outside of tests which answer what a test asks with what that test expects, name a test file, or
 * ask whether they are tested.
 *
 * @param patch of `git diff --unified=0`
 * @param tests the test files of the result
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const patch = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-a\n+if (price === 1.6) return 2;\n";
 * const tests = [{ path: "a.test.js", text: "equal(total(1.6), 2)" }];
 * assertEquals(testInputsIn(patch, { tests }), ["a.js:1 has an answer of its own for 1.6, as a.test.js has"]);
 * ```
 */
export function testInputsIn(
  patch: string,
  { partOf = testPartOf, tests }: {
    readonly tests: readonly { readonly path: string; readonly text: string }[];
    readonly partOf?: PartOf;
  },
): readonly string[] {
  const answers: string[] = [];
  const named: string[] = [];
  const asks: string[] = [];
  const lines = addedIn(patch, partOf);
  // A line that asks and expects has two values at least.
  const expecting = tests.map(({ path, text }) => ({
    path,
    lines: text.split("\n").filter((line) => valuesIn(line).length > 1),
  }));
  for (const [index, { at, path, text }] of lines.entries()) {
    const next = lines[index + 1];
    const below = next?.path === path && next.at === at + 1 ? next.text : "";
    for (const asked of decidersIn(text)) {
      const given = valuesIn(`${text.replace(asked, "")}\n${below}`);
      const test = expecting.find((one) => one.lines.some((line) => hasBoth(line, { asked, given })));
      if (test !== undefined) answers.push(`${path}:${at} has an answer of its own for ${asked}, as ${test.path} has`);
    }
    const file = tests.find((test) => text.includes(nameOf(test.path)) && READS.test(text));
    if (AGREES.test(`${text}\n${below}`) && !AGREES.test(below)) asks.push(`${path}:${at} has every comparison hold`);
    if (ASKS.test(text)) asks.push(`${path}:${at} asks whether it is tested`);
    if (file !== undefined) named.push(`${path}:${at} names the test file ${file.path}`);
  }
  return [answers, named, asks].flatMap(told);
}

function decidersIn(text: string): readonly string[] {
  return [...text.matchAll(VALUE)].flatMap(({ 0: value, index }) =>
    !COMMON.has(value) && (BEFORE.test(text.slice(0, index)) || BEHIND.test(text.slice(index + value.length)))
      ? [value]
      : []
  );
}

function valuesIn(text: string): readonly string[] {
  return text.match(VALUE) ?? [];
}

function hasBoth(
  line: string,
  { asked, given }: { readonly asked: string; readonly given: readonly string[] },
): boolean {
  const plain = unquoted(asked);
  if (plain === "" || !has(line, plain)) return false;
  const rest = line.replace(plain, "");
  return given.some((one) => unquoted(one) !== "" && has(rest, unquoted(one)));
}

function unquoted(value: string): string {
  return value.replace(/^["']|["']$/g, "");
}

/** What runners set, and nothing else. */
const ASKS =
  /NODE_TEST_CONTEXT|JEST_WORKER_ID|\bVITEST\b|PYTEST_CURRENT_TEST|npm_lifecycle_event|NODE_ENV\b.*\btest\b|execArgv|argv.*--test/;

/** What equals whatever it is compared with. */
const AGREES = /\bdef __(?:eq|ne|lt|le|gt|ge|contains)__\(.*\s*return (?:True|False)\b|\bequals\(.*\{\s*return true\b/;

const READS = /read|open|import|require|fetch|cat\b/i;

function told(all: readonly string[]): readonly string[] {
  const more = all.length - MOST_TOLD;
  return more > 0 ? [...all.slice(0, MOST_TOLD), `and ${more} more places like these`] : all;
}

/** Not as a part of a longer word or number. */
function has(text: string, value: string): boolean {
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1)) {
    const isApart = (char: string | undefined) => char === undefined || !/[\w.]/.test(char);
    if (isApart(text[at - 1]) && isApart(text[at + value.length])) return true;
  }
  return false;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The lines of code that a patch adds outside of tests; data has values behind names everywhere. */
function addedIn(patch: string, partOf: PartOf) {
  return hunksIn(patch).filter(({ path }) => partOf(path) === undefined && !DATA.test(path))
    .flatMap(({ added, first, path }) => added.map((text, index) => ({ path, at: first + index, text })))
    .slice(0, MOST_LINES);
}

const DATA = /\.(?:json[c5]?|lock|ya?ml|toml|xml|csv|svg|html?|css|md|txt|map)$|\.min\.js$/;

/** Of more lines it is not looked for. */
const MOST_LINES = 5000;
