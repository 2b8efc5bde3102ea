import type { ExecEvent } from "../exec/facts.ts";
import type { ReviewFact, RulesUsed } from "../loop/facts.ts";
import type { RunEnd } from "../run_facts.ts";
import { REVIEW_WORDS } from "./review_words.ts";
import { detail, line, type RecordWords, shortened, type ShownLine, text } from "./shown_line.ts";
import { STEP_WORDS } from "./step_words.ts";
import { costText, tokensOf, toldCostText, workerTokens } from "./usage_text.ts";
import { duration, plural } from "./words.ts";

/** What happens in a run of either job: the records of its journal, and what agents do meanwhile. */
export type ShownRecord = ReviewFact | ExecEvent;

/**
 * What a person is told of a record: this and the words of both jobs are the only places that put records into words.
 */
export function describeRecord(record: ShownRecord): readonly ShownLine[] {
  // The tables' types hold each entry to its record; what TypeScript cannot see is that record and entry are a pair.
  const describe = WORDS[record.type] as (record: ShownRecord) => ShownLine | readonly ShownLine[];
  return [describe(record)].flat();
}

/** A record that either job has. */
type CommonRecord = Extract<ShownRecord, { readonly type: ReviewFact["type"] & ExecEvent["type"] }>;

const COMMON_WORDS: RecordWords<CommonRecord> = {
  run_started: (record) => [
    line(
      `run ${record.runId}${record.job === "run" ? `, starting with ${record.startAgent}` : ""}; ` +
        `its records are in ${record.folder}`,
    ),
    ...("rules" in record ? rulesLines(record) : []),
  ],
  run_resumed: (record) => [
    line(`run ${record.runId} resumed; its records are in ${record.folder}`),
    ...(record.carriedFrom === undefined
      ? []
      : [line(`it was carried here from ${record.carriedFrom}: agents begin new sessions`)]),
    ...("rules" in record ? rulesLines(record) : []),
  ],
  warning: (record) => {
    const who = "role" in record && record.role !== undefined ? `${record.role}: ` : "";
    return text(`warning: ${who}${record.message}`, "caution", "always");
  },
  run_finished: (record) => {
    const { outcome, reason, seconds, resumeCommand } = record;
    const isLoop = "rounds" in record;
    // What broke a review loop off is an error, and is told as one.
    const because = !isLoop || outcome === "fail" ? `: ${reason}` : "";
    const after = `after ${isLoop ? `${plural(record.rounds, "round")}, ` : ""}${duration(seconds)}`;
    const byWorker = isLoop ? record.usageByRole : record.usageByStep;
    return [
      line(
        `${OUTCOMES[outcome]} ${after}${because}${tokensOf(record.usage ?? {})}${costText(record.cost)}`,
        outcome === "pass" ? "good" : "bad",
        "result",
      ),
      ...workerTokens(byWorker ?? {}, record.cost?.byWorker).map((each) => line(each, "plain", "result")),
      ...(resumeCommand === undefined ? [] : [line(`Resume with: ${resumeCommand}`, "plain", "result")]),
    ];
  },
  command_repeated: (record) => {
    const who = "role" in record ? record.role : "the agent";
    return line(`${who} ran one command ${record.times} times in a row: ${shortened(record.command)}`, "caution");
  },
  files_changed: (record) => {
    const { files, more = 0 } = record;
    const who = "role" in record ? `${record.role}: ` : "";
    const when = "late" in record && record.late === true ? " (seen only when the run was resumed)" : "";
    if (files.length === 0) return detail(`${who}no file was changed${when}`);
    const others = files.length + more - NAMED_FILES;
    return line(
      `${who}changed ${plural(files.length + more, "file")}${when}: ${files.slice(0, NAMED_FILES).join(", ")}` +
        (others > 0 ? ` and ${others} more` : ""),
    );
  },
  tokens_counted: (record) => {
    const whose = "role" in record ? `${record.role}: ` : "";
    return detail(`${whose}so far${tokensOf(record.usage)}${toldCostText(record.cost)}`);
  },
};

/** How many of the files that were changed a line names. */
const NAMED_FILES = 5;

const WORDS: RecordWords<ShownRecord> = { ...COMMON_WORDS, ...REVIEW_WORDS, ...STEP_WORDS };

const OUTCOMES: Readonly<Record<RunEnd, string>> = {
  pass: "PASS",
  fail: "FAIL",
  waiting: "WAITING",
  needs_human: "STOPPED FOR A PERSON",
  error: "ERROR",
  interrupted: "INTERRUPTED",
};

/** Installed rules are told always, as a status may rest on them; built-in ones where they take the place of others. */
function rulesLines(
  { rules = {}, rulesBefore = {} }: { readonly rules?: RulesUsed; readonly rulesBefore?: RulesUsed },
): readonly ShownLine[] {
  return Object.entries(rules).flatMap(([provider, { version, sha256, key }]) => {
    const before = rulesBefore[provider];
    const changed = before !== undefined && (before.version !== version || before.sha256 !== sha256);
    if (key === undefined && !changed) return [];
    const now = `${provider} is read with ${key === undefined ? "the built-in rules" : "rules"} ${version}`;
    const signed = key === undefined ? "" : `, signed by ${key}`;
    return [line(`${now}${signed}${changed ? `; before, with ${before.version}` : ""}`, changed ? "caution" : "plain")];
  });
}
