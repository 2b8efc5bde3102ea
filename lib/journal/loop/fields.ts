import { isRoleName, type Role } from "../../base/roles.ts";
import {
  type Check,
  either,
  isObject,
  mapOf,
  object,
  oneOf,
  optional,
  text,
  textThat,
  type ValueOf,
  wordOf,
} from "../../base/schema.ts";
import type { MessageKind } from "../../base/terms.ts";

export const role: Check<Role> = textThat(isRoleName);

export const task = object({
  /** What stands before the first section; may be empty. */
  introduction: text,
  exploreSummary: text,
  scenarioTest: text,
});

export type Job = ValueOf<typeof task>;

/** What the tester goes by where a job says in plain prose what is to be done. */
export const PROSE_TEST =
  "Check that what the job above asks for is done, all of it, and works: read the change, run the " +
  "project's tests, and try what the change is about as its user would.";

/** What a run was started from, so that it can be configured again. Plain data. */
export const origin = object({
  /** Absolute path of the config file; null where there was none. */
  configFile: either(text, oneOf(null)),
  /** The folder from which relative paths of flags start. */
  cwd: text,
  flags: mapOf((_value): _value is unknown => true),
});

/**
 * Which rules tell what the screens of each provider mean, by its id: their version, and for those of a pack its
 * SHA-256 and the id of the key that signed it.
 */
export const rulesUsed = mapOf(object({ version: text, sha256: optional(text), key: optional(text) }));

export interface LoopSettings {
  readonly maxRounds: number;
}

export const settings: Check<LoopSettings> = (value): value is LoopSettings =>
  isObject(value) && typeof (value["maxRounds"] ?? 0) === "number";

export type RulesUsed = ValueOf<typeof rulesUsed>;

export type RunOrigin = ValueOf<typeof origin>;

/** What an attempt begins with, and does not do itself. */
export const TAKEN = {
  /** The id of the run whose response it is: the one of the roles before the one with several attempts. */
  takenFrom: optional(text),
} as const;

export const messageKind = wordOf<MessageKind>({ prompt: true, reminder: true, refusal: true, continuation: true });
