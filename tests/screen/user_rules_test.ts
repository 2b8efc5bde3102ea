import { assertEquals, assertThrows } from "@std/assert";
import { CODEX_RULES } from "../../lib/providers/codex/rules.ts";
import { classify, judgeRules, parseScreen, type Rule, type UserRule, withUserRules } from "../../lib/screen/mod.ts";

const rule = (more: Partial<Rule> = {}): Rule => ({
  id: "mine",
  status: "error",
  priority: 100,
  when: [{ on: "layout", has: "composer" }],
  versions: [],
  fixture: "",
  origin: "panewright.jsonc:3",
  ...more,
});

const add = (more?: Partial<Rule>): UserRule => ({ kind: "add", rule: rule(more) });

const IDLE = parseScreen("›\n100% context left\n");

Deno.test("a person's rule goes before a built-in one of the same priority, and not before one of a higher", () => {
  const pack = withUserRules(CODEX_RULES, [add()]);
  const { status, rule: id, origin, beaten } = classify(IDLE, pack);
  assertEquals([status, id, origin], ["error", "mine", "panewright.jsonc:3"]);
  assertEquals(beaten.map((each) => [each.rule, each.origin]), [["composer", undefined]]);
  assertEquals(classify(IDLE, withUserRules(CODEX_RULES, [add({ priority: 99 })])).rule, "composer");
});

Deno.test("a beaten rule of a person says so, and so does every verdict", () => {
  const pack = withUserRules(CODEX_RULES, [add({ priority: 99 })]);
  assertEquals(classify(IDLE, pack).beaten.map((each) => [each.rule, each.origin]), [["mine", "panewright.jsonc:3"]]);
  const verdict = judgeRules(IDLE, pack).find((each) => each.rule.id === "mine");
  assertEquals([verdict?.verdict, verdict?.rule.origin], ["beaten", "panewright.jsonc:3"]);
});

Deno.test("a built-in rule can be replaced or removed by its id; the pack itself stays as it is", () => {
  const replaced = withUserRules(CODEX_RULES, [{ kind: "replace", rule: rule({ id: "composer" }) }]);
  assertEquals(replaced.rules.filter(({ id }) => id === "composer").length, 1);
  assertEquals(classify(IDLE, replaced).status, "error");
  const removed = withUserRules(CODEX_RULES, [{ kind: "remove", id: "composer" }]);
  assertEquals(classify(IDLE, removed).status, "unknown");
  assertEquals(classify(IDLE, CODEX_RULES).status, "idle");
  assertEquals(withUserRules(CODEX_RULES, []).rules, CODEX_RULES.rules);
});

Deno.test("what is not there cannot be replaced or removed, and what is there cannot be added", () => {
  const message = (...changes: readonly UserRule[]) =>
    assertThrows(() => withUserRules(CODEX_RULES, changes), TypeError).message;
  assertEquals(message(add({ id: "composer" })), 'Cannot add the rule "composer" of codex: it is there');
  assertEquals(message(add(), add()), 'Cannot add the rule "mine" of codex: it is there');
  assertEquals(message({ kind: "remove", id: "mine" }), 'Cannot remove the rule "mine" of codex: it is not there');
  assertEquals(
    message({ kind: "remove", id: "composer" }, { kind: "remove", id: "composer" }),
    'Cannot remove the rule "composer" of codex: it is not there',
  );
});
