import { ACP_ACTIVITIES, type AcpActivity } from "../agents/acp/activity.ts";
import { UsageError } from "../base/errors.ts";
import { isRoleName, type Role } from "../base/roles.ts";
import { findWrongField, isObject } from "../base/schema.ts";
import { jsonLine } from "../base/text/sanitize.ts";
import type { RunFolder } from "./run_folder.ts";

/** Something that an agent did, and when: ISO 8601. */
export interface ToldActivity {
  readonly at: string;
  readonly activity: AcpActivity;
}

export const MAX_ACTIVITY_BYTES = 4 * 1024 * 1024;

export function activityPathOf({ agentsDir }: Pick<RunFolder, "agentsDir">, role: Role): string {
  if (!isRoleName(role)) throw new UsageError(`Cannot find what ${JSON.stringify(role)} does: no role has this name`);
  return `${agentsDir}/${role}.ndjson`;
}

/** Where the part before is that an activity file had no room for; what was before that is gone. */
export function earlierPathOf(path: string): string {
  return path.replace(/\.ndjson$/, ".earlier.ndjson");
}

/** A line of an activity file, which no terminal would act upon. */
export function activityLine({ at, activity }: ToldActivity): string {
  return jsonLine({ at, ...activity });
}

/** Reads a line back; `undefined` for one that was cut, or that another version or somebody else has written. */
export function readActivityLine(line: string): ToldActivity | undefined {
  const read = parsed(line);
  if (!isObject(read)) return undefined;
  const { at, ...activity } = read;
  const { type } = activity;
  if (typeof at !== "string" || !MOMENT.test(at)) return undefined;
  if (typeof type !== "string" || !Object.hasOwn(ACP_ACTIVITIES, type)) return undefined;
  const fields = ACP_ACTIVITIES[type as AcpActivity["type"]];
  return findWrongField(activity, fields) === undefined ? { at, activity: activity as AcpActivity } : undefined;
}

/** As it is written here: the date parser would take much more. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
