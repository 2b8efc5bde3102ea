import type { Inspection } from "./inspect/inspection.ts";
import { matchCommand, matchPath, meansCommand } from "./pattern.ts";
import type { DialogKind } from "../screen/dialog.ts";
import type { PermissionRule } from "./rules.ts";
import { concernsKind, concernsWrites, type ListedRule, mayBegin } from "./rule_lists.ts";
import { pathSpellings, type Spelling, spellingsOf } from "./spellings.ts";

type Spelled = ReturnType<typeof spelled>;

/** A request with the spellings of its commands, which are worked out when they are first asked for. */
export function spelled(inspection: Inspection) {
  const { commands, ground: { workdir } } = inspection;
  let found: readonly Spelling[] | undefined;
  return { inspection, spellings: () => found ??= commands.flatMap((command) => spellingsOf(command, workdir)) };
}

export interface FoundRule {
  readonly sure?: { readonly place: string; readonly what: string };
  readonly maybe?: Pick<ListedRule, "place" | "isSure">;
}

/** The first rule of `deny` or `ask` that holds, or else the first that may. */
export function findRule(rules: readonly ListedRule[], spelled: Spelled): FoundRule {
  const { kind } = spelled.inspection;
  let maybe: FoundRule["maybe"];
  for (const listed of rules) {
    const { place, rule } = listed;
    const aboutWrites = rule.path !== undefined && kind === "command" && concernsWrites(listed);
    if (!aboutWrites && !concernsKind(listed, kind)) continue;
    const held = holds(listed, spelled);
    if (held.outcome === "yes" && listed.isSure) return { sure: { place, what: held.what } };
    if (held.outcome !== "no") maybe ??= listed;
  }
  return maybe === undefined ? {} : { maybe };
}

function holds(
  listed: ListedRule,
  { inspection: { kind, files, writes, ground: { workdir, cwd = workdir } }, spellings }: Spelled,
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
    const paths = [...files, ...writes.flatMap((one) => one.paths)];
    const meant = paths.some((path) => matchPath(listed.pattern(), pathSpellings(path, { workdir, folders: [cwd] })));
    return { outcome: meant ? "yes" : "no", what: `the path pattern "${rule.path}"` };
  }
  return { outcome: "yes", what: wholeOf(rule, kind) };
}

/** What an entry is about that names neither a command nor a path. */
export function wholeOf({ tool }: PermissionRule, kind: DialogKind): string {
  return tool === undefined ? `dialogs of the kind ${kind}` : `calls of the tool ${tool}`;
}
