import { present } from "../../base/schema.ts";
import { findRegions } from "../../screen/regions.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type AgentFailure, classifyFailure } from "../failure.ts";
import type { PaneProvider } from "../provider.ts";
import { readResetTime } from "../reset_time.ts";
import type { PaneLook } from "./pane_look.ts";
import type { RecordedFailure } from "./status_source.ts";

interface ShownFailure {
  readonly text: string;
  readonly evidence: string;
}

/** What stands before the words: the marks of errors and of replies. */
const MARK = /^[\s\u00a0]*[■●⎿][\s\u00a0]*/u;

/** An error may be wrapped over that many rows; one that is JSON may be long. */
const MAX_ROWS = 8;

export function findShownFailure(
  { screen, classification }: Pick<PaneLook, "screen" | "classification">,
  { terminal: { rules } }: Pick<PaneProvider, "terminal">,
): ShownFailure | undefined {
  const { status, rule, evidence } = classification;
  const row = evidence.find(({ text }) => MARK.test(text))?.row ?? evidence[0]?.row ?? -1;
  if (status !== "error" || row < 0) return undefined;
  const { last } = findRegions(screen, rules.layout).lastTurn;
  const texts = screen.rows.slice(row, Math.min(last + 1, row + MAX_ROWS)).map(({ text }) => text);
  const end = texts.findIndex((text, index) => index > 0 && (text.trim() === "" || rules.layout.head.test(text)));
  const words = texts.slice(0, end < 0 ? texts.length : end).map((text) => text.trim()).join(" ").replace(MARK, "");
  return { text: sanitizeLine(words), evidence: `rule ${rule} on row ${row + 1} of its screen` };
}

/**
 * A failure from what screen and record of a CLI say; `undefined` where neither says anything. The record has the class
 * where it can tell, the screen the words: what a person would read there.
 */
export function judgeFailure(
  { failures = [], terminal }: Pick<PaneProvider, "failures" | "terminal">,
  { shown, recorded, overBy, now }: {
    readonly shown: ShownFailure | undefined;
    readonly recorded?: RecordedFailure;
    readonly overBy?: string;
    readonly now: Date;
  },
): AgentFailure | undefined {
  const text = shown?.text ?? sanitizeLine(recorded?.text ?? "");
  if (text === "") return undefined;
  const told = [recorded, shown].flatMap((words) => words === undefined ? [] : classifyFailure(failures, words));
  const failureClass = told.find((one) => one !== "other") ?? "other";
  const evidence = [shown?.evidence, recorded?.evidence ?? overBy].filter((one) => one !== undefined).join("; ");
  const common: AgentFailure = { class: failureClass, text, evidence, isTurnOver: overBy !== undefined };
  if (failureClass === "auth") return { ...common, ...present({ remedy: terminal.startupRemedies.login }) };
  if (failureClass !== "usage_limit") return common;
  const writtenAt = new Date(recorded?.writtenAt ?? NaN);
  const since = Number.isNaN(writtenAt.getTime()) ? now : writtenAt;
  const resetsAt = recorded?.resetsAt ?? readResetTime(recorded?.text ?? "", since) ?? readResetTime(text, since);
  return { ...common, ...present({ resetsAt }) };
}
