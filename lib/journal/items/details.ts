import type { NewDetail } from "./source.ts";

/** How the keys of questions begin. */
export const QUESTION_KEY = "question:";

export function responseDetail(path: string, sha256: string | undefined): NewDetail {
  const hash = sha256 === undefined ? {} : { sha256 };
  return { kind: "response", title: "The response", from: "file", path, ...hash };
}

/** What can be seen of an agent: what its pane showed, or what one without a pane said last. */
export function screenDetail(path: string): NewDetail {
  return path.endsWith(".ansi")
    ? { kind: "screen", title: "Its screen", from: "file", path }
    : { kind: "output", title: "What it said last", from: "file", path };
}

/** Files that were changed, a line each, and where their differences are. */
export function changesOf({ files, more, folder, hasPatch }: {
  readonly files: readonly string[];
  readonly more: number;
  readonly folder: string;
  readonly hasPatch: boolean;
}): { readonly text: string; readonly details?: readonly NewDetail[] } {
  const text = [...files, ...(more === 0 ? [] : [`and ${more} more`])].join("\n");
  const path = `${folder}/diff.patch`;
  return hasPatch ? { text, details: [{ kind: "diff", title: "What was changed", from: "file", path }] } : { text };
}

/** The record of a decision is the last one of the log as it then was. */
export function auditDetail(audit: { readonly records: number } | undefined): readonly NewDetail[] {
  return audit === undefined
    ? []
    : [{ kind: "audit", title: "The record of the audit log", from: "audit", record: audit.records }];
}
