import type { NewDetail } from "./source.ts";

export const QUESTION_KEY = "question:";

export function responseDetail(path: string, sha256: string | undefined): NewDetail {
  const hash = sha256 === undefined ? {} : { sha256 };
  return { kind: "response", title: "The response", from: "file", path, ...hash };
}

export function screenDetail(path: string): NewDetail {
  return path.endsWith(".ansi")
    ? { kind: "screen", title: "Its screen", from: "file", path }
    : { kind: "output", title: "What it said last", from: "file", path };
}

export function auditDetail(audit: { readonly records: number } | undefined): readonly NewDetail[] {
  return audit === undefined
    ? []
    : [{ kind: "audit", title: "The record of the audit log", from: "audit", record: audit.records }];
}
