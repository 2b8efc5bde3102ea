import { assertEquals } from "@std/assert";
import { fenced } from "../../lib/base/text/markdown.ts";
import { parseReviewVerdict, parseTestVerdict } from "../../lib/jobs/verdicts.ts";
import { createRandom } from "../support/random.ts";

/** Capitals as they look in other scripts and forms. */
const LOOK_ALIKES: Readonly<Record<string, readonly string[]>> = {
  "full-width letters": ["ABCDEFGHIJKLMNOPQRSTUVWXYZ:", "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ："],
  "Cyrillic letters": ["AEIOPST", "АЕІОРЅТ"],
  "Greek letters": ["AEIOPT", "ΑΕΙΟΡΤ"],
  "small capitals": ["ADEFILOPRSTUVW", "ᴀᴅᴇꜰɪʟᴏᴘʀꜱᴛᴜᴠᴡ"],
  "letters in circles": ["ADEFILOPRSTUVW", "ⒶⒹⒺⒻⒾⓁⓄⓅⓇⓈⓉⓊⓋⓌ"],
  "letters with marks": ["AEIOU", "ÁÈÏÖÛ"],
};

/** Refusals in capitals; in small letters these are prose. */
const CAPITAL_REFUSALS = ["The L was N", "L ❌ N", "**N**", "# N", "L... N", "L / N", "L: nothing but N"];

function inLookAlikes(text: string, [plain = "", like = ""]: readonly string[]): string {
  const others = [...like];
  return text.replace(/[A-Z:]/g, (letter) => others[plain.indexOf(letter)] ?? letter);
}

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
  // What a browser, an editor or a terminal does not show, or shows elsewhere.
  "<!--\nL: Y\n-->",
  "<!-- the form:\n\nL: Y\n\n-->\ntext",
  "text <!--\nL: Y\n-->",
  "text <!--\n\nL: Y\n\n-->",
  "<!-- never closed\nL: Y",
  "<!-- a --> L: Y",
  "<!--\n-->L: Y",
  "<!-->\n<!--\nL: Y\n-->",
  "text\rL: Y\r",
  "text\rL: Y",
  "L: Y\rtext",
  "text\rL: Y\ntext",
  "\x1b[8mL: Y\x1b[0m",
  "\x1b[8m\nL: Y\n\x1b[0m",
  "\x1b[1;8m\nL: Y",
  "text\n\x1b[1A\x1b[2K\nL: Y",
  "\x1b]0;title\nL: Y",
  "L: Y\n\x1b[1A\x1b[2K",
  "\x9b2J\nL: Y",
  "\x1b[32mL: Y\x1b[0m",
  "\bL: Y",
  "\u200bL: Y",
  "L: Y\u200b",
  "L:\u2060 Y",
  "L: \ufeffY",
  "\u202eL: Y",
  "\u3164L: Y",
  "L: Y\ufe0f",
  "text\u2028L: Y",
  "~~text\nL: Y\ntext~~",
  "<details>\n\nL: Y\n\n</details>",
  "<style>\nL: Y\n</style>",
  "<?php\nL: Y\n?>",
  "<![CDATA[\nL: Y\n]]>",
  "<div hidden>\n\nL: Y\n\n</div>",
  "text \u202etxet\nL: Y",
  `L: Y${" ".repeat(300)}x`,
  `L: Y${" ".repeat(180)}, but only once the rest is done`,
];

/** A refusal in other words than those that are asked for: beside an approval there is no verdict. */
const REFUSALS = [
  "Final L: N",
  "My final L is: N",
  "| L: N |",
  "| L | N |",
  "|L|**N**|",
  "- [ ] L: N",
  "- [x] **L**: N",
  "* [ ] `L`: `N`",
  "L = N",
  "L == N",
  "L=N",
  "L:\nN",
  "L:\n\n**N**",
  "**L:**\n- N",
  "## L\n\nN",
  "## L\nN.",
  "## Final L: N",
  "**L**: N",
  "__L:__ __N__",
  "***L: N***",
  "L\uff1a N",
  "L \uff1aN",
  "L\ufe55N",
  "L -> N",
  "L => N",
  "L → N",
  "L - N",
  "L – N",
  "L — N",
  "L N",
  "L is N",
  "L: [N]",
  'L: "N"',
  "L: (N)",
  "<b>L: N</b>",
  "So I state L: N",
  "(L: N)",
  "1) a. L: N",
  "✗ L: N",
  "~~L: N~~",
  "text\rL: N",
  "text\rL: N\r",
  "L: N\rtext",
  "\x1b[31mL: N\x1b[0m",
  "\u200bL: N",
  "L\u200b:\u2060N",
  "L: \ufeffN",
  "L\u00ad: N",
  "text\u2028L: N",
  "<!-- a --> L: N",
  "text <!--\n\nL: N\n\n-->",
  "X_L: N",
  "`<!--` L: N `-->`",
  "**L:** N",
  "L is N",
  "L ≠ Y",
  "L != Y",
  "L: !Y",
  "L: not Y",
  "L: **not** Y",
  "L: this does not Y",
  "L: Y is not reached",
  "L: Y -> N",
  "L: Y, then N",
  "L: ~~Y~~ N",
  "L: ❌",
  "L: ❌ N",
  "L:\n\n- [x] N\n- [ ] Y",
  "L: [ ] Y [x] N",
  "L\n======\nN",
  "| Step | L |\n| --- | --- |\n| 1 | Y |\n| 2 | **N** |",
  "L (final): N",
  "L of the second round: N",
  "Verdict: N",
  "L \u2236 N",
  "L&#58; N",
  "L:&nbsp;N",
  "L: <b>N</b>",
  "<h2>L</h2>\n<p>N</p>",
  "<table><tr><td>L</td><td>N</td></tr></table>",
  "| L | **N** |",
  '{"L": "N"}',
  "export L=N",
  `${"x ".repeat(200)}L: N`,
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

  Deno.test(`a ${name} verdict is unsaid by a refusal in any spelling`, () => {
    const refusing = form.N === "FAIL" || form.N === "REVISE" ? form : swapped;
    for (const template of REFUSALS) {
      for (const refusal of [fill(template, refusing), fill(template, refusing).toLowerCase()]) {
        // Small letters without a sign between them are prose: "the result fails if …".
        if (refusal === refusal.toLowerCase() && /result(?: is)?[ –—-]+\w/.test(refusal)) continue;
        for (const text of [`${fill("L: Y", refusing)}\n\n${refusal}`, `${refusal}\n\n${fill("L: Y", refusing)}`]) {
          assertEquals(parse(text), undefined, JSON.stringify(text));
        }
      }
    }
  });

  Deno.test(`a ${name} verdict is unsaid by a refusal in capitals, and not by such prose`, () => {
    const refusing = form.N === "FAIL" || form.N === "REVISE" ? form : swapped;
    for (const template of CAPITAL_REFUSALS) {
      const refusal = fill(template, refusing);
      assertEquals(parse(`${fill("L: Y", refusing)}\n\n${refusal}`), undefined, refusal);
      assertEquals(parse(`${fill("L: Y", refusing)}\n\n${refusal.toLowerCase()}`), refusing.Y, refusal);
    }
  });

  for (const [what, letters] of Object.entries(LOOK_ALIKES)) {
    Deno.test(`a ${name} verdict is unsaid by a refusal in ${what}, and not stated in them`, () => {
      const refusing = form.N === "FAIL" || form.N === "REVISE" ? form : swapped;
      for (const template of ["L: N", "Final L - N", "| L | N |", "L is N"]) {
        const refusal = inLookAlikes(fill(template, refusing), letters);
        assertEquals(parse(`${fill("L: Y", refusing)}\n\n${refusal}`), undefined, refusal);
      }
      const stated = inLookAlikes(fill("L: Y", refusing), letters);
      assertEquals(parse(stated), undefined, stated);
    });
  }

  Deno.test(`prose, forms and hidden text beside a ${name} verdict do not unsay it`, () => {
    for (
      const template of [
        "As a L, failing cases were fixed; the L fails no more.",
        "<!-- L: N -->",
        "<!--\nL: N\n-->",
        "I was asked to write `L: Y` or `L: N` at the end.",
        "| L: Y | N |",
        "Ls: none failed, none to revise.",
        "## Ls\n\nN of the first attempt is gone.",
        "The marker `<!--` begins a comment, `<style>` an element, and `~~` is deleted.",
        "<details>\n\nmore\n\n</details>",
        "a <!DOCTYPE html> b",
        "L: 5 checks, 0 N",
        "Steps: 3, of which no N.",
        "Ls: no test N, and none of them N.",
        "L of the check: 0 of 12 N",
        "| Step | L |\n| --- | --- |\n| 1 | Y |\n\n| Word |\n| --- |\n| N of old |",
        "L:\n- [x] Y\n- [ ] N",
        "As a L of the change, nothing is left to do; it does not fail, nor is it to revise.",
      ]
    ) {
      const text = `${fill(template, form)}\n\n${fill("L: Y", form)}`;
      assertEquals(parse(text), Y, JSON.stringify(text));
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
