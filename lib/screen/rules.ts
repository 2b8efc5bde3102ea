import type * as z from "zod";
import type { DialogKind } from "./dialog.ts";
import type { layout, LayoutPart, RowRegion, RowSelection, style, subject } from "./rules_schema.ts";
import type { TerminalStatus } from "../base/status.ts";

/** What is written as a pattern, compiled, with its names in camelCase. */
export type Compiled<Data> = [string | string[]] extends [Data] ? RegExp
  : Data extends readonly (infer Each)[] ? readonly Compiled<Each>[]
  : Data extends object
    ? { readonly [Key in keyof Data as Camel<Key & string>]: Compiled<Exclude<Data[Key], undefined>> }
  : Data;

type Camel<Text extends string> = Text extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

/** What a stretch of text must be drawn like; what is missing does not matter. */
export type StylePattern = Compiled<z.infer<ReturnType<typeof style>>>;

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
export type SubjectPattern = Compiled<z.infer<ReturnType<typeof subject>>>;

/**
 * How a CLI builds its screen: where things are, and what marks them. Every pattern is tested on one row. What each part
 * means says the schema.
 */
export type Layout = Compiled<z.infer<ReturnType<typeof layout>>>;

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
