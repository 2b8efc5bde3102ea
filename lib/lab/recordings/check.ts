import {
  classify,
  type Evidence,
  isAtRest,
  parseScreen,
  type RulePack,
  TERMINAL_STATUSES,
  type TerminalStatus,
} from "../../screen/mod.ts";
import type { CheckedTimeline } from "./check_timeline.ts";
import { isFaultless } from "./replay_timeline.ts";
import type { CorpusEntry } from "./corpus.ts";
import type { Recording } from "./recording.ts";
import { compareText, compareVersions } from "../../base/text/order.ts";
import { present } from "../../base/schema.ts";

export const REQUIRED_CLASSES = [
  "idle",
  "processing",
  "streaming",
  "waiting_user_answer",
  "completed",
  "error",
  "negative",
] as const;

type RecordingClass = typeof REQUIRED_CLASSES[number];

export interface Outcome {
  readonly file: string;
  readonly name: string;
  readonly provider: string;
  readonly version: string;
  readonly expect: TerminalStatus;
  readonly got: TerminalStatus;
  readonly rule: string;
  readonly origin?: string;
  readonly evidence: readonly Evidence[];
  readonly alone: boolean;
  readonly classes: readonly RecordingClass[];
}

export interface VersionReport {
  readonly provider: string;
  readonly version: string;
  readonly matrix: Readonly<Record<TerminalStatus, Readonly<Record<TerminalStatus, number>>>>;
  readonly total: number;
  readonly right: number;
  readonly apart: { readonly total: number; readonly right: number };
}

export interface CorpusReport {
  readonly versions: readonly VersionReport[];
  readonly mistakes: readonly Outcome[];
  readonly missing: readonly { readonly provider: string; readonly classes: readonly RecordingClass[] }[];
  readonly timelines: readonly CheckedTimeline[];
  readonly passed: boolean;
}

interface SummaryOptions {
  readonly timelines?: readonly CheckedTimeline[];
  readonly partial?: boolean;
}

const TRAP = /\besc to interrupt\b|\bWould you like to \S|\bDo you want to \S|\b[Ee]nter to confirm\b|[❯›] \d\. /;

/** `negative`: it is at rest although the conversation has the words of a spinner or a dialog. */
export function classesOf({ name, note, expect, ansi }: Recording): readonly RecordingClass[] {
  const classes: RecordingClass[] = [];
  if (expect !== undefined && expect !== "unknown") classes.push(expect);
  if (expect === "processing" && /stream/i.test(`${name} ${note ?? ""}`)) classes.push("streaming");
  if (expect !== undefined && isAtRest(expect) && parseScreen(ansi).rows.some(({ text }) => TRAP.test(text))) {
    classes.push("negative");
  }
  return classes;
}

export function checkRecording({ file, recording }: CorpusEntry, pack: RulePack): Outcome | undefined {
  const { name, version, expect, alone } = recording;
  if (expect === undefined) return undefined;
  const { status, rule, origin, evidence } = classify(parseScreen(recording.ansi, recording), pack);
  return {
    file,
    name,
    provider: pack.provider,
    version: version ?? "unknown",
    expect,
    got: status,
    rule,
    ...present({ origin }),
    evidence,
    alone: alone !== false,
    classes: classesOf(recording),
  };
}

function count(outcomes: readonly Outcome[]): VersionReport["matrix"] {
  const byStatus = <Value>(value: (status: TerminalStatus) => Value) =>
    Object.fromEntries(TERMINAL_STATUSES.map((status) => [status, value(status)])) as Record<TerminalStatus, Value>;
  return byStatus((expected) =>
    byStatus((told) => outcomes.filter(({ expect, got }) => expect === expected && got === told).length)
  );
}

function isRight({ expect, got }: Outcome): boolean {
  return expect === got;
}

export function summarize(outcomes: readonly Outcome[], options: SummaryOptions = {}): CorpusReport {
  const { timelines = [], partial = false } = options;
  const byVersion = Map.groupBy(outcomes, ({ provider, version }) => `${provider} ${version}`);
  const versions = [...byVersion.values()].flatMap((group): VersionReport[] => {
    const [first] = group;
    if (!first) return [];
    const counted = group.filter(({ alone }) => alone);
    const apart = group.filter(({ alone }) => !alone);
    return [{
      provider: first.provider,
      version: first.version,
      matrix: count(counted),
      total: counted.length,
      right: counted.filter(isRight).length,
      apart: { total: apart.length, right: apart.filter(isRight).length },
    }];
  }).toSorted((a, b) => compareText(a.provider, b.provider) || compareVersions(a.version, b.version));
  const mistakes = outcomes.filter((outcome) => outcome.alone && !isRight(outcome));
  const missing = partial ? [] : [...Map.groupBy(outcomes, ({ provider }) => provider)].flatMap(([provider, group]) => {
    const found = new Set(group.flatMap(({ classes }) => classes));
    const classes = REQUIRED_CLASSES.filter((each) => !found.has(each));
    return classes.length === 0 ? [] : [{ provider, classes }];
  });
  const faults = mistakes.length + missing.length + timelines.filter((timeline) => !isFaultless(timeline)).length;
  const passed = faults === 0 && outcomes.length + timelines.length > 0;
  return { versions, mistakes, missing, timelines, passed };
}
