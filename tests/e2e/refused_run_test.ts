import { believedJournal } from "../support/believed_journal.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { FailureClass } from "../../lib/base/terms.ts";
import { readRecords } from "../support/journal_records.ts";
import { assertJournalIsWhole, type PrintedFact, type StartedRun } from "./failures_stage.ts";
import { type OneTurnStage, PROMPT_MARK, type Refusal, setUpOneTurn } from "./one_turn_stage.ts";
import { limitOfPlan, limitOfSubscription, SUBSCRIPTION } from "./usage_limits.ts";

function ofType(facts: readonly PrintedFact[], type: string): readonly PrintedFact[] {
  return facts.filter((fact) => fact.type === type);
}

/** Fails unless the run has passed with these messages, and the prompt of its turn is in the conversation once. */
async function assertPassed(run: StartedRun, stage: OneTurnStage, messages: string[]): Promise<void> {
  const { code, stderr } = await run.program.ended;
  assertEquals(code, 0, stderr);
  const sent = ofType(run.facts(), "message_sent").map(({ what }) => what);
  assertEquals(sent, messages);
  assertEquals(stage.conversation().split(PROMPT_MARK).length - 1, 1);
  await stage.sandbox.assertNothingLeft();
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`run: what passes is tried again in the same turn, and the prompt of a real ${CLI_LABELS[provider]} is sent once`, async () => {
    await using stage = await setUpOneTurn({
      provider,
      refusals: [() => ({ status: 529 }), () => ({ status: 500 }), () => ({ status: 429 })],
      // The retries are of the only turn.
      config: { limits: { max_turns: 1 } },
    });
    await using run = stage.watch("run");
    await assertPassed(run, stage, ["prompt", "continuation", "continuation", "continuation"]);
    const failed = ofType(run.facts(), "agent_failed");
    assertEquals(failed.map(({ class: failureClass, retry }) => [failureClass, retry]), [
      ["overloaded", 1],
      ["overloaded", 2],
      ["rate_limit", 3],
    ]);
    for (const { message, evidence, retryAt } of failed) {
      assert(String(message).length > 10);
      // On a busy machine hook and status file are there before the transcript.
      assertMatch(
        String(evidence),
        / in its (?:session log|transcript)$|; (?:idle in session|hook StopFailure of turn) \S+/,
      );
      assert(!Number.isNaN(Date.parse(String(retryAt))));
    }
    await assertJournalIsWhole(await run.folder());
    const kept = await readRecords(`${await run.folder()}/journal.ndjson`);
    assertEquals(
      kept.filter(({ type }) => type === "agent_failed").map(({ retryAt }) => retryAt),
      failed.map(({ retryAt }) => retryAt),
    );
    const { stdout } = await stage.run("logs");
    assertMatch(stdout, /tester failed \(rate_limit\): .*; trying again at /);
  });

  Deno.test(`run: a real ${CLI_LABELS[provider]} whose key is refused needs a person, and the resumed run passes`, async () => {
    await using stage = await setUpOneTurn({
      provider,
      refusals: [() => ({ status: 401, message: "Incorrect API key provided" })],
    });
    await using run = stage.watch("run");
    const { code, stderr } = await run.program.ended;
    assertEquals(code, 3, stderr);
    assertMatch(stderr, /it is not logged in, or the model server refuses its login or key: ".*401.*" \(auth; rule /);
    assertMatch(stderr, /Then resume the run\./);
    const [failed] = ofType(run.facts(), "agent_failed");
    assertEquals([failed?.["class"], failed?.["retryAt"]], ["auth", undefined]);
    const finished = run.facts().find(({ type }) => type === "run_finished");
    assertEquals(finished?.["outcome"], "needs_human");
    await stage.sandbox.assertNothingLeft();
    // The agent is started with its conversation, whose screen still shows the refusal, and is told to continue.
    await using resumed = stage.watch("resume");
    await assertPassed(resumed, stage, ["continuation"]);
    assertEquals(ofType(resumed.facts(), "warning"), []);
  });
}

const CREDIT = { status: 400, message: "Your credit balance is too low to access the Anthropic API." };
const TOO_LONG = { status: 400, message: "prompt is too long: 250000 tokens > 200000 maximum" };

interface Refused {
  readonly provider: CliName;
  readonly how: string;
  readonly refusal: () => Refusal;
  readonly class: FailureClass;
  readonly claudeEnv?: Readonly<Record<string, string>>;
}

const OF_CLAUDE: readonly Refused[] = ([
  { how: "the limit of its five hours", refusal: limitOfSubscription, class: "usage_limit", claudeEnv: SUBSCRIPTION },
  { how: "an empty account", refusal: () => CREDIT, class: "usage_limit" },
  { how: "a prompt that is too long", refusal: () => TOO_LONG, class: "context" },
  { how: "401", refusal: () => ({ status: 401, message: "Invalid API key" }), class: "auth" },
] as const).map((one) => ({ ...one, provider: "claude_code" }));

const AT_LAST: readonly Refused[] = [
  // What is too long at the last sentence, Claude Code compacts, and goes on.
  ...OF_CLAUDE.filter((one) => one.class !== "context"),
  { provider: "claude_code", how: "400", refusal: () => ({ status: 400, message: "Invalid request" }), class: "other" },
  { provider: "claude_code", how: "529", refusal: () => ({ status: 529 }), class: "overloaded" },
  { provider: "codex", how: "400", refusal: () => ({ status: 400, message: "Invalid request" }), class: "other" },
  { provider: "codex", how: "401", refusal: () => ({ status: 401, message: "Incorrect API key" }), class: "auth" },
  {
    provider: "codex",
    how: "its usage limit",
    refusal: () => limitOfPlan(7200),
    class: "usage_limit",
  },
];

for (const { provider, how, refusal, class: failureClass, ...more } of AT_LAST) {
  Deno.test(`run: the response of a real ${CLI_LABELS[provider]} whose last sentence meets ${how} is taken`, async () => {
    await using stage = await setUpOneTurn({ provider, failsAtLast: refusal(), ...more });
    await using run = stage.watch("run");
    const { code, stderr } = await run.program.ended;
    assertEquals(code, 0, stderr);
    assertEquals(ofType(run.facts(), "message_sent").map(({ what }) => what), ["prompt"]);
    assertEquals(ofType(run.facts(), "agent_failed"), []);
    await stage.sandbox.assertNothingLeft();
    const [told] = ofType(run.facts(), "warning").map(({ message }) => String(message));
    assertMatch(told ?? "", /failed after it had written its response, which is taken/);
    assertStringIncludes(told ?? "", `(${failureClass}; `);
  });
}

for (const { provider, how, refusal, class: failureClass, ...more } of OF_CLAUDE) {
  Deno.test(`run: a real Claude Code that meets ${how} has failed, by its own record`, async () => {
    const config = { handoff: { wait_for_usage_limit_reset: false, max_error_retries: 0 } };
    await using stage = await setUpOneTurn({ provider, refusals: [refusal], config, ...more });
    await using run = stage.watch("run");
    const { code, stderr } = await run.program.ended;
    assertEquals(code, failureClass === "auth" ? 3 : 1, stderr);
    const [failed] = ofType(run.facts(), "agent_failed");
    assertEquals(failed?.["class"], failureClass);
    // Its hook tells the same, and may be the first.
    assertMatch(String(failed?.["evidence"]), /API error in its transcript|hook StopFailure/);
    assertEquals(failed?.["resetsAt"] !== undefined, refusal === limitOfSubscription);
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("run: the usage limit of a real Codex is waited for until its reset, status says so, and the turn continues", async () => {
  await using stage = await setUpOneTurn({
    provider: "codex",
    refusals: [() => limitOfPlan(1)],
    config: { limits: { max_turns: 1 } },
  });
  await using run = stage.watch("run");
  const failed = await run.fact("agent_failed");
  assertEquals([failed["class"], failed["retry"]], ["usage_limit", 0]);
  const { stdout } = await stage.run("status");
  assertMatch(
    stdout,
    /^ {2}now +round 1 of 1, tester, waiting for the usage limit to be reset\n.*; until \d{4}-.*limit/m,
  );
  await assertPassed(run, stage, ["prompt", "continuation"]);
});

Deno.test("run: minutes of a wait for a usage limit count: at the cap it ends, and everything with it", async () => {
  await using stage = await setUpOneTurn({
    provider: "codex",
    refusals: [() => limitOfPlan(7200)],
  });
  await using run = stage.watch("run");
  await run.fact("agent_failed");
  run.program.kill("SIGKILL");
  await run.program.ended;
  // What the killed process has used: an hour, but for some seconds.
  const path = believedJournal(await run.folder(), stage.sandbox.home);
  const unchained = (await Deno.readTextFile(path)).replaceAll(/"prev":"[0-9a-f]+",/g, "");
  const [opened = "", started = "", ...rest] = unchained.split("\n");
  const lastMs = Date.parse(JSON.parse(rest.findLast((line) => line !== "") ?? "{}").at);
  const begun = { ...JSON.parse(started), at: new Date(lastMs - 3_600_000 + 8000).toISOString() };
  await Deno.writeTextFile(path, [opened, JSON.stringify(begun), ...rest].join("\n"));
  const config = `${stage.sandbox.project}/panewright.jsonc`;
  const before = JSON.parse(await Deno.readTextFile(config));
  await Deno.writeTextFile(config, JSON.stringify({ ...before, limits: { ...before.limits, max_minutes: 60 } }));
  await using resumed = stage.watch("resume", "--accept-changes");
  const { code, stderr } = await resumed.program.ended;
  assertEquals(code, 3, stderr);
  assertMatch(stderr, /Cannot continue: the cap max_minutes \(60\) is reached/);
  assertEquals(ofType(resumed.facts(), "agent_adopted").length, 1);
  assertEquals(ofType(resumed.facts(), "message_sent"), []);
  await stage.sandbox.assertNothingLeft();
});
