import { assert } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { composerHolds, composerHoldsAll, composerProves } from "../../../lib/agents/pane/composer_text.ts";
import { findPasted } from "../../../lib/screen/regions.ts";

const PROMPT = "Fix the bug in src/a.ts:\n\n\t- keep the API\n  - 漢字 and 👩‍💻 stay\n```ts\nconst x = `1`;\n```";

/** In Unicode characters, as Codex counts. */
const LENGTH = [...PROMPT].length;

/** A composer that shows this, whichever CLI it is that wrote the markers in it. */
function shownBy(text: string) {
  const pasted = findPasted(text, CODEX_RULES.layout) ?? findPasted(text, CLAUDE_CODE_RULES.layout);
  return pasted === undefined ? { text } : { text, pasted };
}

Deno.test("a composer holds our text however its rows wrap, and as far as it shows it", () => {
  for (
    const shown of [
      PROMPT,
      PROMPT.replaceAll("\t", "    "),
      PROMPT.replaceAll(/\s+/g, " "),
      PROMPT.replace("👩‍💻", "__"),
      "keep the API\n- 漢字 and",
      `[Pasted Content ${LENGTH} chars]`,
      `[Pasted Content ${LENGTH} chars] #2`,
      `[Pasted Content ${[...PROMPT.slice(0, 30)].length} chars]${PROMPT.slice(30)}`,
      "[Pasted text #1 +6 lines]",
      "[Pasted text #3]",
    ]
  ) assert(composerHolds(shownBy(shown), PROMPT), shown);
});

Deno.test("a composer with anything else in it does not hold our text", () => {
  for (
    const shown of [
      `x${PROMPT}`,
      `${PROMPT} and more`,
      "wait",
      "",
      "   ",
      "Fix  src/a.ts",
      "[Pasted Content 9 chars]wait",
      `[Pasted Content ${LENGTH} chars]wait`,
      `[Pasted Content ${LENGTH} chars][Pasted Content ${LENGTH} chars] #2`,
      `[Pasted Content ${LENGTH - 1} chars]`,
      `[Pasted Content ${LENGTH + 1} chars]`,
      `[Pasted Content 9 chars] stay`,
      "[Pasted text #1 +5 lines]",
      "[Pasted text #1 +7 lines]",
      "[Pasted text #1 +6 lines]wait",
      "[Pasted text #1 +6 lines][Pasted text #2 +6 lines]",
    ]
  ) {
    assert(!composerHolds(shownBy(shown), PROMPT), shown);
  }
});

Deno.test("text without letters is compared sign by sign", () => {
  assert(composerHolds(shownBy("…!?"), "…!?"));
  assert(!composerHolds(shownBy("…"), "…!?"));
  assert(!composerHoldsAll(shownBy("?"), "!"));
});

Deno.test("only all of the text, visibly, counts as all of it", () => {
  assert(composerHoldsAll(shownBy(PROMPT.replaceAll("\n", " ")), PROMPT));
  assert(!composerHoldsAll(shownBy("keep the API"), PROMPT));
  assert(!composerHoldsAll(shownBy(`[Pasted Content ${LENGTH} chars]`), PROMPT));
});

Deno.test("a marker that does not say how long its text is proves nothing", () => {
  for (const shown of [PROMPT, `[Pasted Content ${LENGTH} chars]`, "[Pasted text #1 +6 lines]"]) {
    assert(composerProves(shownBy(shown), PROMPT), shown);
  }
  for (const shown of ["[Pasted text #3]", "[Pasted Content of 9 kB]", `[Pasted Content ${LENGTH - 1} chars]`]) {
    assert(!composerProves(shownBy(shown), PROMPT), shown);
  }
});

Deno.test("words that are all in the text prove nothing: a person's own, and what they left of it", () => {
  for (
    const shown of ["Fix", "const x", PROMPT.slice(0, -1 - "x = `1`;\n```".length), PROMPT.slice("Fix the ".length)]
  ) {
    assert(composerHolds(shownBy(shown), PROMPT), shown);
    assert(!composerProves(shownBy(shown), PROMPT), shown);
  }
});

Deno.test("whatever part of a long text is missing, its marker does not stand for the whole", () => {
  const text = Array.from({ length: 2000 }, (_, line) => `line ${line} of 漢字 and 🙂`).join("\n");
  const markersOf = (part: string) => [
    `[Pasted Content ${[...part].length} chars]`,
    `[Pasted text #1 +${part.split("\n").length - 1} lines]`,
  ];
  for (const shown of markersOf(text)) assert(composerProves(shownBy(shown), text), shown);
  const characters = [...text];
  for (let cut = 1; cut < characters.length; cut += 997) {
    const part = characters.slice(0, -cut).join("");
    // A marker that counts lines does not tell what is missing of the last one.
    for (const shown of markersOf(part).slice(0, cut < 40 ? 1 : 2)) {
      assert(!composerHolds(shownBy(shown), text), `${cut} are missing: ${shown}`);
    }
  }
});
