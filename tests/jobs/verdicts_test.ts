import { assertEquals } from "@std/assert";
import { fenced } from "../../lib/base/text/markdown.ts";
import { parseReviewVerdict, parseTestVerdict } from "../../lib/jobs/verdicts.ts";
import { createRandom } from "../support/random.ts";
import CASES from "../../fixtures/verdicts.json" with { type: "json" };

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

for (const form of FORMS) {
  const { name, parse, Y, N } = form;
  const swapped = { ...form, Y: N, N: Y };

  Deno.test(`a ${name} verdict on a line of its own is read, whatever its decoration`, () => {
    for (const template of CASES.states) {
      assertEquals(parse(fill(template, form)), Y, JSON.stringify(fill(template, form)));
      assertEquals(parse(fill(template, swapped)), N, JSON.stringify(fill(template, swapped)));
      assertEquals(parse(fill(template, form).toLowerCase()), Y, "in lower case: " + JSON.stringify(template));
    }
  });

  Deno.test(`templates, contradictions, quotes, code and half statements are no ${name} verdict`, () => {
    for (const template of Object.values(CASES.none).flat()) {
      for (const values of [form, swapped]) {
        assertEquals(parse(fill(template, values)), undefined, JSON.stringify(fill(template, values)));
      }
    }
  });

  Deno.test(`a ${name} verdict is unsaid by a refusal in any spelling`, () => {
    const refusing = form.N === "FAIL" || form.N === "REVISE" ? form : swapped;
    for (const template of CASES.refusals) {
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

  Deno.test(`a ${name} verdict is unsaid by what takes it back or cannot be beside it, and not by an honest report`, () => {
    const refusing = form.N === "FAIL" || form.N === "REVISE" ? form : swapped;
    for (const template of [...CASES.retractions, ...CASES.honest]) {
      const expected = CASES.honest.includes(template) ? refusing.Y : undefined;
      const said = template.replace(/\b[LYN]\b/g, (letter) => fill(letter, refusing));
      for (const text of [`${fill("L: Y", refusing)}\n\n${said}`, `${said}\n\n${fill("L: Y", refusing)}`]) {
        assertEquals(parse(text), expected, JSON.stringify(text));
      }
    }
  });

  Deno.test(`prose, forms and hidden text beside a ${name} verdict do not unsay it`, () => {
    for (const template of CASES.beside) {
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

Deno.test("a refusal in letters that only look like its own unsays a verdict", () => {
  for (const word of CASES.lookAlikes) {
    for (const refusal of [`RESULT: ${word}`, `Correction: ${word}`]) {
      assertEquals(parseTestVerdict(`RESULT: PASS\n\n${refusal}`), undefined, refusal);
    }
  }
  assertEquals(parseReviewVerdict("REVIEW_RESULT: APPROVED\n\nREVIEW_RESULT: REVlSE"), undefined);
  assertEquals(parseReviewVerdict("REVIEW_RESULT: APPROVED\n\nREVIEW_RESULT: R3V1SE"), undefined);
});

Deno.test("a test verdict is no review verdict and the other way round", () => {
  assertEquals(parseReviewVerdict("RESULT: PASS"), undefined);
  assertEquals(parseReviewVerdict("RESULT: APPROVED"), undefined);
  assertEquals(parseTestVerdict("REVIEW_RESULT: APPROVED"), undefined);
  assertEquals(parseTestVerdict("REVIEW_RESULT: PASS"), undefined);
  assertEquals(parseReviewVerdict("REVIEW\\_RESULT: APPROVED"), "APPROVED");
});
