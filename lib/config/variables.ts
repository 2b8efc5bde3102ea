import { nearest } from "../base/text/suggest.ts";

const PREFIX = "PANEWRIGHT_";

/** Variables for people that are not settings. */
const FOR_PEOPLE = ["PANEWRIGHT_TRUST", "PANEWRIGHT_AUDIT_COPY", "PANEWRIGHT_STATE_DIR", "PANEWRIGHT_FLEET"];

const INTERNAL = [
  "PANEWRIGHT_ASK_CHANNEL",
  "PANEWRIGHT_ATTEMPT",
  "PANEWRIGHT_CHECK_OF",
  "PANEWRIGHT_FAULT",
  "PANEWRIGHT_NO_KEY",
  "PANEWRIGHT_PACKED_FILE",
  "PANEWRIGHT_PORT_BASE",
  "PANEWRIGHT_PORT_COUNT",
  "PANEWRIGHT_REPLAY_RECORD",
  "PANEWRIGHT_ROLE_OF",
  "PANEWRIGHT_SESSION_MARK",
  "PANEWRIGHT_ASKS_SEED",
  "PANEWRIGHT_CHAOS_SEED",
  "PANEWRIGHT_TEST_CLIS",
];

/**
 * The variables that set a setting, the one that counts first where several are set: a short name may be there for
 * another program.
 */
export function variablesOf(name: string): readonly string[] {
  return name.startsWith(PREFIX) ? [name] : [`${PREFIX}${name}`, name];
}

export interface UnknownVariable {
  readonly name: string;
  readonly nearest: string | undefined;
}

/** The variables that are meant for panewright and that it does not know. */
export function unknownVariables(names: readonly string[], settings: readonly string[]): readonly UnknownVariable[] {
  const offered = [...settings.filter(isPrefixed), ...FOR_PEOPLE];
  const known = new Set([...offered, ...INTERNAL]);
  // The prefix would make all of them alike.
  const bare = offered.map((name) => name.slice(PREFIX.length));
  return names.filter((name) => isPrefixed(name) && !known.has(name)).toSorted().map((name) => {
    const meant = nearest(name.slice(PREFIX.length), bare);
    return { name, nearest: meant === undefined ? undefined : `${PREFIX}${meant}` };
  });
}

function isPrefixed(name: string): boolean {
  return name.startsWith(PREFIX);
}
