import { present } from "../base/schema.ts";
import type { Usage } from "../base/usage.ts";
import type { ReportHead, ToldRecord } from "./entry.ts";
import type { ItemChange } from "./items/item_changes.ts";
import type { MapPath } from "./paths.ts";
import type { RulesUsed } from "./loop/fields.ts";
import type { RunEnd } from "./run_facts.ts";
import type { Cost } from "./usage.ts";
import { line, paragraph, type ShownLine } from "./words/shown_line.ts";
import { costText, tokensOf, workerTokens } from "./words/usage_text.ts";
import { duration, plural } from "./words/words.ts";

interface Began {
  readonly runId: string;
  readonly folder: string;
  readonly configFile?: string | null;
  readonly carriedFrom?: string;
  readonly panewright?: string;
  readonly rules?: RulesUsed;
  /** Those before, where they were others. */
  readonly rulesBefore?: RulesUsed;
}

export function startedWords(fact: Began & { readonly startAgent?: string }): readonly ShownLine[] {
  const { runId, folder, startAgent } = fact;
  const first = startAgent === undefined ? "" : `, starting with ${startAgent}`;
  return [line(`run ${runId}${first}; its records are in ${folder}`), ...rulesLines(fact)];
}

export function startedItems({ runId }: Began): readonly ItemChange[] {
  return [{ do: "add", item: { kind: "start", title: `run ${runId} starts` } }];
}

export function resumedWords(fact: Began): readonly ShownLine[] {
  const { runId, folder, carriedFrom } = fact;
  const carried = `it was carried here from ${carriedFrom}: agents begin new sessions`;
  return [
    line(`run ${runId} resumed; its records are in ${folder}`),
    ...(carriedFrom === undefined ? [] : [line(carried)]),
    ...rulesLines(fact),
  ];
}

export function resumedPaths({ configFile }: { readonly configFile?: string }, map: MapPath) {
  return configFile === undefined ? {} : { configFile: map(configFile) };
}

export function resumedHead({ panewright }: Began): ReportHead {
  return { cost: undefined, ...present({ panewright }) };
}

export function resumedItems({ runId }: Began, { progress }: ToldRecord): readonly ItemChange[] {
  const resumed = { do: "add", item: { kind: "resume", title: `run ${runId} is resumed` } } as const;
  const gone = "the process that executed the run was gone: nothing was recorded until it was resumed";
  if (progress === undefined || progress.finished !== undefined) return [resumed];
  const { lastAt: at } = progress;
  return [{ do: "close_all", at }, { do: "add", item: { kind: "kill", title: gone, tone: "bad" }, at }, resumed];
}

export function warningWords({ role, message }: { readonly role?: string; readonly message: string }): ShownLine {
  return paragraph(`warning: ${role === undefined ? "" : `${role}: `}${message}`, "caution", "always");
}

export function warningItems(
  { role = "run" }: { readonly role?: string; readonly message: string },
  told: ToldRecord,
): readonly ItemChange[] {
  const { title, text } = told;
  return [{ do: "add", item: { kind: "warning", lane: role, title, text, tone: "caution" } }];
}

interface Ended {
  readonly outcome: RunEnd;
  readonly reason: string;
  readonly seconds: number;
  readonly cost?: Cost;
  readonly usage?: Usage;
  readonly resumeCommand?: string;
  readonly rounds?: number;
  readonly usageByRole?: Readonly<Record<string, Usage>>;
  readonly usageByStep?: Readonly<Record<string, Usage>>;
}

export function finishedWords(fact: Ended): readonly ShownLine[] {
  const { outcome, reason, seconds, usage = {}, cost, resumeCommand, rounds, usageByRole, usageByStep } = fact;
  const because = rounds === undefined || outcome === "fail" ? `: ${reason}` : "";
  const after = rounds === undefined ? "" : `${plural(rounds, "round")}, `;
  const told = `${OUTCOMES[outcome]} after ${after}${duration(seconds)}${because}`;
  return [
    line(`${told}${tokensOf(usage)}${costText(cost)}`, outcome === "pass" ? "good" : "bad", "result"),
    ...workerTokens(usageByRole ?? usageByStep ?? {}, cost?.byWorker).map((each) => line(each, "plain", "result")),
    ...(resumeCommand === undefined ? [] : [line(`Resume with: ${resumeCommand}`, "plain", "result")]),
  ];
}

export function finishedItems({ outcome, reason }: Ended, { title }: ToldRecord): readonly ItemChange[] {
  const tone = outcome === "pass" ? "good" : outcome === "fail" || outcome === "error" ? "bad" : "caution";
  return [{ do: "close_all" }, { do: "add", item: { kind: "end", title, text: reason, tone } }];
}

const OUTCOMES: Readonly<Record<RunEnd, string>> = {
  pass: "PASS",
  fail: "FAIL",
  waiting: "WAITING",
  needs_human: "STOPPED FOR A PERSON",
  error: "ERROR",
  interrupted: "INTERRUPTED",
};

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
