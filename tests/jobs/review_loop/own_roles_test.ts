/** Roles that a configuration makes: their place in the loop, what they read, and where a no leads. */
import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { loopProblem, type LoopShape, outlineOf, readBy } from "../../../lib/jobs/review_loop/shapes.ts";
import { responsePathOf } from "../../../lib/turn/response_files.ts";
import { FAIL, GOOD_REVIEW, PASS, REVISE, runScripted } from "./scripted_agents.ts";

const SECURITY = { security: { gives: "review", reviews: "programmer" } } as const;

const LOOP = {
  shape: "designer, programmer, programmer_review, security, judge",
  ownRoles: { designer: { gives: "work" }, ...SECURITY, judge: { gives: "test" } },
  words: {
    designer: "Design it.",
    security: "Look for holes.",
    judge: "Try it out.",
  },
} as const;

function script(changed: Readonly<Record<string, readonly string[]>> = {}) {
  return {
    designer: ["Design: a flag."],
    security: [GOOD_REVIEW],
    judge: [PASS],
    ...changed,
  };
}

Deno.test("a loop of roles of one's own: each works in its place, reads those before it, and has its own file", async () => {
  const { result, sent, turnIds } = await runScripted(script(), { settings: LOOP });
  assertEquals(result.outcome, "pass");
  assertEquals(turnIds, ["r1-designer", "r1-programmer-c1", "r1-programmer_review-c1", "r1-security-c1", "r1-judge"]);
  const promptOf = (role: string) => sent.find((one) => one.role === role)!.prompt;
  assertStringIncludes(promptOf("designer"), "WHAT THIS PROJECT WANTS OF THE DESIGNER");
  assertStringIncludes(promptOf("designer"), "/job/.tmp/agent-responses/designer_response.md");
  for (const role of ["programmer", "programmer_review", "security", "judge"]) {
    assertMatch(promptOf(role), /OUTPUT OF THE DESIGNER[^]*Design: a flag\./);
  }
  assertStringIncludes(promptOf("security"), "Look for holes.");
  assertEquals(promptOf("security").split("Files changed: src/greet.ts.").length, 2);
  assertStringIncludes(promptOf("security"), "REVIEW_RESULT: APPROVED | REVISE");
  assertStringIncludes(promptOf("judge"), "RESULT: PASS | FAIL");
});

Deno.test("a second reviewer's REVISE goes back to the author, whose first reviewer looks again before it", async () => {
  const { sent, turnIds } = await runScripted(script({ security: [REVISE, GOOD_REVIEW] }), { settings: LOOP });
  assertEquals(turnIds.slice(1, -1), [
    ...["r1-programmer-c1", "r1-programmer_review-c1", "r1-security-c1"],
    ...["r1-programmer-c2", "r1-programmer_review-c2", "r1-security-c2"],
  ]);
  const again = sent.find(({ turn }) => turn.id === "r1-programmer-c2")!.prompt;
  assertMatch(again, /REVIEW OF YOUR LAST CHANGES[^]*The empty name is not handled\./);
  // A note is for the reviewer whose approval it is about.
  assertEquals(sent.some(({ prompt }) => prompt.includes("Note by panewright on your last review")), false);
});

Deno.test("what a reviewer has not approved by the last cycle stays open, whatever the next reviewer says", async () => {
  const settings = { ...LOOP, maxReviewCycles: 1 };
  const open = await runScripted(script({ programmer_review: [REVISE] }), { settings });
  const judged = open.sent.find(({ role }) => role === "judge")!.prompt;
  assertMatch(judged, /OPEN POINTS OF A REVIEW OF THE PROGRAMMER[^]*The empty name is not handled\./);
  const both = await runScripted(
    script({ programmer_review: [REVISE], security: [REVISE.replace("empty name", "long name")] }),
    { settings },
  );
  const prompt = both.sent.find(({ role }) => role === "judge")!.prompt;
  assertStringIncludes(prompt, "The empty name is not handled.");
  assertStringIncludes(prompt, "The long name is not handled.");
  const closed = await runScripted(script(), { settings });
  assertEquals(closed.sent.find(({ role }) => role === "judge")!.prompt.includes("OPEN POINTS"), false);
});

Deno.test("what fails goes to the role that mends it, which hears why and what it did before", async () => {
  const shape = "designer, tester";
  const settings = {
    shape,
    ownRoles: { designer: { gives: "work" } },
    words: { designer: "Write the page." },
  } as const;
  const { result, sent, turnIds } = await runScripted(
    { designer: ["Page one.", "Page two."], tester: [FAIL, PASS] },
    { settings },
  );
  assertEquals([result.outcome, turnIds], ["pass", ["r1-designer", "r1-tester", "r2-designer", "r2-tester"]]);
  // Of a role that the loop has not, nothing is said.
  assertEquals(sent.some(({ prompt }) => /OUTPUT OF THE (?:ANALYST|PROGRAMMER)/.test(prompt)), false);
  const again = sent[2]!.prompt;
  assertMatch(again, /The test of round 1 failed[^]*got hello ada[^]*CHANGES THAT YOU REPORTED[^]*Page one\./);
});

Deno.test("mended_by: the analyst begins the next round, and hears what the test has found", async () => {
  const { turnIds, sent } = await runScripted({ tester: [FAIL, PASS] }, {
    settings: { shape: "analyst, programmer, tester", mendedBy: "analyst" },
  });
  assertEquals(turnIds, ["r1-analyst", "r1-programmer", "r1-tester", "r2-analyst", "r2-programmer", "r2-tester"]);
  assertMatch(sent[3]!.prompt, /The test of round 1 failed[^]*got hello ada/);
});

Deno.test("a judge's verdict that is missing is asked for once, in its own words, and is then FAIL", async () => {
  const { state, sent } = await runScripted(script({ judge: ["It works."] }), { settings: { ...LOOP, maxRounds: 1 } });
  assertEquals(state.loop.stage, { kind: "finished", outcome: "fail", reason: "the test did not pass in 1 round" });
  assertStringIncludes(sent.at(-1)!.prompt, "Your last response as judge had no clear verdict");
  assertStringIncludes(sent.at(-1)!.prompt, "RESULT: PASS | FAIL");
});

Deno.test("loops that are none are told, with the role at fault", () => {
  const cases: readonly (readonly [LoopShape, string | undefined])[] = [
    [{ shape: "programmer, securty", ownRoles: SECURITY }, 'there is no role "securty" (did you mean "security"?)'],
    [{ shape: "security, programmer", ownRoles: SECURITY }, "the security must come right after the programmer"],
    [
      { shape: "programmer, a, security", ownRoles: { ...SECURITY, a: { gives: "work" } } },
      "the security must come right after the programmer",
    ],
    [
      { shape: "judge, programmer", ownRoles: { judge: { gives: "test" } } },
      "the judge tests, and must be the last one",
    ],
    [
      { shape: "programmer, a", ownRoles: { a: { gives: "work", reads: ["tester"] } } },
      "the a reads the tester, which does not come before it",
    ],
    [{ shape: "programmer, tester", mendedBy: "analyst" }, "it has no analyst, who is to mend what fails"],
    [{ shape: "pair", mendedBy: "programmer_review" }, "the programmer_review reviews, and cannot mend what fails"],
    [
      { shape: "judge", ownRoles: { judge: { gives: "test" } } },
      "nobody mends what fails: it needs the programmer",
    ],
    [{
      shape: "a,b,c,d,e,f,g,h,i,j",
      ownRoles: Object.fromEntries([..."abcdefghij"].map((name) => [name, { gives: "work" }])),
    }, "it has 10 roles, and 9 are the most"],
    [{ shape: "programmer, programmer_review, security, tester", ownRoles: SECURITY }, undefined],
    [{ shape: "a", ownRoles: { a: { gives: "work" } } }, undefined],
  ];
  for (const [loop, problem] of cases) assertEquals(loopProblem(loop), problem, loop.shape);
  assertThrows(
    () => reviewLoopSettings({ shape: "a, a", ownRoles: { a: { gives: "work" } } }),
    UsageError,
    "Cannot use the loop a, a: it has the a twice",
  );
});

Deno.test("what a role reads: what is named, or all work before it, and of the five what they always read", () => {
  const ownRoles = {
    designer: { gives: "work" },
    writer: { gives: "work", reads: [] },
    security: { gives: "review", reviews: "writer" },
  } as const;
  const loop = { shape: "analyst, designer, programmer, writer, security, tester", ownRoles };
  assertEquals(loopProblem(loop), undefined);
  const reads = ["designer", "programmer", "writer", "security", "tester"].map((role) => readBy(role, loop));
  assertEquals(reads, [["analyst"], ["designer"], [], ["analyst", "designer", "programmer"], ["designer", "writer"]]);
  assertEquals(outlineOf(loop).map(({ name, gives, back }) => [name, gives, back]).slice(3), [
    ["writer", "work", undefined],
    ["security", "review", "writer"],
    ["tester", "test", "programmer"],
  ]);
});

Deno.test("no name of a role leads out of the folder of responses", () => {
  for (const role of ["../x", "a/b", "A", "", "constructor", "a".repeat(33)]) {
    assertThrows(() => responsePathOf("/job", role), UsageError, "no role has this name");
  }
});
