import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  approvalObjection,
  EVIDENCE_KINDS,
  type EvidenceKind,
  findEvidence,
  hasReviewNotes,
} from "../../../lib/jobs/review_loop/evidence.ts";
import { pathsIn } from "../../../lib/base/text/paths_in.ts";
import { GOOD_REVIEW } from "./scripted_agents.ts";

const SETTINGS = { maxReviewCycles: 3, minReviewCyclesBeforeApproval: 2, reviewEvidenceMinMatch: 3 };

Deno.test("a review with all its parts holds all four kinds of evidence", () => {
  assertEquals(findEvidence(GOOD_REVIEW), [...EVIDENCE_KINDS]);
});

Deno.test("each kind of evidence is found by itself, and not in its empty phrase", () => {
  const cases: [EvidenceKind, string[], string[]][] = [
    [
      "artefact and verdict",
      [
        "The specification is complete.",
        "- design notes: consistent with each other",
        "Implementation: correct.",
        "## Artefacts\n- src/a.ts: read",
      ],
      [
        "The specification.",
        "It is complete.",
        "## Artefacts\nnone",
        "REVIEW_RESULT: APPROVED",
        "**RESULT: PASS** tests",
      ],
    ],
    [
      "traceability and coverage",
      [
        "Requirement 2 is implemented.",
        "Scenario 1 -> step 4",
        "every acceptance criterion is covered",
        "Traceability:\n- flag: src/cli.ts",
      ],
      ["Requirement 2.", "everything is covered", "Traceability:\n- yes", "Traceability:\n## Files\n- src/cli.ts"],
    ],
    [
      "interfaces or files and modules",
      [
        "I opened lib/a.ts and lib/b.ts.",
        "lib/a.ts\nsome text\nREADME.md",
        "the function `parse(text)` takes a string",
      ],
      ["I opened lib/a.ts and then lib/a.ts again.", "the function takes a string", "`x`"],
    ],
    [
      "concrete action items",
      [
        "- Add a test for it in tests/a_test.ts",
        "1. rename `foo` to `bar`",
        "## Action items\n- lib/a.ts: the limit is off",
      ],
      [
        "- Add more tests",
        "Add a test in tests/a_test.ts",
        "- none",
        "## Files\n- lib/a.ts: the limit is off",
        "- src/actions.ts: the limit is off",
      ],
    ],
  ];
  for (const [kind, enough, tooLittle] of cases) {
    for (const text of enough) assert(findEvidence(text).includes(kind), `${kind}: ${text}`);
    for (const text of tooLittle) assert(!findEvidence(text).includes(kind), `${kind}: ${text}`);
  }
});

Deno.test("reviews as agents write them, in several styles, hold the evidence that they give", () => {
  const styles = [
    `**Artefacts and judgement**
- \`src/greet.ts\`: implements the flag as described, OK.
- \`tests/greet_test.ts\`: both paths.

**Traceability and coverage**
- Flag parsed: src/cli.ts:14.
- Second step: dealt with in \`greet()\`.

**Interfaces, files and modules**
- src/greet.ts, src/cli.ts

**Action items**
- None.`,
    `1. Artefacts and judgement: the change to src/greet.ts is fine.
2. Traceability and coverage: every point of the scenario is handled.
3. Interfaces, files and modules: src/greet.ts and src/cli.ts.
4. Action items: none.`,
    `## Artefacts & judgement
| file | result |
|---|---|
| src/greet.ts | ✅ |
## Traceability
Scenario step 1 → src/greet.ts
## Files
- src/cli.ts
## Action items
- src/cli.ts: the help text is one line too long`,
  ];
  assertEquals(styles.map((style) => findEvidence(style).length), [3, 3, 4]);
});

Deno.test("politeness is no evidence", () => {
  for (
    const text of ["LGTM!", "Looks good to me.\nREVIEW_NOTES: great\nREVIEW_RESULT: APPROVED", "", "Very nice work."]
  ) {
    assertEquals(findEvidence(text), []);
  }
});

Deno.test("what stands in code blocks and quotes is no evidence", () => {
  assertEquals(findEvidence("```\n" + GOOD_REVIEW + "\n```"), []);
  assertEquals(findEvidence(GOOD_REVIEW.replace(/^/gm, "> ")), []);
});

Deno.test("file paths are told from words with slashes, dots and addresses", () => {
  const paths = [
    "lib/mod.ts",
    "./run.sh",
    "/etc/hosts",
    "src/main",
    "README.md",
    "a/b/c",
    "@scope/pkg/mod.js",
    "~/x.txt",
  ];
  for (const path of paths) assertEquals(pathsIn(`see \`${path}\`, please`), [path]);
  for (const text of ["and/or", "3/4", "e.g. this", "https://example.com/x", "1.5", "end.", "...", "//", "100%"]) {
    assertEquals(pathsIn(text), [], text);
  }
  assertEquals(pathsIn("lib/mod.ts:12:3: error in (lib/b.ts:7)."), ["lib/mod.ts", "lib/b.ts"]);
});

Deno.test("file paths are told in any script, and prose of any script is none", () => {
  const paths = ["römisch.sh", "проверка.py", "日本.ts", "مرحبا.js", "नमस्ते.rb", "src/größe", "ñandú.c", "./été"];
  for (const path of paths) {
    for (const form of ["NFC", "NFD"]) {
      assertEquals(pathsIn(`see ${path.normalize(form)}, please`), [path.normalize("NFC")], `${path} ${form}`);
      assertEquals(pathsIn(`„${path.normalize(form)}“ und “${path}”`), [path, path].map((one) => one.normalize("NFC")));
    }
  }
  assertEquals(pathsIn("日本.tsを確認、「テスト/日本/試験.py」。"), ["日本.ts", "テスト/日本/試験.py"]);
  assertEquals(pathsIn("파일.ts에서, файл.ts-а: README.mdは"), ["파일.ts", "файл.ts", "README.md"]);
  for (const text of ["и/или", "входные/выходные", "前端/后端", "т.е. так", "½/¾", "конец.", "完了。"]) {
    assertEquals(pathsIn(text), [], text);
  }
});

Deno.test("a review that names files of any script is measured like any other", () => {
  for (
    const [one, other] of [["römisch.sh", "prüfung.sh"], ["проверка.py", "число.py"], ["日本.ts", "試験.ts"]] as const
  ) {
    const review = (a: string, b: string) =>
      `1. Artefacts and judgement: ${a} is correct.
2. Traceability and coverage: scenario step 1 is covered by ${b}.
3. Interfaces, files and modules: ${a}, ${b}
4. Action items:
- Add a case for zero to ${b}`;
    assertEquals(findEvidence(review(one, other)), findEvidence(review("roman.sh", "check.sh")));
    assertEquals(findEvidence(review(one.normalize("NFD"), other)).length, 4);
    assertEquals(findEvidence(`3. Interfaces, files and modules: ${one}, ${one.normalize("NFD")}`), []);
  }
});

Deno.test("REVIEW_NOTES must be there and say something", () => {
  for (
    const text of [
      "REVIEW_NOTES: fine",
      "REVIEW_NOTES:\n\nfine",
      "**REVIEW_NOTES:**\n- point one",
      "## review_notes:\ntext\nREVIEW_RESULT: APPROVED",
      "REVIEW_NOTES:\n日本語",
      "- REVIEW\\_NOTES: fine",
    ]
  ) assert(hasReviewNotes(text), text);
  for (
    const text of [
      "",
      "notes",
      "REVIEW_NOTES:",
      "REVIEW_NOTES:\n\nREVIEW_RESULT: APPROVED",
      "REVIEW_NOTES: none",
      "REVIEW_NOTES:\n- N/A\n",
      "REVIEW_NOTES: ---",
      "> REVIEW_NOTES: fine",
      "```\nREVIEW_NOTES: fine\n```",
      "the REVIEW_NOTES: fine",
    ]
  ) assert(!hasReviewNotes(text), text);
});

Deno.test("an approval counts from the minimum cycle on, with notes and enough evidence", () => {
  assertEquals(approvalObjection(GOOD_REVIEW, { cycle: 2, settings: SETTINGS }), undefined);
  assertEquals(
    approvalObjection(GOOD_REVIEW, { cycle: 1, settings: SETTINGS }),
    "approval ignored: cycle 1 of at least 2",
  );
  assertEquals(
    approvalObjection(GOOD_REVIEW.replace(/REVIEW_NOTES:.*\n/, ""), { cycle: 2, settings: SETTINGS }),
    "approval ignored: no REVIEW_NOTES",
  );
  assertStringIncludes(
    approvalObjection("REVIEW_NOTES: The design is sound.", { cycle: 3, settings: SETTINGS }) ?? "",
    "approval ignored: 1 of at least 3 kinds of evidence (missing: traceability and coverage,",
  );
});

Deno.test("the evidence needed follows the setting", () => {
  const settings = { ...SETTINGS, reviewEvidenceMinMatch: 0, minReviewCyclesBeforeApproval: 1 };
  assertEquals(approvalObjection("REVIEW_NOTES: yes", { cycle: 1, settings }), undefined);
  assert(approvalObjection("REVIEW_NOTES: yes", { cycle: 1, settings: { ...settings, reviewEvidenceMinMatch: 1 } }));
});

Deno.test("a minimum cycle beyond the last one means the last one", () => {
  const settings = { ...SETTINGS, maxReviewCycles: 1, minReviewCyclesBeforeApproval: 2 };
  assertEquals(approvalObjection(GOOD_REVIEW, { cycle: 1, settings }), undefined);
});
