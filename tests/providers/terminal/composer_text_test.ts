import { assert } from "@std/assert";
import { composerHolds, composerHoldsAll } from "../../../lib/providers/terminal/composer_text.ts";

const PROMPT = "Fix the bug in src/a.ts:\n\n\t- keep the API\n  - 漢字 and 👩‍💻 stay\n```ts\nconst x = `1`;\n```";

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
  ) assert(composerHolds(shown, PROMPT), shown);
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
    assert(!composerHolds(shown, PROMPT), shown);
  }
});

Deno.test("text without letters is compared sign by sign", () => {
  assert(composerHolds("…!?", "…!?"));
  assert(!composerHolds("…", "…!?"));
  assert(!composerHoldsAll("?", "!"));
});

Deno.test("only all of the text, visibly, counts as all of it", () => {
  assert(composerHoldsAll(PROMPT.replaceAll("\n", " "), PROMPT));
  assert(!composerHoldsAll("keep the API", PROMPT));
  assert(!composerHoldsAll("[Pasted Content 5625 chars]", PROMPT));
});

Deno.test("a long hostile composer costs little time", () => {
  const started = performance.now();
  composerHolds("[Pasted Content ".repeat(20_000), PROMPT);
  composerHolds("[Pasted text " + " ".repeat(100_000), PROMPT);
  assert(performance.now() - started < 500);
});
