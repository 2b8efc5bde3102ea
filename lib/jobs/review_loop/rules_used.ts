import type { RulesUsed } from "../../journal/loop/fields.ts";
import { VERSION } from "../../base/version.ts";
import type { ReviewRunPlan } from "./plan.ts";

export function rulesUsedBy({ agents }: Pick<ReviewRunPlan, "agents">): RulesUsed {
  return Object.fromEntries(
    Object.values(agents).flatMap(({ provider: { id, terminal } }) =>
      terminal === undefined ? [] : [[id, terminal.rules.source ?? { version: VERSION }]]
    ),
  );
}

export function areOtherRules(before: RulesUsed, now: RulesUsed): boolean {
  return Object.entries(now).some(([provider, { version, sha256 }]) => {
    const earlier = before[provider];
    return earlier !== undefined && (earlier.version !== version || earlier.sha256 !== sha256);
  });
}
