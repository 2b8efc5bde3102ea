import type { DialogKind } from "./dialog.ts";
import type { Color } from "./screen.ts";
import type { TerminalStatus } from "../base/status.ts";

/**
 * A colour, the terminal's own one (`"default"`), any but that (`"coloured"`), or any that is no shade of grey
 * (`"vivid"`).
 */
export type ColorPattern = Color | "default" | "coloured" | "vivid";

/** What a stretch of text must be drawn like; what is missing does not matter. */
export interface StylePattern {
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly reverse?: boolean;
  /** Drawn like ordinary text: no attribute and no colour at all. */
  readonly plain?: boolean;
  /** One of these. */
  readonly foreground?: readonly ColorPattern[];
  readonly background?: readonly ColorPattern[];
  /** Whether it has the colour of the row's first character, such as a bullet: that holds in every theme. */
  readonly mark?: boolean;
}

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
export const ROW_REGIONS = [
  "screen",
  "composer",
  "footer",
  "status",
  "transcript",
  "last_turn",
  "dialog",
  "tail",
] as const;

/** One of {@linkcode ROW_REGIONS}. */
export type RowRegion = typeof ROW_REGIONS[number];

/**
 * Which rows of a region count: any, the blocks' first rows (those that the layout calls heads), the last head only,
 * the last head that is no detail, or the last row that is not blank.
 */
export const ROW_SELECTIONS = ["any", "head", "last_head", "last_block", "last"] as const;

/** One of {@linkcode ROW_SELECTIONS}. */
export type RowSelection = typeof ROW_SELECTIONS[number];

/** What a screen as a whole can have. */
export const LAYOUT_PARTS = ["composer", "draft", "dialog", "prompt_echo"] as const;

/** One of {@linkcode LAYOUT_PARTS}. */
export type LayoutPart = typeof LAYOUT_PARTS[number];

/** What must be found in the rows of a region. */
export interface RowCondition {
  readonly region: RowRegion;
  /** Tested on each row's text. What it costs on the worst text is bounded: see `patternProblem`. */
  readonly text: RegExp;
  /** @default {"any"} */
  readonly row?: RowSelection;
  /**
   * How the match must be drawn: the named group `styled` of `text` where there is one, else its first character.
   * On a screen without any style the text alone decides, unless `styleNeeded`. The same holds for colours where
   * neither the row nor composer and footer have any.
   */
  readonly style?: StylePattern;
  /** Whether the condition fails on a screen without any style, or without the colours it asks for. @default {false} */
  readonly styleNeeded?: boolean;
}

/** A row pattern, or something that is known of the screen as a whole. */
export type Condition =
  | { readonly on: "rows" } & RowCondition
  | { readonly on: "title"; readonly text: RegExp }
  /** The pane's process ended. */
  | { readonly on: "dead" }
  /** The name of the pane's foreground program. */
  | { readonly on: "command"; readonly text: RegExp }
  | { readonly on: "cursor"; readonly visible: boolean }
  /** Whether the capture carries style; where it does not, words are all that there is. */
  | { readonly on: "style"; readonly present: boolean }
  /** Whether the screen has this part. */
  | { readonly on: "layout"; readonly has: LayoutPart }
  | { readonly on: "dialog"; readonly kinds: readonly DialogKind[] };

/** One line of screen knowledge. */
export interface Rule {
  /** Unique within the pack, such as `"status-row"`. */
  readonly id: string;
  readonly status: TerminalStatus;
  /** The highest that applies decides. */
  readonly priority: number;
  /** All of these must hold. Their rows, in this order, are the evidence. */
  readonly when: readonly [Condition, ...Condition[]];
  /** None of these may hold. */
  readonly excludes?: readonly Condition[];
  /**
   * Set where an agent that is still at work can show the same screen. Its status then needs a second source, or a
   * screen that stands still, or that the agent has shown the rule `unlessSeen` before: it then shows that whenever it
   * works.
   */
  readonly doubtful?: { readonly unlessSeen?: string };
  /** Where a person wrote it, such as `panewright.jsonc:12`; missing for the rules that are built in. */
  readonly origin?: string;
}

/** Where dialogs say what they are about. */
export interface SubjectPattern {
  /** The dialogs that it holds for. */
  readonly kinds: readonly DialogKind[];
  /**
   * Where it is looked for: above the choices, or in the last block of the conversation above the dialog.
   * @default {"dialog"}
   */
  readonly in?: "dialog" | "block_above";
  /** The row directly above the subject; without it, the first row that matches `first` begins it. */
  readonly after?: RegExp;
  /** The subject's first row, with group `subject`. */
  readonly first: RegExp;
  /** A row that continues it, with group `subject`; without it, the subject has one row. */
  readonly next?: RegExp;
  /** How the subject's rows are drawn, other than blank ones. */
  readonly style?: StylePattern;
  /** Whether each row that matches `first` adds a line: a list of files. @default {false} */
  readonly every?: boolean;
  /** What stands between two of them on the same row. */
  readonly separator?: RegExp;
  /** A row that says how many there are, with group `count`. */
  readonly count?: RegExp;
  /** A row that stands for what is not shown. */
  readonly cut?: RegExp;
  /** Columns at the right edge that wrapped rows leave blank. @default {0} */
  readonly rightMargin?: number;
}

/** How a CLI builds its screen: where things are, and what marks them. Every pattern is tested on one row. */
export interface Layout {
  readonly composer: {
    /** The row on which a prompt begins; group `text` is what was typed on that row. */
    readonly first: RegExp;
    /** How its first character is drawn. */
    readonly style?: StylePattern;
    /** The row on which a command for the shell begins instead, for CLIs whose composer takes one; group `text`. */
    readonly shell?: RegExp;
    readonly shellStyle?: StylePattern;
    /** A further row of a typed prompt; group `text` is what was typed on it. */
    readonly next: RegExp;
    /** How a placeholder is drawn, from its second character on (the cursor may stand on the first). */
    readonly placeholderStyle: StylePattern;
    /** Placeholders, for screens without style. */
    readonly placeholders: RegExp;
    /** A line that closes the composer above and below, where the CLI draws one. */
    readonly frame?: RegExp;
    /** The composer of CLIs that drew no frame yet, for screens without style; group `text` as in `first`. */
    readonly bare?: RegExp;
    /** A row that may stand below the composer. */
    readonly below: RegExp;
    /** How many rows that are not blank may stand below it. */
    readonly maxBelow: number;
    /** The first row below it while the CLI is still starting: a dialog may yet take the composer's place. */
    readonly starting?: RegExp;
    /** What stands for a long text that was pasted; groups `chars` or `lines` where it says how long that is. */
    readonly pasteMarker?: RegExp;
  };
  /** A prompt in the conversation: the row on which it begins. */
  readonly echo: { readonly first: RegExp; readonly style?: StylePattern };
  /**
   * The first row of a screen with a panel beside the conversation, for CLIs that draw one: groups `before`, what stands
   * left of the panel's edge, and `edge`, the character that the edge is made of.
   */
  readonly sidePanel?: RegExp;
  /** The first row of a block of the conversation, or of the status. */
  readonly head: RegExp;
  /** Heads that belong to the block above them, such as a tip or prompts that wait for their turn. */
  readonly detail: RegExp;
  /** What of an answer's rows is not the agent's own text. */
  readonly answer: {
    /** What stands before the text of each row, such as a bullet or an indentation. */
    readonly indent: RegExp;
    /** A row between the answer and the composer, such as how long the turn took. */
    readonly trailer: RegExp;
  };
  readonly dialog: {
    /**
     * The choice that is selected: groups `before` (what stands left of the choices), `number` where there is one,
     * `label`.
     */
    readonly selected: RegExp;
    /** How its first character is drawn; where nothing around it has a colour, `proof` may do instead. */
    readonly selectedStyle: StylePattern;
    /** A row above or below its choices that proves a dialog where colours do not. */
    readonly proof?: RegExp;
    /** A line with a session's name that stands below dialogs. */
    readonly closing?: RegExp;
    /** Rows between or below the choices that belong to none, such as lines. */
    readonly rule: RegExp;
    /** A hint below the choices; needed on screens without style, where a quoted dialog looks like a real one. */
    readonly hint: RegExp;
    /** The row that begins a dialog, looked for upwards from the choices. */
    readonly top: RegExp;
    readonly topStyle?: StylePattern;
    /** The paragraph that asks, and from which end it is looked for; where none matches it is the first. */
    readonly heading: { readonly text: RegExp; readonly from: "top" | "bottom" };
    /** How many rows that are not blank may follow the last choice. */
    readonly maxBelow: number;
    /** The key that a label ends with, such as `(y)`: group `key`. */
    readonly key: RegExp;
    /** What a dialog asks for, by its first paragraph, else by a choice, else by the paragraph that asks. */
    readonly kinds: readonly { readonly kind: DialogKind; readonly text: RegExp }[];
    /** Where the subject is found; the first that is. */
    readonly subjects: readonly SubjectPattern[];
  };
}

/** Which pack of rules a person has installed. */
export interface RulesSource {
  /** Numbers with dots: `0.1.0.1`. */
  readonly version: string;
  /** The SHA-256 of the pack's file, hexadecimal. */
  readonly sha256: string;
  /** The id of the key that signed it. */
  readonly key: string;
}

/** What is known of one CLI's screens. */
export interface RulePack {
  readonly provider: string;
  /** Where rules and layout come from; missing for those that are built in. A person's changes are on top of it. */
  readonly source?: RulesSource;
  readonly layout: Layout;
  /** In any order: priorities decide. */
  readonly rules: readonly Rule[];
}
