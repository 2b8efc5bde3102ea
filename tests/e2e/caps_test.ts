import { believedJournal } from "../support/believed_journal.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { passAfter, setUpFailureStage } from "./failures_stage.ts";

const ENDLESS = [{ endless: true }] as const;
const HOUR_MS = 3_600_000;

const LIMITS = { max_rounds: 2, min_review_cycles_before_approval: 1, max_review_cycles: 1, max_agent_restarts: 0 };

Deno.test("max_turns: the turn beyond it gets no prompt; --raise continues there, and the run passes", async () => {
  const fails = [{ think: 100 }, { respond: ["RESULT: FAIL", "It is rude."] }, { stream: "It fails." }];
  const limits = { ...LIMITS, max_turns: 2 };
  await using stage = await setUpFailureStage({ tester: fails, config: { limits } });
  await using run = stage.run();
  const { code, stderr } = await run.ended();
  assertEquals(code, 3, stderr);
  assertStringIncludes(stderr, "Cannot continue: the cap max_turns (2) is reached");
  const rolesOf = (facts: readonly { readonly type: string; readonly role?: unknown }[]) =>
    facts.filter(({ type }) => type === "message_sent").map(({ role }) => role);
  assertEquals(rolesOf(run.facts()), ["tester", "programmer"]);
  const end = run.facts().at(-2);
  assertEquals([end?.type, end?.["outcome"]], ["run_finished", "needs_human"]);
  assertMatch(String(end?.["resumeCommand"]), / resume \S+ --raise 'max_turns=4'$/);
  await stage.sandbox.assertNothingLeft();

  await stage.script(passAfter(100));
  const id = (await run.folder()).split("/").at(-1)!;
  await using refused = stage.start("resume", id, "--json");
  assertEquals((await refused.ended()).code, 3);
  assertEquals(refused.facts().filter(({ type }) => type === "agent_starting"), []);
  await using resumed = stage.start("resume", id, "--json", "--raise", "max_turns=9");
  const ended = await resumed.ended();
  assertEquals(ended.code, 0, ended.stderr);
  assertEquals(rolesOf(resumed.facts()), ["programmer_review", "tester"]);
  await stage.sandbox.assertNothingLeft();
});

for (const keepsPanes of [false, true]) {
  const how = keepsPanes ? ", also where panes are to stay" : "";
  Deno.test(`max_minutes: an agent at work is ended with the run${how}; --raise continues its turn`, async () => {
    await using stage = await setUpFailureStage({ tester: ENDLESS });
    await using run = stage.run();
    await run.untilTesterWorks();
    const folder = await run.folder();
    run.program.kill("SIGKILL");
    await run.program.ended;
    // What the killed process has used: an hour, but for some seconds.
    const path = believedJournal(folder, stage.sandbox.home);
    const unchained = (await Deno.readTextFile(path)).replaceAll(/"prev":"[0-9a-f]+",/g, "");
    const [opened = "", started = "", ...rest] = unchained.split("\n");
    const lastMs = Date.parse(JSON.parse(rest.findLast((line) => line !== "") ?? "{}").at);
    const begun = { ...JSON.parse(started), at: new Date(lastMs - HOUR_MS + 4000).toISOString() };
    await Deno.writeTextFile(path, [opened, JSON.stringify(begun), ...rest].join("\n"));

    await stage.configure({ limits: { ...LIMITS, max_minutes: 60 }, cleanup_on_exit: !keepsPanes });
    const id = folder.split("/").at(-1)!;
    await using capped = stage.start("resume", id, "--json", "--accept-changes");
    const { code, stderr } = await capped.ended();
    assertEquals(code, 3, stderr);
    assertStringIncludes(stderr, "Cannot continue: the cap max_minutes (60) is reached");
    assert(capped.facts().some(({ type }) => type === "turn_resumed"));
    assertEquals(capped.facts().filter(({ type }) => type === "panes_left"), []);
    await stage.sandbox.assertNothingLeft();

    await stage.script(passAfter(100));
    await stage.configure({ limits: { ...LIMITS, max_minutes: 60 } });
    await using resumed = stage.start("resume", id, "--json", "--accept-changes", "--raise", "max_minutes=90");
    const ended = await resumed.ended();
    assertEquals(ended.code, 0, ended.stderr);
    await stage.sandbox.assertNothingLeft();
  });
}
