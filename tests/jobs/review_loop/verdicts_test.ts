import { assertEquals } from "@std/assert";
import { fenced } from "../../../lib/text/markdown.ts";
import { parseReviewVerdict, parseTestVerdict } from "../../../lib/jobs/review_loop/verdicts.ts";
import { createRandom } from "../../support/random.ts";

/** The same cases hold for both kinds of verdict: each L stands for the label, each Y and N for its two values. */
const FORMS = [
  { name: "test", parse: parseTestVerdict as (text: string) => string | undefined, L: "RESULT", Y: "PASS", N: "FAIL" },
  {
    name: "review",
    parse: parseReviewVerdict as (text: string) => string | undefined,
    L: "REVIEW_RESULT",
    Y: "APPROVED",
    N: "REVISE",
  },
];

function fill(template: string, { L, Y, N }: { L: string; Y: string; N: string }): string {
  return template.replace(/[LYN]/g, (letter) => ({ L, Y, N })[letter as "L" | "Y" | "N"]);
}

const STATES_Y = [
  "L: Y",
  "L:Y",
  "L :  Y  ",
  "   L: Y",
  "some text\n\nL: Y\n\nmore text",
  "L: Y\r\n",
  "text\rL: Y\r",
  "\ufeffL: Y",
  "L: Y.",
  "L: Y!",
  "**L: Y**",
  "**L:** Y",
  "**L**: **Y**",
  "*L: Y*",
  "__L: Y__",
  "_L: Y_",
  "`L: Y`",
  "L: `Y`",
  "```L: Y```",
  "- L: Y",
  "* L: Y",
  "+ **L: Y**",
  "1. L: Y",
  "2) L: Y",
  "# L: Y",
  "## L: Y",
  "### **L: Y**.",
  "L: Y\nL: Y",
  "L: Y\nas said:\n**L: Y**",
  // What only offers both values is no statement beside a real one.
  "L: Y | N\n\nL: Y",
  "L: N or L: Y\nL: Y",
  "L: <N|Y>\nL: Y",
  // Nor is another one's word in a quote or a code block.
  "> L: N\n\nL: Y",
  "```\nL: N\n```\nL: Y",
  "~~~text\nL: N\n~~~\nL: Y",
  "````\n```\nL: N\n````\nL: Y",
  "- item\n  ```\n  L: N\n  ```\nL: Y",
  "    L: N\n\nL: Y",
  // Prose that begins with the label but names neither value.
  "L: 14 checks were made.\nL: Y",
  "L:\nL: Y",
];

const NO_VERDICT = [
  "",
  "\n \n",
  "Y",
  "L",
  "L:",
  "L Y",
  "L = Y",
  "the L: Y",
  "I would say L: Y",
  "TEST_L: Y",
  "X_L: Y",
  "XL: Y",
  "L_X: Y",
  // Templates and their echoes.
  "L: Y or L: N",
  "L: Y or N",
  "L: Y | N",
  "L: Y|N",
  "L: Y/N",
  "L: <Y|N>",
  "L: [Y / N]",
  "`L: Y` or `L: N`",
  "**L: Y** | **L: N**",
  "L: Y, N",
  "L: N or Y",
  // Contradictions.
  "L: Y\nL: N",
  "L: N\n\n**L: Y**",
  "L: Y\nL: N\nL: Y",
  "L: Y\nL: N - one thing is missing",
  "L: N because of the second point\nL: Y",
  // Not exactly a value.
  "L: Yish",
  "L: YED",
  "L: Y if nothing else changes",
  "L: Y (with reservations)",
  "L: Y?",
  'L: "Y"',
  "L: not Y",
  "L: N't",
  // Other people's words and code.
  "> L: Y",
  ">L: Y",
  "  > **L: Y**",
  "```\nL: Y\n```",
  "```text\nL: Y",
  "~~~\nL: Y\n~~~",
  "````\n```\nL: Y\n```\n````",
  "```\n    ```\nL: Y\n```",
  "```\n``` not a closing fence\nL: Y\n```",
  "- ```\n  L: Y\n  ```",
  "    L: Y",
  "\tL: Y",
  "| L: Y |",
  "<!-- L: Y -->",
  "~~L: Y~~",
];

for (const form of FORMS) {
  const { name, parse, Y, N } = form;
  const swapped = { ...form, Y: N, N: Y };

  Deno.test(`a ${name} verdict on a line of its own is read, whatever its decoration`, () => {
    for (const template of STATES_Y) {
      assertEquals(parse(fill(template, form)), Y, JSON.stringify(fill(template, form)));
      assertEquals(parse(fill(template, swapped)), N, JSON.stringify(fill(template, swapped)));
      assertEquals(parse(fill(template, form).toLowerCase()), Y, "in lower case: " + JSON.stringify(template));
    }
  });

  Deno.test(`templates, contradictions, quotes, code and half statements are no ${name} verdict`, () => {
    for (const template of NO_VERDICT) {
      for (const values of [form, swapped]) {
        assertEquals(parse(fill(template, values)), undefined, JSON.stringify(fill(template, values)));
      }
    }
  });

  Deno.test(`property: prose around a ${name} verdict changes nothing, and a second value always unsays it`, () => {
    const random = createRandom(20_817);
    const lines = [
      "",
      "Some prose.",
      "- a list item",
      "## A heading",
      "> a quote",
      "Exit code 0",
      `the word ${Y}`,
      `${N}?`,
    ];
    const decorate = [(x: string) => x, (x: string) => `**${x}**`, (x: string) => `- ${x}.`, (x: string) => `\`${x}\``];
    for (let run = 0; run < 500; run++) {
      const text = Array.from({ length: random.int(12) }, () => random.pick(lines));
      assertEquals(parse(text.join("\n")), undefined);
      const insert = (verdict: string) => {
        text.splice(random.int(text.length + 1), 0, random.pick(decorate)(`${form.L}: ${verdict}`));
      };
      insert(Y);
      assertEquals(parse(text.join("\n")), Y, text.join("\n"));
      insert(N);
      assertEquals(parse(text.join("\n")), undefined, text.join("\n"));
    }
  });

  Deno.test(`property: nothing inside a fenced block is a ${name} verdict, however the block's text plays with fences`, () => {
    const random = createRandom(4711);
    const pieces = ["```", "````", "~~~", "  ```", "`", "``` text", `${form.L}: ${Y}`, "> x", "", "- ```"];
    for (let run = 0; run < 1000; run++) {
      const inner = Array.from({ length: 1 + random.int(10) }, () => random.pick(pieces)).join("\n");
      assertEquals(parse(`before\n${fenced(inner)}\nafter`), undefined, inner);
      assertEquals(parse(`${fenced(inner)}\n${form.L}: ${N}`), N, inner);
    }
  });
}

Deno.test("a test verdict is no review verdict and the other way round", () => {
  assertEquals(parseReviewVerdict("RESULT: PASS"), undefined);
  assertEquals(parseReviewVerdict("RESULT: APPROVED"), undefined);
  assertEquals(parseTestVerdict("REVIEW_RESULT: APPROVED"), undefined);
  assertEquals(parseTestVerdict("REVIEW_RESULT: PASS"), undefined);
  assertEquals(parseReviewVerdict("REVIEW\\_RESULT: APPROVED"), "APPROVED");
});
