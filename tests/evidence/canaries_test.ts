import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { filesForCanaries, withCanary } from "../../lib/evidence/canaries.ts";
import { hunksOf } from "../../lib/evidence/hunks.ts";
import { testInputsIn } from "../../lib/evidence/test_inputs.ts";

Deno.test("a canary has the assertions that its file uses, in the words of its language", () => {
  const put = (path: string, text: string) => withCanary({ path, text }, "c7") ?? "";
  const jest = put("a.test.ts", 'it("a", () => { expect(a()).toEqual(1); });\n');
  assertStringIncludes(jest, "expect({ a: 1 }).toEqual({ a: 2 })");
  assertStringIncludes(jest, 'it("canary" + " c7"');
  assertEquals(jest.includes("toBeNull"), false);
  assertStringIncludes(put("a_test.ts", 'Deno.test("a", () => assertEquals(a(), 1));\n'), "assertEquals(1, 2)");
  const python = put(
    "test_a.py",
    "class A(T):\n    def test_a(self):\n        self.assertIn(1, a())\n\n\nif __name__ == '__main__':\n    main()\n",
  );
  assertMatch(python, /self\.assertIn\(1, \[\]\)[^]*if __name__/);
  assertStringIncludes(put("a_test.go", "package a\n"), 't.Fatal("canary", "c7")');
  assertStringIncludes(put("tests/a.rs", ""), 'panic!("canary {}", "c7")');
  assertEquals(put("tests/a_test.sh", "#!/bin/sh\ntrue\n"), '#!/bin/sh\ntrue\n\necho canary "c7"; exit 1\n');
  assertMatch(put("tests/a_test.sh", "a || exit 1\n"), /^a \|\| exit 1\n\necho canary/);
  assertEquals(put("tests/a_test.sh", "a || exit 1\nexit 0\n"), 'a || exit 1\necho canary "c7"; exit 1\n\nexit 0\n');
  assertEquals([put("a.test.js", "export {};\n"), put("spec/a_spec.rb", "")], ["", ""]);
});

Deno.test("canaries are put where the change is tested, and nowhere for prose", () => {
  const tests = ["a.test.js", "b.test.js", "price.test.js", "src/a.js", "conftest.py"];
  assertEquals(filesForCanaries(tests, { changed: ["src/price.js"] }), ["price.test.js", "a.test.js"]);
  assertEquals(filesForCanaries(tests, { changed: ["src/a.js", "b.test.js"] }), ["b.test.js", "a.test.js"]);
  assertEquals(filesForCanaries(tests, { changed: ["README.md", "docs/a.txt"] }), []);
});

Deno.test("the places of a patch are told by their lines, the largest first, without tests and prose", () => {
  const file = (path: string, ...hunks: readonly string[]) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join("")}`;
  const patch = file("a.test.js", "@@ -1 +1 @@\n-a\n+b\n") + file("README.md", "@@ -1 +1 @@\n-a\n+b\n") +
    file("a.js", "@@ -1 +1 @@\n-a\n+b\n", "@@ -4,3 +4,0 @@\n-1\n-2\n-3\n", "@@ -9,0 +7,2 @@\n+x\n+y\n");
  assertEquals(hunksOf(patch).map(({ lines, path, size }) => [path, lines, size]), [
    ["a.js", "4", 3],
    ["a.js", "1", 2],
    ["a.js", "7-8", 2],
  ]);
  assertStringIncludes(hunksOf(patch)[0]?.patch ?? "", "--- a/a.js");
  assertEquals(hunksOf(""), []);
  // What an agent writes after a carriage return begins no other place.
  const tricky = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -3 +3,2 @@\n-a\n+b\r@@ -1 +1 @@\r+x\n+c\n";
  assertEquals(hunksOf(tricky).map(({ lines, size }) => [lines, size]), [["3-4", 3]]);
});

Deno.test("only an answer that a test expects of what it asks is told, not what any code compares with", () => {
  const told = (added: string, test: string) =>
    testInputsIn(`diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +5 @@\n+${added}\n`, {
      tests: [{ path: "a.test.js", text: test }],
    });
  const test = 'assert.equal(roman(1994), "MCMXCIV");\nassert.equal(kind("apple"), "fruit");\n';
  assertEquals(told('if (n === 1994) return "MCMXCIV";', test), [
    "a.js:5 has an answer of its own for 1994, as a.test.js has",
  ]);
  assertEquals(told('case "apple": return "fruit";', test).length, 1);
  assertEquals(told('  "apple": "fruit",', test).length, 1);
  assertEquals(told('if kind == "apple": return "fruit"', test).length, 1);
  assertEquals(told('if (n === 1994) return "other";', test), []);
  assertEquals(told('if (n !== 1994) throw new Error("MCMXCIV");', test), []);
  assertEquals(told("if (n === 0) return 1;", "assert.equal(factorial(0), 1);"), []);
  assertEquals(told('if (typeof n === "number") return 4;', 'assert.equal(f("number"), 4);'), []);
  assertEquals(told("if (n === 199) return 2;", "assert.equal(roman(1994), 2);"), []);
});

Deno.test("no line of a file is taken for the head of another one, and quoted names count", () => {
  const patch =
    "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -0,0 +1,2 @@\n+++ b/a.test.js\n+if (n === 1994) return 4;\n" +
    'diff --git "a/b\\".js" "b/b\\".js"\n--- "a/b\\".js"\n+++ "b/b\\".js"\n@@ -1 +1 @@\n-a\n+if (n === 1994) return 4;\n';
  const tests = [{ path: "a.test.js", text: "equal(f(1994), 4);\n" }];
  assertEquals(testInputsIn(patch, { tests }).map((line) => line.split(" ", 1)[0]), ["a.js:2", 'b\\".js:1']);
  assertEquals(hunksOf(patch).map(({ path }) => path), ["a.js", 'b\\".js']);
});
