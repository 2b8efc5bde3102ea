import { cut } from "../../base/text/display_width.ts";
import type {
  BeatenRule,
  DialogInfo,
  Evidence,
  Rule,
  RulesSource,
  RuleVerdict,
  Screen,
  TerminalStatus,
} from "../../screen/mod.ts";
import { describeOrigin } from "../rule_packs.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

export interface Explanation {
  readonly file: string;
  readonly provider: string;
  readonly status: TerminalStatus;
  readonly rule: string;
  /** Where a person wrote the rule that decided; missing for one that is built in. */
  readonly origin?: string;
  readonly evidence: readonly Evidence[];
  readonly beaten: readonly BeatenRule[];
  readonly dialog?: DialogInfo;
  /** Every rule with what became of it, highest priority first; only on request. */
  readonly rules?: readonly RuleVerdict[];
  /** The installed pack of rules that it was read with; missing for the built-in ones. */
  readonly pack?: RulesSource;
  readonly screen: Screen;
  readonly firstRow: number;
}

interface PictureOptions {
  readonly width: number;
}

const VERDICTS: Readonly<Record<RuleVerdict["verdict"], string>> = {
  decided: "decided",
  beaten: "beaten",
  excluded: "excluded",
  not_met: "not met",
};

/** The screen's rows with their numbers, the deciding ones marked; stretches of blank rows count as one. */
function picture({ screen, evidence, firstRow }: Explanation, width: number): string[] {
  const deciding = new Set(evidence.map(({ row }) => row));
  const digits = String(firstRow + screen.rows.length).length;
  const lines: string[] = [];
  let blank = true;
  for (const [index, { text }] of screen.rows.entries()) {
    const row = firstRow + index;
    if (text.trim() === "" && !deciding.has(row)) {
      if (!blank) lines.push(`  ${" ".repeat(digits)} │`);
      blank = true;
      continue;
    }
    blank = false;
    const margin = `${deciding.has(row) ? "▶" : " "} ${String(row).padStart(digits)} │ `;
    lines.push(margin + cut(sanitizeLine(text), Math.max(20, width - margin.length)));
  }
  while (lines.at(-1)?.endsWith("│")) lines.pop();
  return lines;
}

function verdictLines(rules: readonly RuleVerdict[], width: number): string[] {
  const name = ({ id, origin }: Rule) => origin === undefined ? id : `${id} (yours)`;
  const longest = Math.max(...rules.map(({ rule }) => name(rule).length));
  return rules.map(({ rule, verdict, evidence }) => {
    const found = evidence.map(({ row, text }) => row < 0 ? text : `row ${row}: ${text.trim()}`).join("; ");
    const line = `  ${String(rule.priority).padStart(5)}  ${name(rule).padEnd(longest)}  ${rule.status.padEnd(19)}  ` +
      `${VERDICTS[verdict].padEnd(8)}  ${sanitizeLine(found)}`;
    return cut(line.trimEnd(), width);
  });
}

const MAX_SHOWN_READINGS = 3;

function otherReadings({ otherReadings: readings }: DialogInfo): string[] {
  if (readings.length > MAX_SHOWN_READINGS) {
    return [`  or about one of ${readings.length} other readings of these rows`];
  }
  return readings.map((reading) => `  or about: ${sanitizeLine(reading)}`);
}

/**
 * An explanation for people: status and rule, the screen with the deciding rows marked in the margin, what was beaten.
 *
 * Whatever an agent wrote is escaped, so that none of it reaches the terminal as a control sequence.
 */
export function renderExplanation(explanation: Explanation, { width }: PictureOptions): string {
  const { file, provider, status, rule, origin, evidence, beaten, rules, dialog, pack } = explanation;
  const facts = evidence.filter(({ row }) => row < 0).map(({ text }) => `  because ${sanitizeLine(text)}`);
  const about = dialog === undefined ? [] : [
    `  dialog (${dialog.kind}): ${sanitizeLine(dialog.heading)}`,
    ...(dialog.subject === undefined
      ? []
      : [`  about${dialog.subjectComplete ? "" : " (not all of it)"}: ${sanitizeLine(dialog.subject)}`]),
    ...otherReadings(dialog),
    ...dialog.options.map(({ label, key, number, selected }) =>
      `  ${selected ? "▶" : " "} ${number === undefined ? "" : `${number}. `}${sanitizeLine(label)}${
        key === undefined ? "" : ` (${sanitizeLine(key)})`
      }`
    ),
    cut(`  fingerprint: ${sanitizeLine(dialog.fingerprint)}`, width),
  ];
  const others = rules !== undefined
    ? ["", "Rules:", ...verdictLines(rules, width)]
    : beaten.map((each) => `  beaten: ${each.rule}${describeOrigin(each.origin)} (${each.status})`);
  const verdict = rule === "none" ? "no rule applies" : `rule ${rule}${sanitizeLine(describeOrigin(origin))}`;
  return [
    `${sanitizeLine(file)} (${provider}): ${status}, ${verdict}`,
    ...(pack === undefined ? [] : [sanitizeLine(`  with the installed rules ${pack.version}, signed by ${pack.key}`)]),
    ...facts,
    ...about,
    ...picture(explanation, width),
    ...others,
    "",
  ].join("\n");
}
