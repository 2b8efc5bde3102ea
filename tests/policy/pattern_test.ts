import { assert, assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { type KnownWord, matchCommand, matchPath, parseCommandPattern } from "../../lib/policy/pattern.ts";

/** Words of a command, split at blanks; `$` is one that is not known, `$$` any number of them. */
function known(text: string): KnownWord[] {
  return text.split(" ").map((word) => word === "$" ? {} : word === "$$" ? { many: true } : { value: word });
}

function match(pattern: string, text: string, options: { readonly loose?: boolean } = {}) {
  return matchCommand(parseCommandPattern(pattern), known(text), options);
}

Deno.test("a pattern's words stand for themselves, * for one, ** for any number", () => {
  assertEquals(match("git push", "git push"), "yes");
  assertEquals(match("git push", "git push origin"), "no");
  assertEquals(match("git push", "git pushd"), "no");
  assertEquals(match("git push", "git"), "no");
  assertEquals(match("git *", "git push"), "yes");
  assertEquals(match("git *", "git"), "no");
  assertEquals(match("ls *", "ls a/b"), "yes");
  assertEquals(match("git **", "git"), "yes");
  assertEquals(match("git ** --force **", "git push --force origin"), "yes");
  assertEquals(match("git ** --force", "git push"), "no");
});

Deno.test("within a word, * and ? stop at a slash and ** does not; quotes take their meaning away", () => {
  assertEquals(match("cat *.ts", "cat a.ts"), "yes");
  assertEquals(match("cat *.ts", "cat src/a.ts"), "no");
  assertEquals(match("cat **.ts", "cat src/a.ts"), "yes");
  assertEquals(match("cat src/**", "cat src/a/b"), "yes");
  assertEquals(match("cat a?c", "cat abc"), "yes");
  assertEquals(match("cat a?c", "cat a/c"), "no");
  assertEquals(match("echo '*' \\** 'a b'", "echo * *x a"), "no");
  assertEquals(
    matchCommand(parseCommandPattern("echo '*' \\** 'a b'"), ["echo", "*", "*x", "a b"].map((value) => ({ value }))),
    "yes",
  );
  assertEquals(match("npm run test:*", "npm run test:unit"), "yes");
  assertEquals(match("A=1 make", "A=1 make"), "yes");
});

Deno.test("loosely, more words may follow and a program may have its path", () => {
  assertEquals(match("git push", "/usr/bin/git push origin", { loose: true }), "yes");
  assertEquals(match("git push", "git pushd", { loose: true }), "no");
  assertEquals(match("/usr/bin/git push", "git push", { loose: true }), "no");
  assertEquals(match("git push", "/usr/bin/git push"), "no");
});

Deno.test("a word that is not known may be what is meant, and is any word only for *", () => {
  assertEquals(match("git push", "git $"), "maybe");
  assertEquals(match("git push", "git $$"), "maybe");
  assertEquals(match("git push", "$$"), "maybe");
  assertEquals(match("git push", "npm $"), "no");
  assertEquals(match("echo *", "echo $"), "yes");
  assertEquals(match("echo *", "echo $$"), "maybe");
  assertEquals(match("echo **", "echo $$"), "yes");
  assertEquals(match("echo a*", "echo $"), "maybe");
});

Deno.test("a word with a slash is matched as the path that it comes down to", () => {
  const pattern = parseCommandPattern("rm src/**");
  const words = (value: string, ...paths: string[]): KnownWord[] => [{ value: "rm" }, { value, paths }];
  assertEquals(matchCommand(pattern, words("./src/a", "/w/src/a", "src/a")), "yes");
  assertEquals(matchCommand(pattern, words("src/../x", "/w/x", "x")), "no");
  assertEquals(matchCommand(pattern, words("src/../x", "/w/x", "x"), { loose: true }), "yes");
  assert(matchPath(parseCommandPattern("src/*.ts"), ["/w/src/a.ts", "src/a.ts"]));
  assert(!matchPath(parseCommandPattern("src/*.ts"), ["/w/src/a/b.ts", "src/a/b.ts"]));
});

Deno.test("what is no pattern is refused", () => {
  for (
    const text of [
      "",
      "a; b",
      "a | b",
      "a > b",
      "echo $x",
      "echo $(x)",
      "'open",
      "if",
      "! a",
      "{ a; }",
      "(a)",
    ]
  ) {
    assertThrows(() => parseCommandPattern(text), UsageError, `Cannot use the pattern ${JSON.stringify(text)}`);
  }
});

Deno.test("a hostile text is not what a hostile pattern means", () => {
  assertEquals(match("a" + "*a".repeat(100) + "b", `${"a".repeat(5000)}`), "no");
  assertEquals(match("** a ".repeat(50) + "b", "a ".repeat(2000) + "c"), "no");
});
