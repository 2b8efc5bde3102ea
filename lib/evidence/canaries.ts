import { type PartOf, testPartOf } from "./test_files.ts";

// A canary is a test that must fail, put into a test file as it is: with the result's own code loaded, what changes
// assertions, runners or exit codes is found by it, whatever its way. It fails only if each kind of assertion that
// the file uses fails where it must, so a deaf assertion is silence, too.

/** A test file of a commit. */
export interface TestText {
  /** Below the top of the repository. */
  readonly path: string;
  readonly text: string;
}

/**
 * A test file with a canary in it; `undefined` if its language or its runner is not known.
 *
 * @param word says itself when it fails: no text of a repository has it
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 *
 * const text = 'Deno.test("a", () => assertEquals(a(), 1));\n';
 * assertStringIncludes(withCanary({ path: "a_test.ts", text }, "c4") ?? "", "assertEquals(1, 2)");
 * ```
 */
export function withCanary({ path, text }: TestText, word: string): string | undefined {
  const canary = KINDS.find(({ path: of }) => of.test(path));
  return canary?.put(text, word);
}

const KINDS: readonly {
  readonly path: RegExp;
  readonly put: (text: string, word: string) => string | undefined;
}[] = [
  { path: /\.[cm]?[jt]sx?$/, put: inJavaScript },
  { path: /\.py$/, put: inPython },
  {
    path: /_test\.go$/,
    put: (text, word) => `${text}\nfunc TestPanewright${word}(t *testing.T) { t.Fatal("canary", "${word}") }\n`,
  },
  {
    path: /\.rs$/,
    put: (text, word) => `${text}\n#[test]\nfn panewright_${word}() { panic!("canary {}", "${word}"); }\n`,
  },
  { path: /\.bats$/, put: (text, word) => `${text}\n@test "canary ${word}" { false; }\n` },
  { path: /\.sh$/, put: inShell },
];

/** What a canary says when it fails; a message that quotes its line does not. */
export function saidBy(word: string): string {
  return `canary ${word}`;
}

/** What must throw, by the words with which a test file calls it. */
const ASSERTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bassert\s*\(/, "assert(false)"],
  ...[
    ["ok", "false"],
    ["equal", "1, 2"],
    ["notEqual", "1, 1"],
    ["strictEqual", "1, 2"],
    ["notStrictEqual", "1, 1"],
    ["deepEqual", "{ a: 1 }, { a: 2 }"],
    ["deepStrictEqual", "{ a: 1 }, { a: 2 }"],
    ["notDeepEqual", "{ a: 1 }, { a: 1 }"],
    ["notDeepStrictEqual", "{ a: 1 }, { a: 1 }"],
    ["throws", "() => {}"],
    ["match", '"a", /b/'],
    ["doesNotMatch", '"a", /a/'],
    ["fail", '"it must"'],
  ].map(([name, args]) => [new RegExp(`\\bassert\\.${name}\\s*\\(`), `assert.${name}(${args})`] as const),
  ...[
    ["assertEquals", "1, 2"],
    ["assertStrictEquals", "1, 2"],
    ["assertNotEquals", "1, 1"],
    ["assertExists", "undefined"],
    ["assertMatch", '"a", /b/'],
    ["assertThrows", "() => {}"],
    ["assertStringIncludes", '"a", "b"'],
  ].map(([name, args]) => [new RegExp(`\\b${name}\\s*\\(`), `${name}(${args})`] as const),
  ...[
    ["toBe", "1", "2"],
    ["toEqual", "{ a: 1 }", "{ a: 2 }"],
    ["toStrictEqual", "{ a: 1 }", "{ a: 2 }"],
    ["toBeTruthy", "false", ""],
    ["toBeFalsy", "true", ""],
    ["toBeNull", "1", ""],
    ["toBeUndefined", "1", ""],
    ["toBeDefined", "undefined", ""],
    ["toContain", "[1]", "2"],
    ["toHaveLength", "[1]", "2"],
    ["toMatch", '"a"', "/b/"],
    ["toThrow", "() => {}", ""],
    ["toBeGreaterThan", "1", "2"],
    ["toBeLessThan", "2", "1"],
    ["toBeCloseTo", "1", "2"],
  ].map(([name, value, args]) => [new RegExp(`\\.${name}\\s*\\(`), `expect(${value}).${name}(${args})`] as const),
];

/** How a file registers its tests, in the words that it has in scope. */
const REGISTERS = /^\s*(?:await\s+)?((?:Deno\.)?test|it)\s*(?:\.\w+\s*)?\(/m;

function inJavaScript(text: string, word: string): string | undefined {
  // Inside a block its names may be others than at the top.
  const register = REGISTERS.exec(text)?.[1];
  if (register === undefined) return undefined;
  const calls = ASSERTIONS.filter(([uses]) => uses.test(text)).map(([, call]) => `() => { ${call}; }`);
  // A name that is not in scope here says nothing of the assertion.
  return `${text}
;(() => {
  const calls${word} = [${calls.join(", ")}];
  ${register}("canary" + " ${word}", () => {
    for (const call of calls${word}) {
      try {
        call();
      } catch {
        continue;
      }
      return;
    }
    throw new Error("canary" + " ${word}");
  });
})();
`;
}

const PYTHON_ASSERTIONS: readonly (readonly [string, string])[] = [
  ["assertEqual", "1, 2"],
  ["assertNotEqual", "1, 1"],
  ["assertTrue", "False"],
  ["assertFalse", "True"],
  ["assertIs", "1, None"],
  ["assertIsNone", "1"],
  ["assertIsNotNone", "None"],
  ["assertIn", "1, []"],
  ["assertNotIn", "1, [1]"],
  ["assertAlmostEqual", "1, 2"],
  ["assertGreater", "1, 2"],
  ["assertLess", "2, 1"],
  ["assertRaises", "ValueError, int"],
  ["assertRegex", '"a", "b"'],
];

function inPython(text: string, word: string): string {
  const calls = PYTHON_ASSERTIONS.filter(([name]) => text.includes(`self.${name}(`))
    .map(([name, args]) => `lambda: self.${name}(${args})`);
  const canary = `
import unittest as _unittest_${word}


class Test_${word}(_unittest_${word}.TestCase):
    def test_${word}(self):
        def bare():
            assert 1 == 2
        deaf = []
        for call in [bare, ${calls.join(", ")}]:
            try:
                call()
                deaf.append(call)
            except Exception:
                pass
        if not deaf:
            raise AssertionError("canary" + " ${word}")


`;
  // What stands behind the call that runs a script's tests is not seen by it.
  const main = /^if __name__ == /m.exec(text)?.index ?? text.length;
  return `${text.slice(0, main)}${canary}${text.slice(main)}`;
}

function inShell(text: string, word: string): string {
  // At the end, where what the script has read can have changed what "exit" does.
  const end = /(?:^|\n)[^\S\n]*exit\b[^\n]*\s*$/.exec(text)?.index ?? text.length;
  return `${text.slice(0, end)}\necho canary "${word}"; exit 1\n${text.slice(end)}`;
}

/** So many files get a canary, each in a run of the checks of its own. */
const MOST_CANARIES = 2;

/**
 * The test files that are tried with a canary: those that were changed first, then those that name what was changed.
 *
 * @param changed all that was changed, below the top of the repository
 */
export function filesForCanaries(
  files: readonly string[],
  { changed, partOf = testPartOf }: { readonly changed: readonly string[]; readonly partOf?: PartOf },
): readonly string[] {
  if (changed.every((path) => PROSE.test(path))) return [];
  const stems = changed.filter((path) => partOf(path) === undefined).map(stemOf).filter((stem) => stem.length > 2);
  const rank = (path: string) => changed.includes(path) ? 0 : stems.some((stem) => stemOf(path).includes(stem)) ? 1 : 2;
  return files.filter((path) => partOf(path) === "test" && KINDS.some(({ path: of }) => of.test(path)))
    .toSorted((one, other) => rank(one) - rank(other)).slice(0, MOST_CANARIES);
}

const PROSE = /(?:\.(?:md|txt|rst|adoc)|(?:^|\/)(?:LICENSE|NOTICE|AUTHORS|\.gitignore))$/;

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).split(".", 1)[0] ?? "";
}
