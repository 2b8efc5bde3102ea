import { dirname } from "@std/path/posix";
import { assertEquals } from "@std/assert";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import { EMPTY_REPORT, foldReport } from "../../lib/api/report/fold.ts";
import { JOBS } from "../../lib/jobs/mod.ts";
import { PIPELINE } from "../../lib/jobs/pipeline/mod.ts";
import { REVIEW_LOOP } from "../../lib/jobs/review_loop/mod.ts";
import { describeRecord, type ShownRecord } from "../../lib/journal/describe.ts";
import type { AnyFact, Job, Recorded } from "../../lib/journal/job.ts";
import { initialProgress } from "../../lib/journal/progress.ts";
import { tryParseFacts } from "../../lib/journal/read_facts.ts";

/** Journals with all types of records, each with what it comes to beside it: `run.ndjson`, `run.folded.json`. */
const FOLDER = new URL("../../fixtures/journals/records/", import.meta.url);
const PLACE = "/project/.panewright/runs/20261121-234118-d1be/journal.ndjson";

for (const { name } of Deno.readDirSync(FOLDER)) {
  if (!name.endsWith(".ndjson")) continue;
  Deno.test(`what the records of ${name} come to: state, progress, meter, words, report`, async () => {
    const expected = new URL(name.replace(/\.ndjson$/, ".folded.json"), FOLDER);
    const folded = foldedBy(await Deno.readTextFile(new URL(name, FOLDER)));
    // A new type of record, or another field: run the test with -A and FOLDED=write, and look at what changes.
    if (Deno.permissions.querySync({ name: "write", path: expected }).state === "granted" && isWriting()) {
      await Deno.writeTextFile(expected, `${JSON.stringify(folded, undefined, 1)}\n`);
    }
    assertEquals(folded, JSON.parse(await Deno.readTextFile(expected)));
  });
}

function foldedBy(journal: string): unknown {
  const { job, facts, problem } = tryParseFacts(journal, { path: PLACE, folder: dirname(PLACE), jobs: JOBS });
  assertEquals(problem, undefined);
  const told = facts.map(withText);
  const engines: readonly Job[] = [REVIEW_LOOP, PIPELINE];
  const { state, meters } = stateOf(engines.find(({ id }) => id === job!.id)!, told);
  const progress = told.reduce((before, fact) => job!.progress(before, fact), initialProgress(job!.id));
  const words = told.map((fact) => describeRecord(fact as Recorded<ShownRecord>));
  return JSON.parse(JSON.stringify({ words, meters, items: itemsOf(told), progress, state }));
}

/** A review loop's journal has no texts of responses. */
function withText(fact: Recorded<AnyFact>): Recorded<AnyFact> {
  return fact.type === "response_received" ? { ...fact, text: "VERDICT: REVISE\nlib/a.ts:3" } as typeof fact : fact;
}

function stateOf(job: Job, facts: readonly Recorded<AnyFact>[]) {
  const meters: unknown[] = [];
  const state = facts.reduce((before, fact) => {
    meters.push(job.meter?.(fact, before) ?? null);
    return folded(job, { before, fact });
  }, job.initial);
  return { state, meters };
}

/** Of a review loop, a record that its machine does not wait for changes nothing: the journal has one of each type. */
function folded(job: Job, { before, fact }: { readonly before: unknown; readonly fact: Recorded<AnyFact> }): unknown {
  try {
    return job.fold(before, fact);
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith("Cannot apply")) return before;
    throw error;
  }
}

function itemsOf(facts: readonly Recorded<AnyFact>[]): unknown {
  const redactor = createRedactor([]);
  let state = EMPTY_REPORT;
  return facts.map((fact, index) => {
    const step = foldReport(state, { sequence: index + 1, record: fact, fact }, redactor);
    state = step.state;
    return step.items;
  });
}

function isWriting(): boolean {
  return Deno.env.get("FOLDED") === "write";
}
