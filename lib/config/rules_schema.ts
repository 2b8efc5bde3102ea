import * as z from "zod";
import { PROVIDER_IDS } from "../providers/mod.ts";
import type { ProviderId } from "../providers/provider.ts";
import { patternProblem } from "../screen/pattern_cost.ts";
import { DIALOG_KINDS } from "../screen/dialog.ts";
import { LAYOUT_PARTS, ROW_REGIONS, ROW_SELECTIONS } from "../screen/rules.ts";
import { TERMINAL_STATUSES } from "../screen/status.ts";

const pattern = () =>
  z.string().min(1).superRefine((source, context) => {
    const problem = patternProblem(source);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const color = () =>
  z.union([
    z.int().min(0).max(255),
    z.string().regex(
      /^(?:#[0-9a-f]{6}|default|coloured)$/,
      'must be a number from 0 to 255, "#rrggbb", "default" or "coloured"',
    ),
  ]);

const style = z.strictObject({
  bold: z.boolean().optional(),
  dim: z.boolean().optional(),
  italic: z.boolean().optional(),
  reverse: z.boolean().optional(),
  plain: z.boolean().optional().describe("Drawn like ordinary text: no attribute, no colour."),
  foreground: z.array(color()).min(1).optional().describe(
    'One of these colours; "coloured" is any but the terminal\'s own.',
  ),
  background: z.array(color()).min(1).optional(),
});

const conditionKeys = {
  region: z.enum(ROW_REGIONS).optional().describe("The part of the screen in which a row must match the pattern."),
  pattern: z.union([pattern(), z.array(pattern()).min(1)]).optional()
    .describe("A regular expression for one row, or several of which one must match. It begins with ^ where it can."),
  row: z.enum(ROW_SELECTIONS).optional()
    .describe("Which rows of the region count: any, the first rows of blocks, the last of those, the last row."),
  style: style.optional()
    .describe("How the match must be drawn: its group (?<styled>…) where it has one, else its first character."),
  style_needed: z.boolean().optional().describe("Whether a screen without any style fails the condition."),
  title: pattern().optional().describe("A regular expression for the pane's title."),
  command: pattern().optional().describe("A regular expression for the name of the pane's foreground program."),
  cursor_visible: z.boolean().optional().describe("Whether the cursor must be shown, or hidden."),
  styled: z.boolean().optional().describe("Whether the screen must have style, or none at all."),
  has: z.array(z.enum(LAYOUT_PARTS)).min(1).optional().describe("Parts that the screen must have."),
  dialog: z.array(z.enum(DIALOG_KINDS)).min(1).optional().describe("The kinds of dialogs of which one must be open."),
};

type ConditionKey = keyof typeof conditionKeys;

const CONDITION_KEYS = Object.keys(conditionKeys) as readonly ConditionKey[];

/** What only means something beside another key. */
const BESIDE_PATTERN: readonly ConditionKey[] = ["row", "style", "style_needed"];

type Entry = Readonly<Record<string, unknown>>;

function checkCondition(entry: Entry, context: z.RefinementCtx): void {
  // A mistyped key is missing in the entry: it must not be reported a second time as that.
  if (context.issues.length > 0) return;
  const add = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  if (CONDITION_KEYS.every((key) => entry[key] === undefined)) {
    add([], `needs a condition: pattern and region, or one of ${CONDITION_KEYS.slice(5).join(", ")}`);
  }
  if (entry["pattern"] !== undefined && entry["region"] === undefined) {
    add(["pattern"], `needs a region beside it: one of ${ROW_REGIONS.join(", ")}`);
  }
  for (const key of ["region", ...BESIDE_PATTERN] as const) {
    if (entry[key] !== undefined && entry["pattern"] === undefined) add([key], "is of no use without a pattern");
  }
}

const condition = z.strictObject(conditionKeys).superRefine(checkCondition);

const rule = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 small letters, digits or -")
    .describe("A name of your own, or of the built-in rule to replace or remove."),
  note: z.string().optional().describe("Why the rule is there; for people."),
  remove: z.boolean().optional().describe("Whether the built-in rule with this id no longer holds."),
  replace: z.boolean().optional().describe("Whether this takes the place of the built-in rule with this id."),
  status: z.enum(TERMINAL_STATUSES).optional().describe("What a screen is on which the rule decides."),
  priority: z.number().min(0).max(2000).optional()
    .describe("The highest that applies decides; without it, where the built-in rules of that status stand."),
  ...conditionKeys,
  also: z.array(condition).min(1).optional().describe("Further conditions, all of which must hold."),
  excludes: z.array(condition).min(1).optional().describe("Conditions of which none may hold."),
}).superRefine((entry, context) => {
  if (context.issues.length > 0) return;
  const add = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  if (entry.remove) {
    const others = Object.keys(entry).filter((key) => !["id", "note", "remove"].includes(key));
    for (const key of others) add([key], "is of no use in an entry that removes a rule");
    return;
  }
  checkCondition(entry, context);
  if (entry.status === undefined) add(["status"], `is missing: one of ${TERMINAL_STATUSES.join(", ")}`);
});

/** One entry of `rules`. */
export type RuleEntry = z.output<typeof rule>;

/** The conditions that an entry, or one of its `also` and `excludes`, names. */
export type ConditionEntry = z.output<typeof condition>;

/** What `rules` may hold, and the file that `rules_file` names. */
export const rulesSchema = z.strictObject(
  Object.fromEntries(
    PROVIDER_IDS.map((id) => [id, z.array(rule).optional().describe(`For the screens of ${id}.`)]),
  ) as Record<ProviderId, z.ZodOptional<z.ZodArray<typeof rule>>>,
);
