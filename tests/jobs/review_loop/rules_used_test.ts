import { describeRecord } from "../../../lib/journal/describe.ts";
import type { RulesUsed } from "../../../lib/journal/loop/fields.ts";
import { assertEquals } from "@std/assert";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { foldEvent } from "../../../lib/jobs/review_loop/fold.ts";
import type { ReviewRunPlan } from "../../../lib/jobs/review_loop/plan.ts";
import { areOtherRules, rulesUsedBy } from "../../../lib/jobs/review_loop/rules_used.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS } from "../../../lib/jobs/review_loop/settings.ts";
import { findPaneProvider } from "../../../lib/agents/mod.ts";
import { ROLES } from "../../../lib/base/roles.ts";
import { VERSION } from "../../../lib/base/version.ts";

const SOURCE = { version: `${VERSION}.1`, sha256: "ab", key: "cd" };
const codex = findPaneProvider("codex");
const packed = { ...codex, terminal: { ...codex.terminal, rules: { ...codex.terminal.rules, source: SOURCE } } };

function planOf(provider: typeof codex): Pick<ReviewRunPlan, "agents"> {
  const claude = { provider: findPaneProvider("claude_code"), args: [], env: {} };
  const agents = ROLES.map((role) => [role, role === "tester" ? claude : { provider, args: [], env: {} }]);
  return { agents: Object.fromEntries(agents) };
}

const BUILT_IN: RulesUsed = { codex: { version: VERSION }, claude_code: { version: VERSION } };
const PACKED: RulesUsed = { ...BUILT_IN, codex: SOURCE };

const STARTED: ReviewFact = {
  type: "run_started",
  job: "run",
  runId: "r",
  workdir: "/w",
  folder: "/w/.panewright/runs/r",
  startAgent: "analyst",
  task: { introduction: "", exploreSummary: "a", scenarioTest: "b" },
  settings: DEFAULT_REVIEW_LOOP_SETTINGS,
  origin: { configFile: null, cwd: "/w", flags: {} },
};
const RESUMED: ReviewFact = {
  type: "run_resumed",
  runId: "r",
  folder: "/w/.panewright/runs/r",
  settings: DEFAULT_REVIEW_LOOP_SETTINGS,
};

Deno.test("a run's rules are those of its agents' providers, each with the pack that it comes from", () => {
  assertEquals(rulesUsedBy(planOf(codex)), BUILT_IN);
  assertEquals(rulesUsedBy(planOf(packed)), PACKED);
  assertEquals(areOtherRules(BUILT_IN, PACKED), true);
  assertEquals(areOtherRules(PACKED, { codex: { ...SOURCE, sha256: "ee" } }), true);
  assertEquals(areOtherRules(PACKED, PACKED), false);
});

Deno.test("the journal tells which rules a run used last; those of earlier versions do not", () => {
  const at = "2026-11-20T12:00:00.000Z";
  const started = foldEvent(undefined, { ...STARTED, at });
  assertEquals(started?.head.rules, undefined);
  const resumed = foldEvent(started, { ...RESUMED, rules: BUILT_IN, at });
  assertEquals(resumed?.head.rules, BUILT_IN);
  assertEquals(foldEvent(resumed, { ...RESUMED, at })?.head.rules, BUILT_IN);
  assertEquals(foldEvent(undefined, { ...STARTED, rules: PACKED, at })?.head.rules, PACKED);
});

Deno.test("installed rules are told, and rules that are others than before", () => {
  const lines = (record: ReviewFact) => describeRecord(record).slice(1).map(({ text, tone }) => `${tone}: ${text}`);
  assertEquals(lines({ ...STARTED, rules: BUILT_IN }), []);
  assertEquals(lines({ ...STARTED, rules: PACKED }), ["plain: codex is read with rules 0.1.0.1, signed by cd"]);
  assertEquals(lines({ ...RESUMED, rules: PACKED, rulesBefore: BUILT_IN }), [
    "caution: codex is read with rules 0.1.0.1, signed by cd; before, with 0.1.0",
  ]);
  assertEquals(lines({ ...RESUMED, rules: BUILT_IN, rulesBefore: PACKED }), [
    "caution: codex is read with the built-in rules 0.1.0; before, with 0.1.0.1",
  ]);
});
