import { assertEquals } from "@std/assert";
import { findAsks } from "../../../lib/shell/asks/find_asks.ts";

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
  ["npx panewright ask q", "q"],
  ["npx --yes panewright@1.2 ask 'q r'", "q r"],
  ["npm exec -- panewright ask q", "q"],
  ["pnpm dlx panewright ask q", "q"],
  [`ask() { panewright ask "$1"; }; ask "Which?"`, `ask() { panewright ask "$1"; }; ask "Which?"`],
  [`for q in "a?"; do panewright ask "$q"; done`, `for q in "a?"; do panewright ask "$q"; done`],
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
  "npx panewright --version",
  "npx prettier panewright ask q",
  "npx",
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
  assertEquals(findAsks("echo why | panewright ask -", ASKS), [
    { question: "echo why | panewright ask -", isExact: false, isCertain: true },
  ]);
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
    [`echo "a || b"; panewright ask q`, true],
    [`git commit -m "if this && that"; panewright ask q`, true],
    ["npm test || true; panewright ask q", true],
    ["npm test || true\npanewright ask q", true],
    ["npm test && npm run lint & panewright ask q", true],
    ["npm test &&\n  panewright ask q", false],
    ["npm test && # why\n  panewright ask q", false],
    ["echo hm # a || b\npanewright ask q", true],
    ["cat > notes.md <<'END'\na || b\nif (c) {\nEND\npanewright ask q", true],
    ["cat <<-END\n\ta && b\n\tEND\nnpm test && panewright ask q", false],
    ["( npm test || true ); panewright ask q", true],
    ["( npm test; true ) && panewright ask q", false],
    ["npm test | tee log; panewright ask q", true],
    ["set -e; npm test; panewright ask q", false],
    ["set -euo pipefail\ncd api\npanewright ask q", true],
    ["exit 0; panewright ask q", false],
    ["[[ -f 'a;b' ]] && panewright ask q", false],
    [`false || echo "x; $(panewright ask q)"`, false],
    ["x=$(npm test) && panewright ask q", false],
    ["! npm test && panewright ask q", false],
    // What no shell runs.
    ["panewright ask q (x)", false],
    ["panewright ask q; fi", false],
    ["panewright ask q && ||", false],
    ['panewright ask q; echo "open', false],
    ["panewright() { :; }; panewright ask q", false],
    ["bash -nc 'panewright ask q'", false],
    ["bash -o noexec -c 'panewright ask q'", false],
    ["set -n; panewright ask q", false],
    ["echo ${x?no}; panewright ask q", false],
    ["panewright ask q < missing", false],
    ["panewright ask q < /dev/null", true],
    ["bash -c 'panewright ask q; fi'", false],
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

for (
  const [command, how] of [
    ["panewright ask q", {}],
    ["cd api && panewright ask q", {}],
    ["npm test; panewright ask q", { comesLater: true }],
    ["echo a > a.txt; panewright ask q", { comesLater: true }],
    ["echo a >/dev/null 2>&1; echo b >&2; panewright ask q", {}],
    ["panewright ask q; npm test", {}],
    ["panewright ask q &", { inBackground: true }],
    ["npm test && panewright ask q & sleep 1", { comesLater: true, inBackground: true }],
    ["{ panewright ask q; } &", { inBackground: true }],
    ["panewright ask q; npm test &", {}],
    ["panewright ask q 2>&1 | tee log", { failsSilently: true }],
    ["panewright ask q 2>/dev/null", {}],
    ["panewright ask q 2>/dev/null; true", { failsSilently: true }],
    ["{ panewright ask q; } &>log; true", { failsSilently: true }],
    ["sh -c 'panewright ask q' 2>/dev/null; true", { failsSilently: true }],
    ["npx panewright ask q", { failsSilently: true }],
  ] as const
) {
  Deno.test(`how the ask in ${JSON.stringify(command)} is reached`, () => {
    assertEquals(findAsks(command, ASKS), [{
      question: "q",
      isExact: true,
      isCertain: !command.includes("&& p") || command.startsWith("cd"),
      ...how,
    }]);
  });
}

Deno.test("of thousands of asks in one text the first ones are told", () => {
  const text = "cat <<'E'\nx\nE\nfalse || panewright ask q 2>&1; ".repeat(5000);
  assertEquals(findAsks(text, ASKS).length, 20);
});

Deno.test("an ask that reads a file may fail without it; an empty input cannot", () => {
  for (const [from, isCertain] of [["< note", false], ["<> note", false], ["< /dev/null", true], ["", true]] as const) {
    assertEquals(findAsks(`panewright ask q ${from}`, ASKS).map((ask) => ask.isCertain), [isCertain], from);
  }
});
