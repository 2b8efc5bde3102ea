import type { ProviderId } from "../../providers/provider.ts";
import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import type { Role } from "../../roles.ts";
import type { ShellWord } from "../../shell/mod.ts";
import type { PossibleFolders } from "./folders.ts";
import { type Doubt, type InspectedWrite, type Inspection, inspectShellText } from "./inspect.ts";
import { type Ground, whereto } from "./places.ts";
import { type CommandPattern, type KnownWord, matchCommand, matchPath, parseCommandPattern } from "./pattern.ts";
import {
  DECIDED_KINDS,
  defaultDecision,
  NEVER_ACCEPTED,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRule,
} from "./rules.ts";
import { knownWord, normalSpellings, pathSpellings, spellingsOf } from "./spellings.ts";

/** What a policy needs to know of a dialog. */
export type PermissionRequest = Pick<DialogInfo, "kind" | "subject" | "subjectComplete" | "otherReadings">;

/** A request whose subject is known as it is: not read from a screen. */
export function exactRequest(kind: DialogKind, subject: string | undefined): PermissionRequest {
  return { kind, subject, subjectComplete: true, otherReadings: [] };
}

/** Whose dialog it is, and what applies to it. */
export interface PermissionContext extends Pick<Ground, "workdir" | "home" | "realPath"> {
  readonly policy: PermissionPolicy;
  readonly role: Role;
  readonly provider: ProviderId;
}

/** What is to be done, and why. */
export interface PermissionVerdict {
  readonly decision: PermissionDecision;
  /** Which rule decided: `permissions.deny[0]`, `builtin:sudo`, `never:trust`, `uncertain`, `allow_list`, `default`. */
  readonly rule: string;
  /** A sentence for the person, and for the agent that is refused. */
  readonly reason: string;
}

/**
 * Decides about a permission dialog: what only a person answers, then `deny`, the built-in rules, `ask`, and `allow`.
 *
 * A rule of `deny` or `ask` holds where any command in the text is meant by it, whatever runs it; `allow` only where
 * every command is. What cannot be understood or known is put to the person, and so is what may be read in another way
 * that is not allowed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { DEFAULT_PERMISSION_POLICY } from "./rules.ts";
 * const policy = { ...DEFAULT_PERMISSION_POLICY, deny: [{ command: "git push" }] };
 * const context = { policy, workdir: "/w", role: "programmer", provider: "codex" } as const;
 * const decide = (subject: string) => decidePermission(exactRequest("command", subject), context).decision;
 * assertEquals(decide("npm test && git push origin main"), "deny");
 * assertEquals(decide("git pushd"), "allow");
 * assertEquals(decide("sudo rm /etc/hosts"), "deny");
 * assertEquals(decide("$RUNNER test"), "ask");
 * ```
 */
export function decidePermission(request: PermissionRequest, context: PermissionContext): PermissionVerdict {
  const { kind } = request;
  if (!DECIDED_KINDS.some((decided) => decided === kind)) {
    const why = Object.hasOwn(NEVER_ACCEPTED, kind) ? NEVER_ACCEPTED[kind] : "no policy knows what it asks for";
    return verdict("ask", `never:${kind}`, `This is never accepted automatically: ${why}.`);
  }
  const first = decideByDefault(decideReading(request, context), context.policy);
  if (first.decision === "deny") return first;
  for (const subject of request.otherReadings) {
    const other = decideReading({ ...request, subject }, context);
    if (other.decision === "allow") continue;
    return first.decision === "ask" ? first : verdict(
      "ask",
      other.rule,
      `Where its lines end is not certain, and it may be read as something else. ${other.reason}`,
    );
  }
  return first;
}

/** Where the default is to deny, so is what would be put to a person only because it is not known. */
function decideByDefault(found: PermissionVerdict, policy: PermissionPolicy): PermissionVerdict {
  const unknown = found.decision === "ask" && !found.rule.startsWith("permissions.");
  if (!unknown || defaultDecision(policy) !== "deny") return found;
  return { ...found, decision: "deny", reason: `${found.reason} The policy's default is deny.` };
}

/** What a dialog is about, looked at once for all rules. */
interface Matter {
  readonly kind: DialogKind;
  readonly inspection: Inspection | undefined;
  /** The files that it is about, as their dialog names them. */
  readonly paths: readonly string[];
}

function decideReading(request: PermissionRequest, context: PermissionContext): PermissionVerdict {
  const { policy } = context;
  const ground = { ...context, writable: policy.writable ?? [] };
  const matter = matterOf(request, ground);
  const violations = violationsOf(matter, ground);
  const lifted = (rule: string | undefined) => policy.liftBuiltin.some((name) => name === rule);

  const denied = findRule("deny", matter, context);
  if (denied.sure !== undefined) return verdict("deny", denied.sure, `The policy denies ${denied.what}.`);
  const violation = violations.find(({ rule }) => !lifted(rule));
  if (violation !== undefined) {
    return verdict(
      "deny",
      `builtin:${violation.rule}`,
      `The built-in rule ${violation.rule} denies it: ${violation.message}.`,
    );
  }
  const asked = findRule("ask", matter, context);
  if (asked.sure !== undefined) return verdict("ask", asked.sure, `The policy wants to be asked about ${asked.what}.`);
  const guarded = guardedBy(matter, ground);
  if (guarded !== undefined) return verdict("ask", "protected", `Only a person may allow it: ${guarded}.`);
  const named = matcherOf(matter, context);
  const doubt = doubtsOf(request, matter, ground).find(({ about, unless }) =>
    !lifted(about) && !(unless !== undefined && named(unless.words, unless.folders, unless.naming))
  );
  if (doubt !== undefined) return verdict("ask", "uncertain", `What it does is uncertain: ${doubt.message}.`);
  for (const unsure of [denied, asked]) {
    if (unsure.maybe === undefined) continue;
    return verdict("ask", "uncertain", `It may be what ${unsure.maybe} means: its words are not all known.`);
  }
  return decideAllowed(request, matter, context);
}

/** A command may be as long as a file; the sentence about it is for a person to read. */
const MAX_REASON_LENGTH = 400;

function verdict(decision: PermissionDecision, rule: string, reason: string): PermissionVerdict {
  return {
    decision,
    rule,
    reason: reason.length <= MAX_REASON_LENGTH ? reason : `${reason.slice(0, MAX_REASON_LENGTH)}…`,
  };
}

const FILE_KINDS: readonly DialogKind[] = ["patch", "file_write", "file_edit"];

function matterOf({ kind, subject }: PermissionRequest, ground: Ground): Matter {
  const lines = FILE_KINDS.includes(kind) ? subject?.split("\n") ?? [] : [];
  return {
    kind,
    inspection: kind === "command" && subject !== undefined ? inspectShellText(subject, ground) : undefined,
    paths: lines.filter((line) => line.trim() !== ""),
  };
}

function violationsOf({ kind, inspection, paths }: Matter, ground: Ground): Inspection["violations"] {
  if (inspection !== undefined) return inspection.violations;
  if (!FILE_KINDS.includes(kind)) return [];
  const outside = paths.find((path) => written(path, ground).place === "outside");
  if (outside === undefined) return [];
  return [{ rule: "write_outside_workdir", message: `it writes to ${outside}, outside the working directory` }];
}

function written(path: string, ground: Ground) {
  return whereto(path, { folders: [ground.workdir], does: "write" }, ground);
}

/** What only a person may allow, whatever the policy says. */
function guardedBy({ kind, inspection, paths }: Matter, ground: Ground): string | undefined {
  if (inspection !== undefined) return inspection.guarded[0];
  if (!FILE_KINDS.includes(kind)) return undefined;
  for (const path of paths) {
    const { protected: kept } = written(path, ground);
    if (kept !== undefined) return `it writes to ${path}, and ${kept} is protected`;
  }
  return undefined;
}

function doubtsOf(
  { kind, subject, subjectComplete }: PermissionRequest,
  { inspection, paths }: Matter,
  ground: Ground,
): readonly Doubt[] {
  if (kind === "other" || kind === "plan") return [];
  if (subject === undefined || subject.trim() === "") {
    return [{ message: kind === "command" ? "its command is not shown" : "its file is not shown" }];
  }
  if (!subjectComplete) return [{ message: "only a part of it is shown" }];
  const unknown = FILE_KINDS.includes(kind)
    ? paths.find((path) => path.startsWith("~") || written(path, ground).place === "unknown")
    : undefined;
  if (unknown === undefined) return inspection?.doubts ?? [];
  return [{ message: `where ${unknown} leads is not known`, about: "write_outside_workdir" }];
}

interface FoundRule {
  /** The rule's place in the configuration, where it surely holds. */
  readonly sure?: string;
  /** What it says no to, for a sentence. */
  readonly what?: string;
  /** The place of a rule that may hold. */
  readonly maybe?: string;
}

/** The first rule of a list that holds, or else the first that may. */
function findRule(list: "deny" | "ask", matter: Matter, context: PermissionContext): FoundRule {
  let maybe: string | undefined;
  for (const [index, rule] of context.policy[list].entries()) {
    const aboutWrites = rule.path !== undefined && matter.inspection !== undefined && concernsWrites(rule, context);
    if (!aboutWrites && !concerns(rule, matter.kind, context)) continue;
    const place = `permissions.${list}[${index}]`;
    const held = holds(rule, matter, context);
    if (held.outcome === "yes") return { sure: place, what: held.what };
    if (held.outcome === "maybe") maybe ??= place;
  }
  return maybe === undefined ? {} : { maybe };
}

function concerns(rule: PermissionRule, kind: DialogKind, { role, provider }: PermissionContext): boolean {
  return (rule.roles?.includes(role) ?? true) && (rule.providers?.includes(provider) ?? true) &&
    (rule.kinds?.some((named) => named === kind) ?? true);
}

function holds(
  rule: PermissionRule,
  matter: Matter,
  { workdir }: PermissionContext,
): { readonly outcome: "yes" | "maybe" | "no"; readonly what: string } {
  if (rule.command !== undefined) {
    const pattern = parseCommandPattern(rule.command);
    const what = `the command pattern "${rule.command}"`;
    const outcomes = (matter.inspection?.commands ?? []).flatMap((command) =>
      spellingsOf(command, workdir).map((words) => matchCommand(pattern, words, { loose: true }))
    );
    return { outcome: outcomes.includes("yes") ? "yes" : outcomes.includes("maybe") ? "maybe" : "no", what };
  }
  if (rule.path !== undefined) {
    const pattern = parseCommandPattern(rule.path);
    const paths = [...matter.paths, ...(matter.inspection?.writes ?? []).flatMap((one) => one.paths)];
    const meant = paths.some((path) => matchPath(pattern, pathSpellings(path, { workdir, folders: [workdir] })));
    return { outcome: meant ? "yes" : "no", what: `the path pattern "${rule.path}"` };
  }
  return { outcome: "yes", what: `dialogs of the kind ${matter.kind}` };
}

function decideAllowed(request: PermissionRequest, matter: Matter, context: PermissionContext): PermissionVerdict {
  const { policy } = context;
  const rules = policy.allow
    .map((rule, index) => ({ rule, place: `permissions.allow[${index}]` }))
    .filter(({ rule }) => concerns(rule, matter.kind, context));
  // A dialog that is not understood is only for a rule that names its kind.
  const named = rules.find(({ rule }) =>
    rule.kinds !== undefined && rule.command === undefined && rule.path === undefined
  );
  if (named !== undefined) {
    return verdict("allow", named.place, `The policy allows dialogs of the kind ${matter.kind}.`);
  }
  if (matter.kind === "other") {
    return verdict("ask", "uncertain", "What the dialog asks for is not known.");
  }
  const byDefault = defaultDecision(policy);
  if (byDefault === "allow") return verdict("allow", "default", "Nothing in the policy speaks against it.");
  const whole = rules.find(({ rule }) => rule.command === undefined && rule.path === undefined);
  if (whole !== undefined) return verdict("allow", whole.place, "The policy allows it.");
  const missing = matter.kind === "command" ? unnamedCommand(matter, context) : unnamedPath(matter, rules, context);
  if (missing === undefined) return verdict("allow", "allow_list", "The policy's allow list names all of it.");
  const what = missing === "" ? `this ${request.kind}` : missing;
  return verdict(
    byDefault,
    policy.allow.length === 0 ? "default" : "allow_list",
    `The policy does not name ${what}, and its default is ${byDefault}.`,
  );
}

type PlacedRule = { readonly rule: PermissionRule; readonly place: string };

/** The command patterns of `allow` that concern a dialog, and that have a text in them. */
function allowedPatterns({ kind }: Matter, context: PermissionContext, naming = ""): readonly CommandPattern[] {
  return context.policy.allow.flatMap((rule) =>
    rule.command?.includes(naming) && concerns(rule, kind, context) ? [parseCommandPattern(rule.command)] : []
  );
}

/** Whether an entry of `allow` names a command, with every word in it that asks for what is not harmless. */
function matcherOf(matter: Matter, context: PermissionContext) {
  const { workdir } = context;
  const { inspection } = matter;
  const named = new Map(inspection?.named);
  for (const { word } of inspection?.reads ?? []) if (word !== undefined) named.set(word, PATH_BEGINNING);
  for (const write of inspection?.writes ?? []) {
    if (typeof write.by === "object" && !isWritable(write, context)) named.set(write.by, PATH_BEGINNING);
  }
  return (words: readonly (ShellWord | undefined)[], folders: PossibleFolders, naming = ""): boolean => {
    const patterns = allowedPatterns(matter, context, naming);
    const known = words.map((word): KnownWord => {
      const literal = word === undefined ? undefined : named.get(word);
      return { ...knownWord(word, { workdir, folders }), ...(literal === undefined ? {} : { literal }) };
    });
    return readingsOf(known, context).some((reading) =>
      patterns.some((pattern) =>
        (pattern.first === undefined || reading[0]?.value === undefined || pattern.first === reading[0].value) &&
        matchCommand(pattern, reading) === "yes"
      )
    );
  };
}

/** How much of a path a rule must spell out that names it: `/e**` does, `/**` does not. */
const PATH_BEGINNING = 2;

/** A command as it is written; a program of the system without its folder; git without options that are harmless. */
function readingsOf(words: readonly KnownWord[], { home }: PermissionContext): readonly (readonly KnownWord[])[] {
  const [first, ...rest] = words;
  const program = first?.value ?? "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  const folder = program.slice(0, Math.max(program.lastIndexOf("/"), 0));
  const own = home === undefined ? [] : OWN_FOLDERS.map((below) => `${home}/${below}`);
  const plain = [...SYSTEM_FOLDERS, ...own].includes(folder) ? [{ value: name }, ...rest] : words;
  const git = name === "git" && (plain[0]?.value ?? "") === "git" ? withoutGitOptions(plain) : plain;
  return [...new Set([words, plain, git])];
}

const SYSTEM_FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];
const OWN_FOLDERS = [".cargo/bin", ".deno/bin", ".bun/bin", "go/bin", ".local/bin"];

/** git without its options before the command, as far as none of them must be named. */
function withoutGitOptions(words: readonly KnownWord[]): readonly KnownWord[] {
  let index = 1;
  while (/^-/.test(words[index]?.value ?? "")) {
    const valued = /^(?:-[Cc]|--(?:git-dir|work-tree|namespace))$/.test(words[index]?.value ?? "");
    for (const word of words.slice(index, index + (valued ? 2 : 1))) if (word.literal !== undefined) return words;
    index += valued ? 2 : 1;
  }
  return [...words.slice(0, 1), ...words.slice(index)];
}

/** Whether a file may be written by what the policy says of files. */
function isWritable({ paths }: InspectedWrite, context: PermissionContext): boolean {
  const { policy, workdir } = context;
  const rules = policy.allow.filter((rule) => rule.command === undefined && concernsWrites(rule, context));
  return paths.every((path) =>
    (policy.writable ?? []).some((folder) => path.startsWith(`${folder}/`)) ||
    rules.some((rule) =>
      rule.path === undefined ||
      matchPath(parseCommandPattern(rule.path), normalSpellings(path, { workdir, folders: [workdir] }))
    )
  );
}

/** Whether a rule is about the files that a command writes. */
function concernsWrites(rule: PermissionRule, context: PermissionContext): boolean {
  return concerns(rule, "file_write", context) || concerns(rule, "command", context);
}

/**
 * The first command that no rule of `allow` names. What only runs another command needs no rule of its own, nor does
 * what touches nothing but the shell; nor do variables, as those that matter are in doubt already.
 */
function unnamedCommand(matter: Matter, context: PermissionContext): string | undefined {
  const { inspection } = matter;
  const named = matcherOf(matter, context);
  for (const { command, layers, folders, harmless } of inspection?.commands ?? []) {
    if (harmless) continue;
    const assignments = command.assignments.map(({ word }) => word);
    for (const { words, moreWords, transparent } of layers) {
      const all = moreWords ? [...words, undefined] : words;
      // An entry may name the variables, too.
      const isNamed = () =>
        named(all, folders) || (words === command.words && named([...assignments, ...all], folders));
      if (!transparent && !isNamed()) return all.map((word) => word?.source ?? "…").join(" ");
    }
  }
  const write = inspection?.writes.find((one) => one.by === "redirection" && !isWritable(one, context));
  if (write !== undefined) return `that ${write.message}`;
  const read = inspection?.reads.find(({ word }) => word === undefined);
  return read === undefined ? undefined : `that ${read.message}`;
}

function unnamedPath(
  { paths }: Matter,
  rules: readonly PlacedRule[],
  { workdir }: PermissionContext,
): string | undefined {
  const patterns: CommandPattern[] = rules.flatMap(({ rule }) =>
    rule.path === undefined ? [] : [parseCommandPattern(rule.path)]
  );
  if (paths.length === 0) return "";
  return paths.find((path) =>
    !patterns.some((pattern) => matchPath(pattern, normalSpellings(path, { workdir, folders: [workdir] })))
  );
}
