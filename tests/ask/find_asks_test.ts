import { assertEquals } from "@std/assert";
import { findAsks } from "../../lib/ask/find_asks.ts";

const ASKS = [["panewright", "ask"], ["cat-herder", "ask"]] as const;

const questions = (command: string | readonly string[]) => findAsks(command, ASKS).map(({ question }) => question);

const ASKING: readonly (readonly [command: string | readonly string[], question: string])[] = [
  [`panewright ask "Which database?"`, "Which database?"],
  ["cat-herder ask Which database?", "Which database?"],
  [`panewright ask 'It'"'"'s "A" or B?'`, `It's "A" or B?`],
  [`panewright ask "Keep \\"id\\" or \\$key?"`, `Keep "id" or $key?`],
  ["panewright ask $'one\\ntwo'", "one\ntwo"],
  [`panewright ask "one\ntwo"`, "one\ntwo"],
  ["CI=1 FOO='a b' panewright ask q", "q"],
  ["env CI=1 panewright ask q", "q"],
  ["timeout 600 panewright ask q", "q"],
  ["/run/bin/panewright ask q", "q"],
  ["./panewright ask q", "q"],
  [`bash -lc 'panewright ask "q"'`, "q"],
  [`/bin/bash -lc "cd x && panewright ask \\"a 'b'\\""`, "a 'b'"],
  [`sh -c "bash -c 'panewright ask q'"`, "q"],
  [["bash", "-lc", `panewright ask "q r"`], "q r"],
  [["cat-herder", "ask", "Which database?"], "Which database?"],
  ["cd api && panewright ask q", "q"],
  ["npm test; panewright ask q", "q"],
  ["npm test\npanewright ask q", "q"],
  ["panewright ask q | tee answer.txt", "q"],
  ["panewright ask q > answer.txt 2>&1", "q"],
  ["panewright ask q &", "q"],
  ["answer=$(panewright ask q)", "q"],
  [`echo "$(panewright ask q)"`, "q"],
  ["( panewright ask q )", "q"],
  ["if [ -f x ]; then panewright ask q; fi", "q"],
  [`panewright --quiet ask q`, ""],
  [`panewright ask --json "q"`, "q"],
  [`panewright ask -- --all?`, "--all?"],
  ["panewright ask - <<'END'\nWhich one?\nA or B\nEND", "Which one?\nA or B"],
  ["panewright ask - <<< 'Which one?'", "Which one?"],
  [`"panewright" 'ask' q`, "q"],
  ["pane\\wright ask q", "q"],
];

for (const [command, question] of ASKING) {
  Deno.test(`an ask in ${JSON.stringify(command)} is found once`, () => {
    assertEquals(questions(command), question === "" ? [] : [question]);
  });
}

const NOT_ASKING: readonly (string | readonly string[])[] = [
  `grep "panewright ask" README.md`,
  `grep -rn "cat-herder ask" .`,
  "grep panewright ask README.md",
  "rg 'panewright ask \"x\"'",
  "echo 'panewright ask x'",
  "echo panewright ask x",
  `printf '%s\\n' "panewright ask x"`,
  "# panewright ask x",
  "ls # panewright ask x",
  "cat <<'END' > prompt.md\npanewright ask \"x\"\nEND",
  "git commit -m 'panewright ask x'",
  "panewright",
  "panewright ask",
  `panewright ask ""`,
  "panewright ask --help",
  "panewright help ask",
  "panewright answer RUN ask",
  "panewright-ask x",
  "mypanewright ask x",
  "man panewright ask",
  "which panewright && which ask",
  "command -v panewright ask",
  "bash -c 'echo panewright ask x'",
  ["bash", "-lc", `grep "panewright ask" README.md`],
  ["echo", "panewright ask x"],
  "ask panewright x",
  "panewright 'ask me'",
];

for (const command of NOT_ASKING) {
  Deno.test(`nothing is asked in ${JSON.stringify(command)}`, () => assertEquals(questions(command), []));
}

Deno.test("what a shell expands in a question is known as not exact", () => {
  assertEquals(findAsks('panewright ask "Use $DB?"', ASKS), [
    { question: "Use $DB?", isExact: false, isCertain: true },
  ]);
  assertEquals(findAsks('panewright ask "$(cat q.txt)"', ASKS), [
    { question: "$(cat q.txt)", isExact: false, isCertain: true },
  ]);
  assertEquals(findAsks("echo why | panewright ask -", ASKS).map(({ isExact }) => isExact), [false]);
});

for (
  const [command, isCertain] of [
    ["cd api && echo hm && panewright ask q", true],
    ["npm test; panewright ask q", true],
    ["npm test && panewright ask q", false],
    ["npm test || panewright ask q", false],
    ["npm test || bash -c 'panewright ask q'", false],
    ["bash -c 'npm test || panewright ask q'", false],
    ["if npm test; then panewright ask q; fi", false],
    ["for x in a b; do panewright ask q; done", false],
    ["ask() { panewright ask q; }", false],
    ["false || { echo no; panewright ask q; }", false],
  ] as const
) {
  Deno.test(`an ask in ${JSON.stringify(command)} ${isCertain ? "is asked for sure" : "depends on what is before it"}`, () => {
    assertEquals(findAsks(command, ASKS).map((ask) => ask.isCertain), [isCertain]);
  });
}

Deno.test("the commands that ask are those of the configuration", () => {
  assertEquals(findAsks("herd please ask q", [["herd", "please", "ask"]]).map(({ question }) => question), ["q"]);
  assertEquals(findAsks("herd ask q", [["herd", "please", "ask"]]), []);
  assertEquals(findAsks("panewright ask q", [["herd", "ask"]]), []);
});
