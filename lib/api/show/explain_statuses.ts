import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { Role } from "../../base/roles.ts";
import type { Recorded } from "../../journal/job.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { OutputFields } from "../output/outputs.ts";
import { localTime } from "../../journal/words/words.ts";
import { present } from "../../base/schema.ts";
import { roleOf } from "./roles_of_run.ts";

type StatusExplanation = OutputFields["status_explanation"];

export function explainStatuses(
  facts: readonly Recorded<ReviewFact>[],
  { run, role: only, what = "explain" }: {
    readonly run: string;
    readonly role?: Role | undefined;
    /** As of {@linkcode roleOf}. @default {"explain"} */
    readonly what?: string;
  },
): readonly StatusExplanation[] {
  const begun = facts.findLast((fact) => fact.type === "run_started" || fact.type === "run_resumed");
  if (only !== undefined) roleOf(begun, only, what);
  return facts.flatMap((fact) => {
    if (fact.type !== "status_changed" || (only !== undefined && fact.role !== only)) return [];
    const { at, turnId, role, status, rule, record } = fact;
    const said = record === undefined ? {} : { record };
    return [{ run, at, turnId, role, status, ...present({ rule }), ...said }];
  });
}

export function statusLine({ at, role, status, rule, record }: StatusExplanation): string {
  const by = rule === undefined ? "" : `, by ${rule}`;
  const said = record === undefined ? "" : `: ${record}`;
  return `${localTime(at)} ${sanitizeLine(`${role}: ${status}${by}${said}`)}`;
}
