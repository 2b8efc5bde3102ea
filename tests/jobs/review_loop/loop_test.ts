import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { type Role, ROLES } from "../../../lib/base/roles.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import type { TestCommandResult } from "../../../lib/jobs/test_command.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import { FAIL, GOOD_REVIEW, JOB, PASS, recorded, REVISE, runScripted, type Sent } from "./scripted_agents.ts";

function commandResult(over: Partial<TestCommandResult> = {}): TestCommandResult {
  return { passed: true, exitCode: 0, timedOut: false, seconds: 1, output: "1 passed\n", truncated: false, ...over };
}

function ofType<T extends ReviewFact["type"]>(events: readonly ReviewFact[], type: T) {
  return events.filter((event): event is Extract<ReviewFact, { type: T }> => event.type === type);
}

function promptOf(sent: readonly Sent[], turnId: string): string {
  const found = sent.find(({ turn }) => turn.id === turnId);
  assert(found, `no turn ${turnId} among ${sent.map(({ turn }) => turn.id)}`);
  return found.prompt;
}

Deno.test("a job that goes well passes in one round, each role asked once", async () => {
  const { result, turnIds, events } = await runScripted({});
  assertEquals([result.outcome, result.rounds, result.reason], ["pass", 1, "the test of round 1 passed"]);
  assertEquals(turnIds, [
    "r1-analyst-c1",
    "r1-analyst_review-c1",
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r1-tester",
  ]);
  assertEquals(events.map(({ type }) => type), [
    "round_started",
    "turn_started",
    "turn_started",
    "review_decided",
    "turn_started",
    "turn_started",
    "review_decided",
    "turn_started",
    "round_finished",
  ]);
  assertEquals(events.at(-1), { type: "round_finished", round: 1, verdict: "PASS" });
});

Deno.test("a two-round job: REVISE then APPROVED, the first test fails, the second passes", async () => {
  const { result, turnIds, sent, events } = await runScripted({
    analyst_review: [REVISE, GOOD_REVIEW],
    programmer: ["Files changed: src/first.ts.", "Files changed: src/second.ts.", "Files changed: src/third.ts."],
    programmer_review: [REVISE, GOOD_REVIEW],
    tester: [FAIL, PASS],
  });
  assertEquals([result.outcome, result.rounds], ["pass", 2]);
  assertEquals(turnIds, [
    "r1-analyst-c1",
    "r1-analyst_review-c1",
    "r1-analyst-c2",
    "r1-analyst_review-c2",
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r1-programmer-c2",
    "r1-programmer_review-c2",
    "r1-tester",
    "r2-programmer-c1",
    "r2-programmer_review-c1",
    "r2-tester",
  ]);
  assertStringIncludes(promptOf(sent, "r1-analyst-c2"), "The empty name is not handled.");
  assertStringIncludes(promptOf(sent, "r1-programmer-c2"), "The empty name is not handled.");
  const retry = promptOf(sent, "r2-programmer-c1");
  assertStringIncludes(retry, "got hello ada");
  assertStringIncludes(retry, "Files changed: src/second.ts.");
  assertStringIncludes(retry, "Analysis: change src/greet.ts.");
  assert(!retry.includes("The empty name is not handled."), "the review of an earlier round is over");
  assertStringIncludes(promptOf(sent, "r2-programmer_review-c1"), "Files changed: src/third.ts.");
  assertStringIncludes(promptOf(sent, "r2-tester"), "Files changed: src/third.ts.");
  assertEquals(ofType(events, "round_finished").map(({ round, verdict }) => [round, verdict]), [[1, "FAIL"], [
    2,
    "PASS",
  ]]);
  assertEquals(ofType(events, "round_started").map(({ round }) => round), [1, 2]);
});

Deno.test("turn ids are unique and the event of a turn names its prompt's size in bytes", async () => {
  const { turnIds, sent, events } = await runScripted({
    analyst: ["ä"],
    analyst_review: ["no verdict", REVISE, REVISE, "none again", "none"],
    tester: ["?", FAIL, FAIL, PASS],
  });
  assertEquals(new Set(turnIds).size, turnIds.length);
  assertEquals(
    ofType(events, "turn_started").map(({ turnId, role, promptBytes }) => [turnId, role, promptBytes]),
    sent.map(({ turn, role, prompt }) => [turn.id, role, new TextEncoder().encode(prompt).length]),
  );
});

Deno.test("an approval before the minimum cycle is ignored, told to author and reviewer, and counted as REVISE", async () => {
  const { turnIds, events, sent } = await runScripted({}, { settings: { minReviewCyclesBeforeApproval: 2 } });
  assertEquals(turnIds.slice(0, 5), [
    "r1-analyst-c1",
    "r1-analyst_review-c1",
    "r1-analyst-c2",
    "r1-analyst_review-c2",
    "r1-programmer-c1",
  ]);
  assertEquals(ofType(events, "review_decided").slice(0, 2), [
    {
      type: "review_decided",
      role: "analyst_review",
      round: 1,
      cycle: 1,
      verdict: "REVISE",
      note: "approval ignored: cycle 1 of at least 2",
    },
    { type: "review_decided", role: "analyst_review", round: 1, cycle: 2, verdict: "APPROVED" },
  ]);
  for (const turnId of ["r1-analyst-c2", "r1-analyst_review-c2"]) {
    assertStringIncludes(promptOf(sent, turnId), "approval ignored: cycle 1 of at least 2");
  }
  assert(!promptOf(sent, "r1-programmer-c1").includes("approval ignored"));
});

Deno.test("an approval without evidence is ignored in every cycle", async () => {
  const { events } = await runScripted({ analyst_review: ["REVIEW_NOTES: ok\nREVIEW_RESULT: APPROVED"] });
  const decided = ofType(events, "review_decided").filter(({ role }) => role === "analyst_review");
  assertEquals(decided.map(({ verdict }) => verdict), ["REVISE", "REVISE", "REVISE"]);
  for (const { note } of decided) {
    assertStringIncludes(note ?? "", "approval ignored: 0 of at least 3 kinds of evidence");
  }
});

Deno.test("an ambiguous review is asked once for its verdict, and the evidence of both responses counts", async () => {
  const review = GOOD_REVIEW.replace("REVIEW_RESULT: APPROVED", "REVIEW_RESULT: APPROVED or REVIEW_RESULT: REVISE");
  const { turnIds, events, sent } = await runScripted({ analyst_review: [review, "REVIEW_RESULT: APPROVED"] });
  assertEquals(turnIds.slice(1, 4), ["r1-analyst_review-c1", "r1-analyst_review-c1-verdict", "r1-programmer-c1"]);
  assertEquals(ofType(events, "warning").map(({ role }) => role), ["analyst_review"]);
  assertEquals(ofType(events, "review_decided")[0]?.verdict, "APPROVED");
  const question = promptOf(sent, "r1-analyst_review-c1-verdict");
  assert(question.length < promptOf(sent, "r1-analyst_review-c1").length / 2);
  assertStringIncludes(question, "analyst_review.md");
});

Deno.test("a review that states no verdict even when asked is REVISE", async () => {
  const { turnIds, events } = await runScripted({
    programmer_review: ["fine", "REVIEW_RESULT: APPROVED\nREVIEW_RESULT: REVISE", GOOD_REVIEW],
  });
  assertEquals(turnIds.slice(2, 7), [
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r1-programmer_review-c1-verdict",
    "r1-programmer-c2",
    "r1-programmer_review-c2",
  ]);
  assertEquals(ofType(events, "review_decided")[1], {
    type: "review_decided",
    role: "programmer_review",
    round: 1,
    cycle: 1,
    verdict: "REVISE",
    note: "no unambiguous verdict, even when asked: taken as REVISE",
  });
});

Deno.test("the tester is asked once for a missing verdict; none again is FAIL, with both responses as evidence", async () => {
  const { turnIds, result, sent, events } = await runScripted(
    { tester: ["RESULT: PASS | FAIL", "all is well", "later", "RESULT: PASS"] },
  );
  assertEquals(turnIds.slice(4), [
    "r1-tester",
    "r1-tester-verdict",
    "r2-programmer-c1",
    "r2-programmer_review-c1",
    "r2-tester",
    "r2-tester-verdict",
  ]);
  assertEquals([result.outcome, result.rounds], ["pass", 2]);
  assertEquals(
    ofType(events, "round_finished")[0]?.note,
    "no unambiguous verdict of the tester, even when asked: taken as FAIL",
  );
  assertStringIncludes(promptOf(sent, "r2-programmer-c1"), "all is well");
});

Deno.test("at the review limit the loop proceeds, and the next role is given the open points", async () => {
  const { result, turnIds, events, sent } = await runScripted(
    { analyst_review: [REVISE], programmer_review: [REVISE] },
    { settings: { maxReviewCycles: 2 } },
  );
  assertEquals(result.outcome, "pass");
  assertEquals(turnIds.length, 9);
  assertEquals(ofType(events, "review_limit_reached"), [
    { type: "review_limit_reached", role: "analyst_review", round: 1, then: "proceed" },
    { type: "review_limit_reached", role: "programmer_review", round: 1, then: "proceed" },
  ]);
  assertStringIncludes(promptOf(sent, "r1-programmer-c1"), "OPEN POINTS OF THE ANALYST'S REVIEW");
  assert(!promptOf(sent, "r1-programmer-c2").includes("OPEN POINTS OF THE ANALYST'S REVIEW"), "told once");
  assertStringIncludes(promptOf(sent, "r1-programmer-c1"), "The empty name is not handled.");
  assertStringIncludes(promptOf(sent, "r1-tester"), "OPEN POINTS OF THE PROGRAMMER'S REVIEW");
});

Deno.test("a review that was not met at the limit goes into the next round's first prompt", async () => {
  const { sent } = await runScripted({ programmer_review: [REVISE], tester: [FAIL, PASS] }, {
    settings: { maxReviewCycles: 1 },
  });
  assertStringIncludes(promptOf(sent, "r2-programmer-c1"), "The empty name is not handled.");
});

Deno.test("a role's later prompts are shorter: what it has read in full comes condensed", async () => {
  const exploreSummary = Array.from({ length: 300 }, (_, index) => `line ${index} of the summary`).join("\n");
  const { sent } = await runScripted({ analyst_review: [REVISE, GOOD_REVIEW] }, { job: { ...JOB, exploreSummary } });
  assertStringIncludes(promptOf(sent, "r1-analyst-c1"), exploreSummary);
  assert(!promptOf(sent, "r1-analyst-c2").includes(exploreSummary));
  assertStringIncludes(promptOf(sent, "r1-programmer-c1"), exploreSummary);
});

for (const role of ["analyst_review", "programmer_review"] as const) {
  Deno.test(`at the review limit the loop fails where that is set: ${role}`, async () => {
    const { result, events, turnIds } = await runScripted({ [role]: [REVISE] }, {
      settings: { atReviewLimit: "fail" },
    });
    assertEquals([result.outcome, result.rounds], ["fail", 1]);
    assertEquals(result.reason, `${role} did not approve in 3 review cycles`);
    assertEquals(turnIds.at(-1), `r1-${role}-c3`);
    assertEquals(events.slice(-2).map(({ type }) => type), ["review_limit_reached", "round_finished"]);
  });
}

Deno.test("a test that never passes ends the loop with fail after the last round", async () => {
  const { result, turnIds, events } = await runScripted({ tester: [FAIL] }, { settings: { maxRounds: 3 } });
  assertEquals([result.outcome, result.rounds], ["fail", 3]);
  assertEquals(result.reason, "the test did not pass in 3 rounds");
  assertEquals(turnIds.filter((id) => id.endsWith("tester")), ["r1-tester", "r2-tester", "r3-tester"]);
  assertEquals(turnIds.filter((id) => id.includes("analyst")).length, 2, "the analysis is kept");
  assertEquals(ofType(events, "round_started").length, 3);
});

Deno.test("the last round's evidence is kept of a failed loop", async () => {
  const { state: { loop } } = await runScripted({ tester: [FAIL] }, {
    settings: { maxRounds: 1, projectTestCmd: ["make", "check"] },
    runTestCommand: () => Promise.resolve(commandResult({ passed: false, exitCode: 2, output: "boom" })),
  });
  assertEquals([loop.testEvidence?.report, loop.testEvidence?.command?.output], [FAIL, "boom"]);
});

for (const [index, role] of ROLES.entries()) {
  Deno.test(`start_agent ${role}: what came before is a placeholder in round 1`, async () => {
    const { result, turnIds, sent } = await runScripted({}, { settings: { startAgent: role } });
    assertEquals(result.outcome, "pass");
    assertEquals(sent.map(({ role }) => role), ROLES.slice(index));
    assertEquals(turnIds[0], role === "tester" ? "r1-tester" : `r1-${role}-c1`);
    const missing: Partial<Record<Role, string>> = {
      analyst_review: "OUTPUT OF THE ANALYST: there is none",
      programmer: "OUTPUT OF THE ANALYST: there is none",
      programmer_review: "OUTPUT OF THE PROGRAMMER: there is none",
      tester: "OUTPUT OF THE PROGRAMMER: there is none",
    };
    assertEquals(sent[0]?.prompt.includes("there is none"), role !== "analyst");
    assertStringIncludes(sent[0]?.prompt ?? "", missing[role] ?? "");
    assertStringIncludes(sent[0]?.prompt ?? "", role === "analyst" ? "" : `this run was started at ${role}`);
  });
}

Deno.test("a loop started at a reviewer goes back to the author that was left out", async () => {
  const { turnIds, sent } = await runScripted({ analyst_review: [REVISE, GOOD_REVIEW] }, {
    settings: { startAgent: "analyst_review" },
  });
  assertEquals(turnIds.slice(0, 3), ["r1-analyst_review-c1", "r1-analyst-c2", "r1-analyst_review-c2"]);
  assertStringIncludes(promptOf(sent, "r1-analyst-c2"), JOB.exploreSummary);
});

Deno.test("the test of a loop started at the tester goes back to the programmer", async () => {
  const { turnIds, sent } = await runScripted({ tester: [FAIL, PASS] }, { settings: { startAgent: "tester" } });
  assertEquals(turnIds, ["r1-tester", "r2-programmer-c1", "r2-programmer_review-c1", "r2-tester"]);
  assertStringIncludes(promptOf(sent, "r2-programmer-c1"), "got hello ada");
  assert(!promptOf(sent, "r2-programmer-c1").includes("EARLIER ROUNDS"));
});

for (const exitCode of [126, 127]) {
  Deno.test(`a test command that cannot be run (${exitCode}) is a mistake of the configuration, and no evidence`, async () => {
    const events: ReviewFact[] = [];
    const error = await assertRejects(
      () =>
        runScripted({}, {
          settings: { projectTestCmd: ["make", "check"] },
          runTestCommand: () =>
            Promise.resolve(
              commandResult({ passed: false, exitCode, output: `${"a line\n".repeat(9000)}sh: make: not found\n` }),
            ),
          onEvent: (event) => void events.push(event),
        }),
      UsageError,
      `Cannot run the project's test command (exit code ${exitCode}): make check\n${
        "a line\n".repeat(4)
      }sh: make: not found`,
    );
    assertEquals(error.exitCode, 2);
    // A run that is resumed runs it again.
    assertEquals(events.at(-1)?.type, "test_command_started");
    assertEquals(ofType(events, "round_finished"), []);
  });
}

Deno.test("a test command that could be run before, and cannot after a change of the programmer, is evidence", async () => {
  const results = [
    commandResult({ passed: false, exitCode: 1, output: "1 failed\n" }),
    commandResult({ passed: false, exitCode: 127, output: "sh: vitest: not found\n" }),
    commandResult({ passed: false, exitCode: 126, output: "sh: ./check.sh: Permission denied\n" }),
    commandResult(),
  ];
  const { result, events, sent } = await runScripted({}, {
    settings: { projectTestCmd: ["npm", "test"] },
    runTestCommand: () => Promise.resolve(results.shift()!),
  });
  assertEquals([result.outcome, result.rounds], ["pass", 4]);
  assertEquals(
    ofType(events, "round_finished").map(({ note }) => note?.match(/exit code \d+|which could be run before/g)),
    [
      ["exit code 1"],
      ["which could be run before", "exit code 127"],
      ["which could be run before", "exit code 126"],
      undefined,
    ],
  );
  assertStringIncludes(promptOf(sent, "r3-programmer-c1"), "sh: vitest: not found");
});

Deno.test("a test command whose program the machine has lost since is no evidence", async () => {
  const results = [commandResult({ passed: false, exitCode: 1 }), commandResult({ passed: false, exitCode: 127 })];
  const events: ReviewFact[] = [];
  await assertRejects(
    () =>
      runScripted({}, {
        settings: { projectTestCmd: ["npm", "test"] },
        runTestCommand: () => Promise.resolve(results.shift()!),
        isProgramGone: ([program]) => program === "npm",
        onEvent: (event) => void events.push(event),
      }),
    UsageError,
    "Cannot run the project's test command (exit code 127): npm test",
  );
  assertEquals(ofType(events, "round_finished").map(({ round }) => round), [1]);
});

Deno.test("another test command than the one that could be run is a mistake of the configuration again", async () => {
  const { journal } = await runScripted({}, {
    settings: { projectTestCmd: ["npm", "test"], maxRounds: 2 },
    runTestCommand: () => Promise.resolve(commandResult({ passed: false, exitCode: 1 })),
  });
  const settings = reviewLoopSettings({ projectTestCmd: ["npn", "test"] });
  const second = journal.findLastIndex(({ type }) => type === "test_command_started") + 1;
  await assertRejects(
    () =>
      runScripted({}, {
        journal: [...journal.slice(0, second), recorded({ type: "run_resumed", runId: "r", folder: "/f", settings })],
        runTestCommand: () => Promise.resolve(commandResult({ passed: false, exitCode: 127 })),
      }),
    UsageError,
    "Cannot run the project's test command (exit code 127): npn test",
  );
});

Deno.test("what passes but does not hold on a fresh checkout is another round, with what shows it", async () => {
  const judged = [
    { how: "", problem: "on a fresh checkout: make check: exit code 1", output: "greet.ts is not there" },
    { how: "it holds in 1 trial", output: "" },
  ];
  const { result, events, sent } = await runScripted({}, {
    settings: { projectTestCmd: ["make", "check"] },
    runTestCommand: () => Promise.resolve(commandResult()),
    judge: () => Promise.resolve(judged.shift()!),
  });
  assertEquals([result.outcome, result.rounds, judged], ["pass", 2, []]);
  assertEquals(ofType(events, "round_finished").map(({ verdict, note }) => [verdict, note]), [
    [
      "FAIL",
      "the tester said PASS, and the test command passed, but that does not hold: on a fresh checkout: make check: exit code 1",
    ],
    ["PASS", undefined],
  ]);
  assertEquals(ofType(events, "test_command_finished").map(({ passed, problem }) => [passed, problem !== undefined]), [
    [false, true],
    [true, false],
  ]);
  const again = sent.find(({ turn }) => turn.role === "programmer" && turn.round === 2);
  assertStringIncludes(again?.prompt ?? "", "OUTPUT OF THE PROJECT TEST COMMAND, on a fresh checkout");
  assertStringIncludes(again?.prompt ?? "", "greet.ts is not there");
  // Whoever says FAIL is believed without it.
  await runScripted({ tester: ["RESULT: FAIL", PASS] }, {
    settings: { projectTestCmd: ["make", "check"], maxRounds: 1 },
    runTestCommand: () => Promise.resolve(commandResult()),
    judge: () => Promise.reject(new Error("must not be called")),
  });
  assertStringIncludes(
    promptOf(sent, "r2-programmer_review-c1"),
    "WHAT DID NOT HOLD AFTER ROUND 1, which these changes",
  );
  assertStringIncludes(promptOf(sent, "r2-tester"), "WHAT DID NOT HOLD AFTER ROUND 1, which these changes");
  assertEquals(promptOf(sent, "r1-programmer_review-c1").includes("DID NOT HOLD"), false);
});

Deno.test("the tester's PASS does not count when the project's test command fails", async () => {
  const results = [
    commandResult({ passed: false, exitCode: 2, output: "1 failed: greet is not loud\n" }),
    commandResult({ passed: false, exitCode: 124, timedOut: true, output: "" }),
    commandResult(),
  ];
  const commands: unknown[] = [];
  const { result, events, sent } = await runScripted({}, {
    settings: { projectTestCmd: ["make", "check"] },
    runTestCommand: (command) => {
      commands.push(command);
      return Promise.resolve(results[commands.length - 1]!);
    },
  });
  assertEquals([result.outcome, result.rounds], ["pass", 3]);
  assertEquals(commands, Array(3).fill(["make", "check"]));
  assertEquals(ofType(events, "round_finished").map(({ verdict, note }) => [verdict, note]), [
    ["FAIL", "the tester said PASS, but the test command ended with exit code 2"],
    ["FAIL", "the tester said PASS, but the test command did not end within its time limit"],
    ["PASS", undefined],
  ]);
  const second = promptOf(sent, "r2-programmer-c1");
  assertStringIncludes(second, "1 failed: greet is not loud");
  assertStringIncludes(second, "OUTPUT OF THE PROJECT TEST COMMAND, exit code 2");
  assertStringIncludes(second, "the tester said PASS, but");
  assertStringIncludes(promptOf(sent, "r3-programmer-c1"), "killed at its time limit");
  assertEquals(ofType(events, "test_command_started").map(({ round, command }) => [round, command]), [
    [1, "make check"],
    [2, "make check"],
    [3, "make check"],
  ]);
  assertEquals(ofType(events, "test_command_finished")[0], {
    type: "test_command_finished",
    round: 1,
    passed: false,
    exitCode: 2,
    seconds: 1,
    timedOut: false,
    output: "1 failed: greet is not loud\n",
    truncated: false,
  });
});

Deno.test("a passing test command does not turn the tester's FAIL into a pass, but its output is evidence", async () => {
  const { result, sent } = await runScripted({ tester: [FAIL, PASS] }, {
    settings: { projectTestCmd: "make check" },
    runTestCommand: () => Promise.resolve(commandResult({ output: "7 passed\n" })),
  });
  assertEquals([result.outcome, result.rounds], ["pass", 2]);
  assertStringIncludes(promptOf(sent, "r2-programmer-c1"), "7 passed");
  assertStringIncludes(promptOf(sent, "r2-programmer-c1"), "got hello ada");
});

Deno.test("without a project test command nothing is run", async () => {
  const { result, events } = await runScripted({}, {
    runTestCommand: () => Promise.reject(new Error("must not be called")),
  });
  assertEquals(result.outcome, "pass");
  assertEquals(ofType(events, "test_command_started"), []);
});

Deno.test("what an agent, the test command and the journal throw ends the loop", async () => {
  await assertRejects(
    () => runScripted({}, { answer: () => Promise.reject(new Error("pane died")) }),
    Error,
    "pane died",
  );
  await assertRejects(
    () =>
      runScripted({}, {
        settings: { projectTestCmd: "x" },
        runTestCommand: () => Promise.reject(new Error("no shell")),
      }),
    Error,
    "no shell",
  );
  await assertRejects(
    () =>
      runScripted({}, {
        onEvent() {
          throw new Error("disk full");
        },
      }),
    Error,
    "disk full",
  );
});

Deno.test("an aborted loop asks nobody any more and rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const asked: Role[] = [];
  await assertRejects(
    () =>
      runScripted({}, {
        signal: controller.signal,
        answer({ role }) {
          asked.push(role);
          if (role === "programmer") controller.abort(new Error("Ctrl-C"));
          return GOOD_REVIEW;
        },
      }),
    Error,
    "Ctrl-C",
  );
  assertEquals(asked, ["analyst", "analyst_review", "programmer"]);
  const events: ReviewFact[] = [];
  await assertRejects(
    () =>
      runScripted({}, { signal: AbortSignal.abort(new Error("early")), onEvent: (event) => void events.push(event) }),
    Error,
    "early",
  );
  assertEquals(events, []);
});

const MADE = "make test";
const FAILED = commandResult({ passed: false, exitCode: 2, output: "1 failed\n" });

Deno.test("a programmer alone works until the test command passes; what it said is all the evidence", async () => {
  const { result, turnIds, sent, events } = await runScripted({}, {
    settings: { shape: "solo", projectTestCmd: MADE },
    runTestCommand: (_, round) => Promise.resolve(round === 1 ? FAILED : commandResult()),
  });
  assertEquals([result.outcome, turnIds], ["pass", ["r1-programmer", "r2-programmer"]]);
  const again = promptOf(sent, "r2-programmer");
  assertStringIncludes(again, "The test of round 1 failed (the test command ended with exit code 2).");
  assertStringIncludes(again, "1 failed");
  assertEquals(/TEST REPORT|review cycle|tester/i.test(again), false, again);
  assertEquals(ofType(events, "round_finished").map(({ verdict }) => verdict), ["FAIL", "PASS"]);
});

Deno.test("a programmer and its reviewer: what is approved is tested, and what fails goes back", async () => {
  const { result, turnIds } = await runScripted({ programmer_review: [REVISE, GOOD_REVIEW] }, {
    settings: { shape: "pair", projectTestCmd: MADE, startAgent: "analyst" },
    runTestCommand: (_, round) => Promise.resolve(round === 1 ? FAILED : commandResult()),
  });
  assertEquals([result.outcome, turnIds], ["pass", [
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r1-programmer-c2",
    "r1-programmer_review-c2",
    "r2-programmer-c1",
    "r2-programmer_review-c1",
  ]]);
});

Deno.test("the acceptance tests first: the tester writes them once, and the programmer and its reviewer have its words", async () => {
  const { result, sent, turnIds } = await runScripted({ tester: ["Wrote tests/shout_test.ts.\nRESULT: FAIL"] }, {
    settings: { shape: "spec-first", projectTestCmd: MADE, maxRounds: 2 },
    runTestCommand: (_, round) => Promise.resolve(round === 1 ? FAILED : commandResult()),
  });
  assertEquals([result.outcome, turnIds], ["pass", [
    "r1-tester",
    "r1-programmer-c1",
    "r1-programmer_review-c1",
    "r2-programmer-c1",
    "r2-programmer_review-c1",
  ]]);
  assertStringIncludes(promptOf(sent, "r1-tester"), "You write the acceptance tests, before anybody programs.");
  for (const turn of turnIds.slice(1)) {
    assertStringIncludes(promptOf(sent, turn), "OUTPUT OF THE TESTER");
    assertStringIncludes(promptOf(sent, turn), "Wrote tests/shout_test.ts.");
  }
});

Deno.test("a loop without a tester cannot be done without a test command", () => {
  for (const shape of ["pair", "solo", "spec-first"] as const) {
    assertThrows(() => reviewLoopSettings({ shape }), UsageError, `Cannot use the loop ${shape}: without a tester`);
  }
});

Deno.test("a role is told what the project wants of it, in each of its prompts, and no other role", async () => {
  const { sent } = await runScripted({ tester: [FAIL, PASS] }, { settings: { words: { programmer: "Use cents." } } });
  const block = "WHAT THIS PROJECT WANTS OF THE PROGRAMMER:\n```text\nUse cents.\n```";
  for (const { role, prompt } of sent) assertEquals(prompt.includes(block), role === "programmer", prompt);
});
