import { readJournal } from "../../run/read_journal.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { ReviewFact } from "./facts.ts";

/** A dialog at which a run stands, and that `panewright answer` can answer. */
export interface WaitingDialog {
  readonly question: string;
  readonly askedAt: string;
  readonly event: Extract<ReviewFact, { type: "dialog_waiting" }>;
}

/**
 * The dialogs at which a run of the review loop stands, by its journal; `undefined` for a run of another command.
 *
 * @throws {PanewrightError} when its journal cannot be read
 */
export async function readWaitingDialogs(folder: RunFolder): Promise<readonly WaitingDialog[] | undefined> {
  const [, ...records] = await readJournal(folder.journalPath);
  const [first] = records;
  if (first?.type !== "run_started" || !("startAgent" in first)) return undefined;
  const waiting = new Map<string, WaitingDialog>();
  for (const record of records) {
    // Records are events with their time: panewright itself wrote them.
    const event = record as unknown as ReviewFact;
    if (event.type === "run_finished") waiting.clear();
    // A new agent stands at none of the dialogs of the one before, and one that has answered at none at all.
    if (event.type === "agent_starting" || event.type === "response_received") {
      for (const [id, { event: { role } }] of waiting) if (role === event.role) waiting.delete(id);
    }
    if (event.type === "dialog_closed" && event.question !== undefined) waiting.delete(event.question);
    if (event.type !== "dialog_waiting" || event.question === undefined) continue;
    waiting.set(event.question, { question: event.question, askedAt: record.at, event });
  }
  return [...waiting.values()];
}
