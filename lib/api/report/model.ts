import type { ReportItem } from "../../journal/items/source.ts";
import type { GivenAnswer } from "../../journal/progress.ts";
import type { WaitingDialog } from "../../journal/waiting.ts";
import type { Exact, OutputFields } from "../output/outputs.ts";

/** The version of what is below, `v` in a document: it grows when a field goes, or means something else. */
export const REPORT_VERSION = 1;

/** What a page needs that asks for nothing: a report and all its details. Its fields are those of `--json`. */
export type ReportDocument = Omit<Told, "header" | "items"> & Report & { readonly v: typeof REPORT_VERSION };

type Told = Exact<OutputFields["report"]>;

/** A run as it is reported: the same for a file, a page that follows it, and a program. Texts are shown as texts. */
export interface Report {
  readonly header: ReportHeader;
  readonly items: readonly ReportItem[];
}

/** What has changed in a report: items that are new or take the place of those before, by their ids. */
export type ReportIncrement = Report & { readonly sequence: number };

export type ReportHeader = Omit<Told["header"], "answers" | "waiting" | "alsoWaiting"> & {
  readonly answers: readonly GivenAnswer[];
  readonly waiting?: ReportWaiting;
  readonly alsoWaiting?: readonly ReportWaiting[];
};

export type ReportLane = ReportHeader["lanes"][number];

export type ReportWorker = ReportHeader["workers"][number];

export type ReportWaiting = Omit<NonNullable<Told["header"]["waiting"]>, "dialog"> & {
  readonly dialog?: WaitingDialog;
};

export type ReportTokens = ReportHeader["tokens"][number];

/** What the check of the audit log says; `unknown` is what cannot be told. */
export type ReportAudit = NonNullable<ReportHeader["audit"]>;

/** Lines of the journal that are missing, from 1; both ends belong to it. */
export type ReportGap = ReportHeader["gaps"][number];

export type ReportDetail = ReportDocument["details"][string];

export function waitingOf(
  { waiting, alsoWaiting = [] }: Pick<ReportHeader, "waiting" | "alsoWaiting">,
): readonly ReportWaiting[] {
  return waiting === undefined ? [] : [waiting, ...alsoWaiting];
}
