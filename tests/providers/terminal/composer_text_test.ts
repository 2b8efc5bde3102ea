import { assert } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../../lib/providers/claude_code/rules.ts";
import { CODEX_RULES } from "../../../lib/providers/codex/rules.ts";
import { composerHolds, composerHoldsAll } from "../../../lib/providers/terminal/composer_text.ts";
import { unmark } from "../../../lib/screen/regions.ts";

const PROMPT = "Fix the bug in src/a.ts:\n\n\t- keep the API\n  - 漢字 and 👩‍💻 stay\n```ts\nconst x = `1`;\n```";

/** A composer that shows this, whichever CLI it is that wrote the markers in it. */
function shownBy(text: string) {
  const unmarked = unmark(text, CODEX_RULES.layout) ?? unmark(text, CLAUDE_CODE_RULES.layout);
  return unmarked === undefined ? { text } : { text, unmarked };
}

Deno.test("a composer holds our text however its rows wrap, and as far as it shows it", () => {
  for (
    const shown of [
      PROMPT,
      PROMPT.replaceAll("\t", "    "),
      PROMPT.replaceAll(/\s+/g, " "),
      PROMPT.replace("👩‍💻", "__"),
      "keep the API\n- 漢字 and",
      "[Pasted Content 5625 chars]",
      "[Pasted text #1 +6 lines]",
      "[Pasted Content 1024 chars] stay",
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
  assert(!composerHoldsAll(shownBy("[Pasted Content 5625 chars]"), PROMPT));
});
