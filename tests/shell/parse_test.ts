import { assertEquals } from "@std/assert";
import { parseShellCommand } from "../../lib/shell/mod.ts";

/** The commands of a text as their words; a word that is expanded is shown as it was written, between «». */
function words(text: string): string[][] {
  return parseShellCommand(text).commands.map((command) =>
    command.words.map((word) => word.value ?? `«${word.source}»`)
  );
}

function problem(text: string): string | undefined {
  return parseShellCommand(text).problem?.message;
}

Deno.test("words are split at blanks, and quotes and backslashes are removed", () => {
  assertEquals(words(`a  'b c'"d e"\\ f\tg`), [["a", "b cd e f", "g"]]);
  assertEquals(words(`'' "" x''y`), [["", "", "xy"]]);
  assertEquals(words(`"a\\"b\\$c\\d" 'a\\'`), [['a"b$c\\d', "a\\"]]);
  assertEquals(words("a\\\nb c\\\n d"), [["ab", "c", "d"]]);
  assertEquals(words("$'a\\n\\x41\\101\\'' $\"b\" \\"), [["a\nAA'", "b", "\\"]]);
  assertEquals(words("a#b #c\nd"), [["a#b"], ["d"]]);
});

Deno.test("what the shell expands is marked, with its kind", () => {
  const kinds = (text: string) => parseShellCommand(text).commands.at(-1)!.words.map((word) => word.expansions);
  assertEquals(kinds('a $x "$x" ${x:-y} $(b) `b` $((1)) <(b) *.ts [ab] {a,b} {1..3} ~/x a=~'), [
    [],
    ["variable"],
    ["variable"],
    ["variable"],
    ["command_substitution"],
    ["command_substitution"],
    ["arithmetic"],
    ["process_substitution"],
    ["pathname"],
    ["pathname"],
    ["brace"],
    ["brace"],
    ["tilde"],
    ["tilde"],
  ]);
  assertEquals(words(`[ -f x ] '*' "{a,b}" \\~ {} HEAD@{1} $ a~`), [
    ["[", "-f", "x", "]", "*", "{a,b}", "~", "{}", "HEAD@{1}", "$", "a~"],
  ]);
});

Deno.test("assignments and redirections are no words", () => {
  const [command] = parseShellCommand('A=1 B="x y" 2>&1 cmd C=3 <in 3>>"out put" >&- arg').commands;
  assertEquals(command!.assignments.map(({ name, word }) => [name, word.value]), [["A", "A=1"], ["B", "B=x y"]]);
  assertEquals(command!.words.map(({ value }) => value), ["cmd", "C=3", "arg"]);
  assertEquals(
    command!.redirections.map(({ operator, descriptor, target }) => [descriptor, operator, target.value]),
    [[2, ">&", "1"], [undefined, "<", "in"], [3, ">>", "out put"], [undefined, ">&", "-"]],
  );
  assertEquals(words("'A'=1 2x>y"), [["A=1", "2x"]]);
});

Deno.test("lists and pipelines are told apart by what stands before each command", () => {
  const { commands } = parseShellCommand("a | b && c || d; e & f\ng |& h");
  assertEquals(commands.map(({ words, precededBy }) => [words[0]!.value, precededBy]), [
    ["a", undefined],
    ["b", "|"],
    ["c", "&&"],
    ["d", "||"],
    ["e", ";"],
    ["f", "&"],
    ["g", ";"],
    ["h", "|"],
  ]);
});

Deno.test("what is inside of a pipeline's later part reads the pipe", () => {
  const reading = (text: string) =>
    parseShellCommand(text).commands.filter(({ readsPipe }) => readsPipe).map(({ words }) => words[0]?.value);
  assertEquals(reading("a | b; c"), ["b"]);
  assertEquals(reading("a | (b; c) | d"), ["b", "c", "d"]);
  assertEquals(reading("a | { b; }; if c; then d | e; fi"), ["b", "e"]);
  assertEquals(reading("a | while b; do c; done; d"), ["b", "c"]);
  assertEquals(reading("a | b $(c); d $(e)"), ["c", "b"]);
  assertEquals(reading("a > >(b); a <(c)"), ["b"]);
});

Deno.test("commands are found in every construct", () => {
  assertEquals(words("if a; then b; elif c; then d; else e; fi"), [["a"], ["b"], ["c"], ["d"], ["e"]]);
  assertEquals(words("while a; do b; done; until c\ndo d\ndone"), [["a"], ["b"], ["c"], ["d"]]);
  assertEquals(words("for i in 1 2 $(a); do b; done; for j; do c; done"), [["a"], ["b"], ["c"]]);
  assertEquals(words("case $x in (a|b) c;; 'd') e ;& *) f\n;;\nesac; g"), [["c"], ["e"], ["f"], ["g"]]);
  assertEquals(words("{ a; b; } && (c; d)"), [["a"], ["b"], ["c"], ["d"]]);
  assertEquals(words("! a | b; [[ x < y && $(c) ]] && d"), [["a"], ["b"], ["c"], ["d"]]);
  assertEquals(words("a=(1 $(b)\n3) c"), [["b"], ["c"]]);
  assertEquals(words("echo if then { } done"), [["echo", "if", "then", "{", "}", "done"]]);
  assertEquals(words("\\if a; 'then' b"), [["if", "a"], ["then", "b"]]);
});

Deno.test("commands are found in substitutions, those first", () => {
  assertEquals(words('a "$(b "$(c)")" `d \\`e\\``'), [["c"], ["b", '«"$(c)"»'], ["e"], [
    "d",
    "«`e`»",
  ], ["a", '«"$(b "$(c)")"»', "«`d \\`e\\``»"]]);
  assertEquals(words("a ${x:-$(b)} $((1 + $(c)))"), [["b"], ["c"], ["a", "«${x:-$(b)}»", "«$((1 + $(c)))»"]]);
  assertEquals(words("a '$(b)' \"\\$(c)\" \\`d\\`"), [["a", "$(b)", "$(c)", "`d`"]]);
});

Deno.test("a here-document is text; in one whose delimiter is not quoted, commands run", () => {
  const documents = (text: string) =>
    parseShellCommand(text).commands.flatMap(({ redirections }) => redirections.map((one) => one.hereDocument));
  assertEquals(documents("cat <<E\na $ b\nE\nc"), ["a $ b\n"]);
  assertEquals(documents("cat <<'E F'\n$(a)\nE\nE F\nc"), ["$(a)\nE\n"]);
  assertEquals(documents("cat <<-\\E\n\t\ta\n\tE\nc"), ["a\n"]);
  assertEquals(documents("cat <<E\n$x\nE"), [undefined]);
  assertEquals(documents("cat <<A <<B; c\n1\nA\n2\nB"), ["1\n", "2\n"]);
  assertEquals(documents("cat <<E"), [""]);
  assertEquals(documents("cat <<E\na\\\nE\nb\nE\n"), ["aE\nb\n"]);
  assertEquals(words("cat <<E\n$(a)\n'$(b)'\nE\nc"), [["cat"], ["a"], ["b"], ["c"]]);
  assertEquals(words("x $(cat <<E\n)\nE\n) y"), [["cat"], ["x", "«$(cat <<E\n)\nE\n)»", "y"]]);
});

Deno.test("each command and word knows its place", () => {
  const text = "a 'b c' && (d\\ e) `f g`";
  const { commands } = parseShellCommand("a 'b c' && h `f g`");
  assertEquals(commands.map(({ start, end }) => "a 'b c' && h `f g`".slice(start, end)), [
    "a 'b c' ",
    "f g",
    "h `f g`",
  ]);
  const places = parseShellCommand(text).commands.flatMap(({ words }) => words.map(({ start, end }) => [start, end]));
  assertEquals(places.map(([start, end]) => text.slice(start, end)), ["a", "'b c'", "d\\ e"]);
});

Deno.test("subshells have a scope of their own, groups have not", () => {
  const { commands, scopes } = parseShellCommand("a; (b; $(c)); { d; }");
  assertEquals(commands.map(({ words, scope }) => [words[0]!.source, scope]), [
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["$(c)", 1],
    ["d", 0],
  ]);
  assertEquals(scopes, [undefined, 0, 1]);
});

Deno.test("the definition of a function is noted, and what is in it found", () => {
  for (const text of ["f() { a; }", "function f { a; }", "f ( )\n(a)", "function f() { a; }"]) {
    const { commands, undecidable, problem } = parseShellCommand(text);
    assertEquals(problem, undefined, text);
    assertEquals(undecidable.map(({ message }) => message), ["the definition of a function, f"]);
    assertEquals(commands.map((command) => command.words[0]?.value), ["a"]);
  }
});

Deno.test("a text that is not understood says what and where, and what was understood before it", () => {
  const parsed = parseShellCommand("a; b 'c");
  assertEquals(parsed.problem, { message: "a ' that is not closed", start: 5, end: 6 });
  assertEquals(parsed.commands.map(({ words }) => words[0]?.value), ["a"]);
  assertEquals(
    ['"a', "`a", "$(a", "${a", "$((1)", "(a", "{ a;", "if a", "while a; do b", "a)", "}", "fi", "a ;; b", "a &&", "| a"]
      .filter((text) => problem(text) === undefined),
    [],
  );
  assertEquals(
    ["a > ", "a (b)", "((a); b)", "a >! b", "case x in", "coproc a", "a & ; b", "f()", "a\0b", "[[ a"]
      .filter((text) => problem(text) === undefined),
    [],
  );
});

Deno.test("constructs whose end differs from shell to shell are refused", () => {
  const texts = [
    `echo "\${x#'"'}"; evil; echo "'}"}" #"`,
    `echo "\${x:-"a"}"`,
    `echo $(( '1)) ; evil' ))`,
    "echo $\\\n(evil)",
    "echo ${ evil; }",
    "echo ${|evil; }",
    "echo $[ $(evil) ]",
    "echo ${x:-<(evil)}",
    "cat $(cat <<E)\nbody\nE",
  ];
  assertEquals(texts.filter((text) => problem(text) === undefined), []);
});
