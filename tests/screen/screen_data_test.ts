import { assert, assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { changeRulePack, classify, judgeRules, parseScreen, type RuleData } from "../../lib/screen/mod.ts";

const mine = { id: "mine", status: "error", priority: 100, has: ["composer"] } as const;

const change = (...rules: readonly RuleData[]) =>
  changeRulePack(CODEX_RULES, { rules: rules.map((rule) => ({ rule, origin: "panewright.jsonc:3" })) });

const IDLE = parseScreen("›\n100% context left\n");

Deno.test("a person's rule goes before a built-in one of the same priority, and not before one of a higher", () => {
  const pack = change(mine);
  const { status, rule: id, origin, beaten } = classify(IDLE, pack);
  assertEquals([status, id, origin], ["error", "mine", "panewright.jsonc:3"]);
  assertEquals(beaten.map((each) => [each.rule, each.origin]), [["composer", undefined]]);
  assertEquals(classify(IDLE, change({ ...mine, priority: 99 })).rule, "composer");
});

Deno.test("a beaten rule of a person says so, and so does every verdict", () => {
  const pack = change({ ...mine, priority: 99 });
  assertEquals(classify(IDLE, pack).beaten.map((each) => [each.rule, each.origin]), [["mine", "panewright.jsonc:3"]]);
  const verdict = judgeRules(IDLE, pack).find((each) => each.rule.id === "mine");
  assertEquals([verdict?.verdict, verdict?.rule.origin], ["beaten", "panewright.jsonc:3"]);
});

Deno.test("a built-in rule can be replaced or removed by its id; the pack itself stays as it is", () => {
  const replaced = change({ ...mine, id: "composer", replace: true });
  assertEquals(replaced.rules.filter(({ id }) => id === "composer").length, 1);
  assertEquals(classify(IDLE, replaced).status, "error");
  const removed = change({ id: "composer", remove: true });
  assertEquals(classify(IDLE, removed).status, "unknown");
  assertEquals(classify(IDLE, CODEX_RULES).status, "idle");
  assertEquals(change().rules, CODEX_RULES.rules);
});

Deno.test("a layout changes in the keys that are named; its lists as a whole, and patterns may be several", () => {
  const { layout, rules } = changeRulePack(CODEX_RULES, {
    layout: { composer: { first: ["^❱(?<text>.*)$", "^» (?:.*)$"], max_below: 3 }, dialog: { kinds: [] } },
  });
  assertEquals(layout.composer.first, /(?:^❱(?<text>.*)$)|(?:^» (?:.*)$)/u);
  assertEquals(layout.composer.maxBelow, 3);
  assertEquals(layout.composer.next, CODEX_RULES.layout.composer.next);
  assertEquals(layout.dialog.kinds, []);
  assertEquals(layout.dialog.subjects, CODEX_RULES.layout.dialog.subjects);
  assertEquals(layout.echo, CODEX_RULES.layout.echo);
  assertEquals(rules, CODEX_RULES.rules);
  assertEquals(CODEX_RULES.layout.composer.maxBelow, 2);
});

Deno.test("the rules that all providers share are there once in each", () => {
  for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
    const ids = pack.rules.map(({ id }) => id);
    assertEquals(ids.length, new Set(ids).size);
    for (const id of ["process-ended", "process-is-shell", "dialog", "composer"]) assert(ids.includes(id), id);
  }
});
