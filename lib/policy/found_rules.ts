import type { Matter, PermissionContext } from "./matter.ts";
import { matchCommand, matchPath, meansCommand } from "./pattern.ts";
import { concernsKind, concernsWrites, type ListedRule, mayBegin } from "./rule_lists.ts";
import { pathSpellings, type Spelling, spellingsOf } from "./spellings.ts";

type MatterPlace = Pick<PermissionContext, "workdir" | "cwd">;

interface SpelledMatter {
  readonly matter: Matter;
  readonly spellings: () => readonly Spelling[];
  readonly place: MatterPlace;
}

export function spelledMatter(matter: Matter, place: MatterPlace): SpelledMatter {
  const { commands = [] } = matter.inspection ?? {};
  return {
    matter,
    spellings: once(() => commands.flatMap((command) => spellingsOf(command, place.workdir))),
    place,
  };
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

export interface FoundRule {
  readonly sure?: { readonly place: string; readonly what: string };
  /** The place of a rule that may hold. */
  readonly maybe?: string;
}

/** The first rule of `deny` or `ask` that holds, or else the first that may. */
export function findRule(rules: readonly ListedRule[], spelled: SpelledMatter): FoundRule {
  const { kind, inspection } = spelled.matter;
  let maybe: string | undefined;
  for (const listed of rules) {
    const { place, rule } = listed;
    const aboutWrites = rule.path !== undefined && inspection !== undefined && concernsWrites(listed);
    if (!aboutWrites && !concernsKind(listed, kind)) continue;
    const held = holds(listed, spelled);
    if (held.outcome === "yes") return { sure: { place, what: held.what } };
    if (held.outcome === "maybe") maybe ??= place;
  }
  return maybe === undefined ? {} : { maybe };
}

function holds(
  listed: ListedRule,
  { matter, spellings, place: { workdir, cwd = workdir } }: SpelledMatter,
): { readonly outcome: "yes" | "maybe" | "no"; readonly what: string } {
  const { rule } = listed;
  if (rule.command !== undefined) {
    const what = `the command pattern "${rule.command}"`;
    const outcomes = spellings().map(({ words, guess }) => {
      if (!mayBegin(listed, words[0])) return "no";
      if (!guess) return matchCommand(listed.pattern(), words, { loose: true });
      // A guess at an unknown word would be one too many.
      return listed.begins !== undefined && meansCommand(listed.pattern(), words, { loose: true }) ? "maybe" : "no";
    });
    return { outcome: outcomes.includes("yes") ? "yes" : outcomes.includes("maybe") ? "maybe" : "no", what };
  }
  if (rule.path !== undefined) {
    const paths = [...matter.paths, ...(matter.inspection?.writes ?? []).flatMap((one) => one.paths)];
    const meant = paths.some((path) => matchPath(listed.pattern(), pathSpellings(path, { workdir, folders: [cwd] })));
    return { outcome: meant ? "yes" : "no", what: `the path pattern "${rule.path}"` };
  }
  return { outcome: "yes", what: `dialogs of the kind ${matter.kind}` };
}
