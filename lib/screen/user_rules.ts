import type { Rule, RulePack } from "./rules.ts";

/** A change that a person makes to the rules of a provider. */
export type UserRule =
  | { readonly kind: "add"; readonly rule: Rule }
  /** Takes the place of the built-in rule with its id. */
  | { readonly kind: "replace"; readonly rule: Rule }
  | { readonly kind: "remove"; readonly id: string };

/**
 * A provider's rules with a person's changes. Of rules with the same priority, the person's go first, in their order.
 *
 * @throws {TypeError} when a rule that is to be replaced or removed is not there, or one that is added is there already
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { CODEX_RULES } from "../providers/codex/rules.ts";
 * import { classify } from "./classify.ts";
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen("› say hi\n\n• Busy: press q to stop\n\n›\n100% context left\n");
 * const pack = withUserRules(CODEX_RULES, [{
 *   kind: "add",
 *   rule: {
 *     id: "busy",
 *     status: "processing",
 *     priority: 800,
 *     when: [{ on: "rows", region: "status", text: /^• Busy:/u }],
 *     versions: [],
 *     fixture: "",
 *     origin: "panewright.jsonc:3",
 *   },
 * }]);
 * assertEquals(classify(screen, CODEX_RULES).status, "completed");
 * assertEquals(classify(screen, pack).status, "processing");
 * ```
 */
export function withUserRules(pack: RulePack, changes: readonly UserRule[]): RulePack {
  const gone = new Set<string>();
  const added: Rule[] = [];
  for (const change of changes) {
    const id = change.kind === "remove" ? change.id : change.rule.id;
    const isBuiltIn = pack.rules.some((rule) => rule.id === id) && !gone.has(id);
    const isAdded = added.some((rule) => rule.id === id);
    if (change.kind === "add" ? isBuiltIn || isAdded : !isBuiltIn) {
      throw new TypeError(
        `Cannot ${change.kind} the rule "${id}" of ${pack.provider}: it is ${isBuiltIn || isAdded ? "" : "not "}there`,
      );
    }
    if (change.kind !== "add") gone.add(id);
    if (change.kind !== "remove") added.push(change.rule);
  }
  return { ...pack, rules: [...added, ...pack.rules.filter(({ id }) => !gone.has(id))] };
}
