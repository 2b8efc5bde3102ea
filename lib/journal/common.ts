import { plural } from "./words/words.ts";
import { detail, line, shortened, type ShownLine } from "./words/shown_line.ts";
import { tokensOf, toldCostText } from "./words/usage_text.ts";
import type { ToldCost, Usage } from "../base/usage.ts";
import type { ToldRecord } from "./entry.ts";
import { changesOf } from "./items/details.ts";
import type { ItemChange } from "./items/item_changes.ts";

/** What a record of a review loop names, and one of a step does not. */
interface OfRole {
  readonly role?: string;
  readonly turnId?: string;
}

const NAMED_FILES = 5;

interface ChangedFiles extends OfRole {
  readonly files: readonly string[];
  readonly more?: number;
  readonly folder: string;
  readonly hasPatch: boolean;
  readonly late?: boolean;
}

export function changedWords({ role, files, more = 0, late }: ChangedFiles): ShownLine {
  const who = role === undefined ? "" : `${role}: `;
  const when = late === true ? " (seen only when the run was resumed)" : "";
  if (files.length === 0) return detail(`${who}no file was changed${when}`);
  const others = files.length + more - NAMED_FILES;
  return line(
    `${who}changed ${plural(files.length + more, "file")}${when}: ${files.slice(0, NAMED_FILES).join(", ")}` +
      (others > 0 ? ` and ${others} more` : ""),
  );
}

export function changedItems(fact: ChangedFiles, { title, lane }: ToldRecord): readonly ItemChange[] {
  const { files, more = 0, folder, hasPatch, turnId } = fact;
  const turn = turnId === undefined ? {} : { turn: turnId };
  const changes = changesOf({ files, more, folder, hasPatch });
  return files.length === 0 ? [] : [{ do: "add", item: { kind: "changes", lane, ...turn, title, ...changes } }];
}

export function repeatedWords(
  { role = "the agent", command, times }: OfRole & { readonly command: string; readonly times: number },
): ShownLine {
  return line(`${role} ran one command ${times} times in a row: ${shortened(command)}`, "caution");
}

export function repeatedItems(_fact: object, { title, text, lane }: ToldRecord): readonly ItemChange[] {
  return [{ do: "add", item: { kind: "limit", lane, title, text, tone: "caution" } }];
}

export function countedWords(
  { role, usage, cost }: OfRole & { readonly usage: Usage; readonly cost?: ToldCost },
): ShownLine {
  const whose = role === undefined ? "" : `${role}: `;
  return detail(`${whose}so far${tokensOf(usage)}${toldCostText(cost)}`);
}
