import type { ReportDetailKind } from "./model.ts";

/** Where a detail is kept: a file of the run's folder, a text of a record, or records of the audit log. */
export type DetailSource =
  & { readonly kind: ReportDetailKind; readonly ref: string; readonly title: string }
  & (
    | {
      readonly from: "file";
      /** Relative to the run's folder. */
      readonly path: string;
      /** SHA-256 of the file, hexadecimal, where the journal has it. */
      readonly sha256?: string;
    }
    | { readonly from: "record"; readonly text: string }
    | { readonly from: "audit"; /** The record of the decision, from 1. */ readonly record: number }
  );
