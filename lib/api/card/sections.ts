import { duration, plural } from "../../journal/words/words.ts";
import type { Tone } from "../../journal/words/lines.ts";
import type { Card, CardState } from "./card.ts";

/** A row of a card: what is said, and the command that shows more of it. */
export interface CardLine {
  readonly text: string;
  readonly words?: readonly string[];
  readonly tone?: Tone;
}

/** What a card says under one label. */
export interface CardSection {
  readonly label: string;
  readonly lines: readonly CardLine[];
}

export interface CardHead {
  readonly mark: string;
  readonly word: string;
  readonly tone: Tone;
  /** `6m 12s · 2 turns · $0.41`. */
  readonly facts: string;
}

const HEADS: Readonly<Record<CardState, Omit<CardHead, "facts">>> = {
  passed: { mark: "✓", word: "PASS", tone: "good" },
  failed: { mark: "✗", word: "FAIL", tone: "bad" },
  waiting: { mark: "?", word: "NEEDS YOU", tone: "caution" },
  needs_person: { mark: "?", word: "NEEDS YOU", tone: "caution" },
  running: { mark: "▸", word: "WORKING", tone: "plain" },
  stopped: { mark: "■", word: "STOPPED", tone: "caution" },
  killed: { mark: "✗", word: "BROKEN OFF", tone: "bad" },
  error: { mark: "✗", word: "ERROR", tone: "bad" },
  empty: { mark: "·", word: "NOT BEGUN", tone: "plain" },
  unreadable: { mark: "✗", word: "UNREADABLE", tone: "bad" },
};

const REMARKED = { word: "PASS with remarks", tone: "caution" } as const;

/** Whether a run needs a person, is at work, or is over. */
export function groupOf(state: CardState): "needs you" | "working" | "done" {
  if (state === "waiting" || state === "needs_person") return "needs you";
  return state === "running" ? "working" : "done";
}

export function headOf(
  { cost, remarks, rounds, seconds, state, turns }: Pick<Card, "cost" | "rounds" | "seconds" | "state" | "turns"> & {
    readonly remarks?: readonly string[];
  },
): CardHead {
  const facts = [
    duration(seconds),
    ...(rounds === undefined ? [] : [plural(rounds, "round")]),
    ...(turns === 0 ? [] : [plural(turns, "turn")]),
    ...(cost === undefined ? [] : [`$${cost.total.toFixed(2)}`]),
  ];
  const isRemarked = state === "passed" && (remarks?.length ?? 0) > 0;
  return { ...HEADS[state], ...(isRemarked ? REMARKED : {}), facts: facts.join(" · ") };
}

/** What a card says, label by label; what there is nothing of is left out. */
export function sectionsOf(card: Card): readonly CardSection[] {
  const { assumptions, left, models, recovered, refused, tokens, workers } = card;
  const sections = [
    ...questions(card),
    section(
      card.state === "passed" ? "Result" : "Why",
      card.waiting.length > 0 || card.why === "" ? [] : [{ text: card.why }],
    ),
    section("Remarks", card.remarks.map((text) => ({ text, tone: "caution" as const }))),
    section("Changed", changed(card)),
    section("Tests", checked(card)),
    section("Assumed", assumptions.map(({ answer, asked }) => ({ text: `${asked}: ${answer}` }))),
    section("Recovered", recovered === undefined ? [] : [{ text: recovered }]),
    section("Refused", [
      ...refused.slice(0, MOST_REFUSED).map((text) => ({ text })),
      ...(refused.length > MOST_REFUSED
        ? [{ text: `and ${refused.length - MOST_REFUSED} more: panewright logs` }]
        : []),
    ]),
    section("Running", left.map((text) => ({ text, tone: "caution" as const }))),
    section("Cost", [
      ...(tokens === undefined
        ? []
        : [{ text: `${tokenText(tokens)}${models.length === 0 ? "" : ` (${models.join(", ")})`}` }]),
      ...workers.map(({ cost, name, ...used }) => ({
        text: `${name}: ${tokenText(used)}${cost === undefined ? "" : ` · $${cost.toFixed(2)}`}`,
      })),
    ]),
  ];
  return sections.filter(({ lines }) => lines.length > 0);
}

function section(label: string, lines: readonly CardLine[]): CardSection {
  return { label, lines };
}

function questions({ waiting }: Card): readonly CardSection[] {
  return waiting.map(({ answer, by, reason, text }) => {
    const asks = answer === "permission" ? `${by} asks for permission` : `${by} asks`;
    return section("Asks", [
      { text: asks },
      ...text.split("\n").map((row) => ({ text: row, tone: "caution" as const })),
      ...(reason === undefined ? [] : [{ text: reason }]),
    ]);
  });
}

const MOST_FILES = 12;
const MOST_REFUSED = 5;

function changed({ changes, name, notKept, run, state }: Card): readonly CardLine[] {
  if (notKept !== undefined) return [{ text: notKept, tone: "bad" }];
  if (changes === undefined) return [];
  const { added, files, inner, ref, removed } = changes;
  const apart = inner.map((path) => ({
    text: `${path} is in no commit: a repository of its own, or not to be read`,
    tone: "caution" as const,
  }));
  if (files.length === 0) return groupOf(state) !== "done" ? apart : [{ text: "no file" }, ...apart];
  const sum = added === undefined || removed === undefined ? "" : `, +${added} −${removed}`;
  const head = { text: `${plural(files.length, "file")}${sum}` };
  return [
    ref === undefined && added === undefined ? head : { ...head, words: ["diff", ref === undefined ? run : name] },
    ...files.slice(0, MOST_FILES).map((file) => ({ text: fileText(file) })),
    ...(files.length > MOST_FILES ? [{ text: `and ${files.length - MOST_FILES} more` }] : []),
    ...apart,
  ];
}

type ChangedFile = NonNullable<Card["changes"]>["files"][number];

function fileText({ added, path, removed }: ChangedFile): string {
  return added === undefined || removed === undefined ? path : `${path}  +${added} −${removed}`;
}

function checked({ changes, checks, name, run, state }: Card): readonly CardLine[] {
  if (checks.length === 0) {
    return state === "passed" ? [{ text: "none: nothing was checked", tone: "caution" }] : [];
  }
  return checks.flatMap(({ output, passed, title }) => [
    {
      text: title,
      ...(passed ? {} : { tone: "bad" as const }),
      ...(IN_TRIALS.test(title) ? { words: ["evidence", changes?.ref === undefined ? run : name] } : {}),
    },
    ...(output === undefined ? [] : output.split("\n").map((text) => ({ text: `  ${text}` }))),
  ]);
}

/** What there is a statement of. */
const IN_TRIALS = /^evidence: it holds in \d/;

function tokenText({ cached, input, output }: NonNullable<Card["tokens"]>): string {
  const count = (value: number) => value.toLocaleString("en");
  return `${count(input)} tokens in${cached === 0 ? "" : ` (${count(cached)} cached)`}, ${count(output)} out`;
}
