import * as z from "zod";
import { TERMINAL_STATUSES } from "../base/status.ts";
import { patternProblem } from "./pattern_cost.ts";

/**
 * The parts of a screen that rows belong to.
 *
 * - `screen`: all rows.
 * - `composer`: where a prompt is typed.
 * - `footer`: what stands below the composer.
 * - `status`: the blocks directly above the composer, up to and with the first that is no mere addition to the status.
 * - `transcript`: everything above the composer or the dialog.
 * - `last_turn`: what came after the last prompt that was sent, down to the composer.
 * - `dialog`: a dialog that is open, from its heading to its last hint.
 * - `tail`: on a screen that has neither composer nor dialog, the rows below the last prompt, 30 at most.
 */
const ROW_REGIONS = ["screen", "composer", "footer", "status", "transcript", "last_turn", "dialog", "tail"] as const;

export type RowRegion = typeof ROW_REGIONS[number];

/**
 * Which rows of a region count: any, the blocks' first rows (those that the layout calls heads), the last head only,
 * the last head that is no detail, or the last row that is not blank.
 */
const ROW_SELECTIONS = ["any", "head", "last_head", "last_block", "last"] as const;

export type RowSelection = typeof ROW_SELECTIONS[number];

/** What a screen as a whole can have. */
const LAYOUT_PARTS = ["composer", "draft", "dialog", "prompt_echo"] as const;

export type LayoutPart = typeof LAYOUT_PARTS[number];

/** A regular expression for rows of a screen, or for words of an agent: its cost is bounded. */
export const pattern = () =>
  z.string().min(1).superRefine((source, context) => {
    const problem = patternProblem(source);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });

const color = () =>
  z.union([
    z.int().min(0).max(255),
    z.string().regex(
      /^(?:#[0-9a-f]{6}|default|coloured|vivid)$/,
      'must be a number from 0 to 255, "#rrggbb", "default", "coloured" or "vivid"',
    ),
  ]);

const dialogKind = () => z.string().regex(/^[a-z][a-z_]{0,39}$/, "must be 1 to 40 small letters or _");

export const style = () =>
  z.strictObject({
    bold: z.boolean().optional().describe("Drawn bold, or not."),
    dim: z.boolean().optional().describe("Drawn dim, or not."),
    italic: z.boolean().optional().describe("Drawn in italics, or not."),
    reverse: z.boolean().optional().describe("Drawn with its colours swapped, or not."),
    plain: z.boolean().optional().describe("Drawn like ordinary text: no attribute, no colour."),
    foreground: z.array(color()).min(1).optional().describe(
      'One of these colours; "coloured" is any but the terminal\'s own, "vivid" any of those that is no shade of grey.',
    ),
    background: z.array(color()).min(1).optional().describe("The same for the background."),
    mark: z.boolean().optional().describe("Drawn in the colour of the row's first character, or not."),
  });

const patterns = () => z.union([pattern(), z.array(pattern()).min(1)]);

const conditionKeys = () => ({
  region: z.enum(ROW_REGIONS).optional().describe("The part of the screen in which a row must match the pattern."),
  pattern: patterns().optional()
    .describe("A regular expression for one row, or several of which one must match. It begins with ^ where it can."),
  row: z.enum(ROW_SELECTIONS).optional()
    .describe("Which rows of the region count: any, the first rows of blocks, the last of those, the last row."),
  style: style().optional()
    .describe("How the match must be drawn: its group (?<styled>…) where it has one, else its first character."),
  style_needed: z.boolean().optional().describe(
    "Whether a screen without any style fails the condition, or one without the colours that it asks for.",
  ),
  title: patterns().optional().describe("A regular expression for the pane's title."),
  command: patterns().optional().describe("A regular expression for the name of the pane's foreground program."),
  cursor_visible: z.boolean().optional().describe("Whether the cursor must be shown, or hidden."),
  styled: z.boolean().optional().describe("Whether the screen must have style, or none at all."),
  has: z.array(z.enum(LAYOUT_PARTS)).min(1).optional().describe("Parts that the screen must have."),
  dialog: z.array(dialogKind()).min(1).optional().describe("The kinds of dialogs of which one must be open."),
  dead: z.literal(true).optional().describe("Whether the pane's process must have ended."),
});

type ConditionKey = keyof ReturnType<typeof conditionKeys>;

const BESIDE_PATTERN: readonly ConditionKey[] = ["row", "style", "style_needed"];

type Entry = Readonly<Record<string, unknown>>;

function checkCondition(entry: Entry, context: z.RefinementCtx): void {
  const keys = Object.keys(conditionKeys()) as readonly ConditionKey[];
  // A mistyped key is missing in the entry: it must not be reported a second time as that.
  if (context.issues.length > 0) return;
  const add = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
  if (keys.every((key) => entry[key] === undefined)) {
    add([], `needs a condition: pattern and region, or one of ${keys.slice(5).join(", ")}`);
  }
  if (entry["pattern"] !== undefined && entry["region"] === undefined) {
    add(["pattern"], `needs a region beside it: one of ${ROW_REGIONS.join(", ")}`);
  }
  for (const key of ["region", ...BESIDE_PATTERN] as const) {
    if (entry[key] !== undefined && entry["pattern"] === undefined) add([key], "has no effect without a pattern");
  }
}

export const condition = () => z.strictObject(conditionKeys()).superRefine(checkCondition);

export const rule = () =>
  z.strictObject({
    id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 lowercase letters, digits or -")
      .describe("A name of your own, or of the built-in rule to replace or remove."),
    note: z.string().optional().describe("Why the rule is there; for people."),
    remove: z.boolean().optional().describe("Whether the built-in rule with this id no longer holds."),
    replace: z.boolean().optional().describe("Whether this takes the place of the built-in rule with this id."),
    status: z.enum(TERMINAL_STATUSES).optional().describe("What a screen is on which the rule decides."),
    priority: z.number().min(0).max(2000).optional()
      .describe("The highest that applies decides; without it, where the built-in rules of that status stand."),
    ...conditionKeys(),
    also: z.array(condition()).min(1).optional().describe("Further conditions, all of which must hold."),
    excludes: z.array(condition()).min(1).optional().describe("Conditions of which none may hold."),
    doubtful: z.strictObject({
      unless_seen: z.string().optional().describe("A rule that an agent which has shown it shows whenever it works."),
    }).optional().describe(
      "Set where an agent at work can show the same screen: its status then needs more to be believed.",
    ),
  }).superRefine((entry, context) => {
    if (context.issues.length > 0) return;
    const add = (path: string[], message: string) => context.addIssue({ code: "custom", path, message });
    if (entry.remove) {
      const others = Object.keys(entry).filter((key) => !["id", "note", "remove"].includes(key));
      for (const key of others) add([key], "has no effect in an entry that removes a rule");
      return;
    }
    checkCondition(entry, context);
    if (entry.status === undefined) add(["status"], `is missing: one of ${TERMINAL_STATUSES.join(", ")}`);
  });

const composer = () =>
  z.strictObject({
    first: patterns().describe("The row on which a prompt begins; its group (?<text>…) is what was typed there."),
    style: style().optional().describe("How the first character of that row is drawn."),
    shell: patterns().optional().describe(
      "The row on which a command for the shell begins instead; (?<text>…) as above.",
    ),
    shell_style: style().optional().describe("How the first character of that row is drawn."),
    next: patterns().describe("A further row of a prompt, with a group (?<text>…)."),
    placeholder_style: style().describe("How a placeholder is drawn."),
    placeholders: patterns().describe("The placeholders, for screens without style."),
    frame: patterns().optional().describe("The line above and below the composer."),
    bare: patterns().optional().describe("The first row of a composer without frame, for screens without style."),
    below: patterns().describe("A row that may stand below the composer."),
    max_below: z.int().min(0).max(50).describe("How many rows that are not blank may stand below the composer."),
    starting: patterns().optional().describe("The first row below the composer while the CLI is still starting."),
    paste_marker: patterns().optional().describe(
      "What the composer shows instead of a long text that was pasted, with a group (?<chars>…) or (?<lines>…) where it says how long that is.",
    ),
  });

export const subject = () =>
  z.strictObject({
    kinds: z.array(dialogKind()).min(1).describe("The dialogs that it holds for."),
    in: z.enum(["dialog", "block_above"]).optional().describe("Where the subject is: in the dialog, or above it."),
    after: patterns().optional().describe("The row directly above the subject."),
    first: patterns().describe("The subject's first row, with a group (?<subject>…)."),
    next: patterns().optional().describe("A further row of the subject, with a group (?<subject>…)."),
    style: style().optional().describe("How the subject's rows are drawn."),
    every: z.boolean().optional().describe("Whether each row that matches `first` adds a line."),
    separator: patterns().optional().describe("What stands between two subjects on the same row."),
    count: patterns().optional().describe("A row that says how many there are, with a group (?<count>…)."),
    cut: patterns().optional().describe("A row that stands for what is not shown."),
    right_margin: z.int().min(0).max(50).optional().describe(
      "Columns at the right edge that wrapped rows leave blank.",
    ),
  });

const dialog = () =>
  z.strictObject({
    selected: patterns().describe("The selected choice, with groups (?<before>…), (?<number>…) and (?<label>…)."),
    selected_style: style().describe("How the first character of the selected choice is drawn."),
    proof: patterns().optional().describe(
      "A row above or below the choices that proves a dialog where nothing has a colour.",
    ),
    closing: patterns().optional().describe("A line with a session's name below dialogs."),
    rule: patterns().describe("Lines between and below the choices."),
    hint: patterns().describe("A hint below the choices."),
    top: patterns().describe("The row that begins a dialog."),
    top_style: style().optional().describe("How the first character of that row is drawn."),
    heading: z.strictObject({
      text: patterns().describe("What the paragraph matches."),
      from: z.enum(["top", "bottom"]).describe("The end from which it is looked for."),
    })
      .describe("The paragraph that asks; where none matches, it is the first one."),
    max_below: z.int().min(0).max(50).describe("How many rows that are not blank may follow the last choice."),
    key: patterns().describe("The key that a label ends with, as the group (?<key>…)."),
    kinds: z.array(z.strictObject({
      kind: dialogKind().describe("What it asks for."),
      text: patterns().describe("What such a dialog says."),
    }))
      .describe("What a dialog asks for, by its first paragraph, a choice, or the paragraph that asks."),
    subjects: z.array(subject()).describe("Where a dialog says what it is about; the first that is found counts."),
  });

const echo = () =>
  z.strictObject({
    first: patterns().describe("The first row of a prompt."),
    style: style().optional().describe("How the first character of that row is drawn."),
  });

const answer = () =>
  z.strictObject({
    indent: patterns().describe("What stands before the text of each row, such as a bullet."),
    trailer: patterns().describe("A row between an answer and the composer, such as how long the turn took."),
  });

const composerText = "Where a prompt is typed.";
const echoText = "A prompt in the conversation.";
const answerText = "What of an answer's rows is not the agent's own text.";
const dialogText = "A dialog with choices.";

export const layout = () =>
  z.strictObject({
    composer: composer().describe(composerText),
    echo: echo().describe(echoText),
    side_panel: patterns().optional().describe(
      "The first row of a screen with a panel at its right, with groups (?<before>…), what stands left of the panel's edge, and (?<edge>…), the character that the edge is made of.",
    ),
    head: patterns().describe("The first row of a block of the conversation, or of the status."),
    detail: patterns().describe("The first row of a block that belongs to the block above it."),
    answer: answer().describe(answerText),
    dialog: dialog().describe(dialogText),
  });

/** What differs in a layout. */
export const layoutChange = () =>
  layout().extend({
    composer: composer().partial().describe(composerText),
    echo: echo().partial().describe(echoText),
    answer: answer().partial().describe(answerText),
    dialog: dialog().partial().describe(dialogText),
  }).partial();

/** What is known of one CLI's screens: the form of the built-in `screen.json` files. */
export const screenSchema = () =>
  z.strictObject({ note: z.string().optional(), layout: layout(), rules: z.array(rule()) });
