import type { ItemChange } from "./item_changes.ts";

/** How a record is told to a person: its first line without the name of its lane, and the lines after it. */
export interface Words {
  readonly title: string;
  readonly text: string;
}

/** What the records of a job change in a report, by type; the words of those that are missing are told as a note. */
export type ItemTable<Fact extends { readonly type: string }> = {
  readonly [Type in Fact["type"]]?: (
    fact: Extract<Fact, { readonly type: Type }>,
    words: Words,
  ) => readonly ItemChange[];
};
