import type { RulePack } from "../../screen/mod.ts";
import { processGoneRules, UNSTYLED } from "../common_rules.ts";
import { CODEX_LAYOUT } from "./layout.ts";

/** The versions of the recordings in `fixtures/screens/codex`. */
const ALL = [
  "0.53.0",
  "0.75.0",
  "0.90.0",
  "0.107.0",
  "0.115.0",
  "0.125.0",
  "0.130.0",
  "0.140.0",
  "0.145.0",
  "0.150.0",
  "0.155.0",
  "0.160.1",
  "0.165.0",
  "0.169.0",
];

/** Those in whose recordings a long answer has scrolled everything else away. */
const WITH_LONG_ANSWERS = ALL.filter((version) =>
  !["0.75.0", "0.130.0", "0.150.0", "0.155.0", "0.160.1"].includes(version)
);

/**
 * What only the UI of a Codex that is at work shows, in any text: the hint of its status row, or the cell of a running
 * exploration. From the first seed; `classify` also asks where it stands.
 */
export const ACTIVE_WORK_UI_PATTERN = /\besc to interrupt\b|^[ \t]*[•◦][ \t]+Exploring\b/m;

/** A prompt that was sent, with its text on the same line. From the first seed: no line break between the two. */
export const USER_PREFIX_PATTERN = /^›[ \t]+\S/m;

/** A row in column 0 that ends with the hint in brackets, or is nothing but the hint. */
const INTERRUPT_HINT = /^(?:[•◦] )?(?:[^\s()][^()]*\([^()]*\besc to interrupt\)|esc to interrupt)$/;

/**
 * Nothing but the spinner in the title tells a streaming answer from a finished one; up to 0.107.0, and later with
 * `tui.animations=false`, there is none.
 */
const DOUBTFUL = { unlessSeen: "title-spinner" } as const;

/** The screens of the Codex CLI. */
export const CODEX_RULES: RulePack = {
  provider: "codex",
  layout: CODEX_LAYOUT,
  rules: [
    ...processGoneRules({ versions: ALL, fixture: "0.53.0/error-killed-100x30" }),
    {
      id: "dialog",
      status: "waiting_user_answer",
      priority: 900,
      when: [{ on: "layout", has: "dialog" }],
      versions: ALL,
      fixture: "0.53.0/waiting-approval-command-100x30",
    },
    {
      id: "title-action-required",
      status: "waiting_user_answer",
      priority: 890,
      when: [{ on: "title", text: /^\[ [!.] \] Action Required\b/ }],
      excludes: [{ on: "layout", has: "composer" }],
      versions: [],
      fixture: "",
    },
    {
      id: "status-row",
      status: "processing",
      priority: 800,
      when: [{
        on: "rows",
        region: "status",
        row: "head",
        text: /^(?:[•◦] )?\S.*?(?<styled>\((?:\d{1,4}h )?(?:\d{1,2}m )?\d{1,6}s • )/,
        style: { dim: true },
      }],
      versions: ALL,
      fixture: "0.53.0/processing-waiting-100x30",
    },
    {
      id: "status-row-cut",
      status: "processing",
      priority: 795,
      when: [{
        on: "rows",
        region: "status",
        row: "head",
        text: /^[•◦] (?!(?:Ran|Running|Exited|Failed|Explored|Added|Edited|Deleted|Updated)\b).*(?<styled>…)$/,
        style: { dim: true },
        styleNeeded: true,
      }],
      versions: [],
      fixture: "",
    },
    {
      id: "title-spinner",
      status: "processing",
      priority: 790,
      when: [{ on: "title", text: /^[\u2800-\u28ff] / }],
      versions: ALL.slice(ALL.indexOf("0.125.0")),
      fixture: "0.169.0/processing-streaming-220x50",
    },
    {
      id: "exploring",
      status: "processing",
      priority: 780,
      when: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^[•◦] (?<styled>Exploring)$/,
        style: { bold: true },
        styleNeeded: true,
      }],
      versions: [],
      fixture: "",
    },
    {
      id: "exploring-words",
      status: "processing",
      priority: 780,
      when: [{ on: "rows", region: "last_turn", row: "last_head", text: /^[•◦][ \t]+Exploring\b/ }, UNSTYLED],
      versions: [],
      fixture: "",
    },
    {
      id: "interrupt-hint-words",
      status: "processing",
      priority: 770,
      when: [{ on: "rows", region: "status", text: INTERRUPT_HINT }, UNSTYLED],
      versions: [],
      fixture: "",
    },
    {
      id: "tail-interrupt-hint-words",
      status: "processing",
      priority: 770,
      when: [{ on: "rows", region: "tail", text: INTERRUPT_HINT }, UNSTYLED],
      versions: [],
      fixture: "",
    },
    {
      id: "interrupted",
      status: "idle",
      priority: 700,
      when: [
        { on: "rows", region: "last_turn", row: "last_head", text: /^■ Conversation interrupted/ },
        { on: "layout", has: "composer" },
      ],
      versions: ALL,
      fixture: "0.53.0/idle-interrupted-100x30",
    },
    {
      id: "turn-error",
      status: "error",
      priority: 690,
      when: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^■ /,
        style: { foreground: [1, 9] },
      }],
      versions: ALL,
      fixture: "0.53.0/error-final-100x30",
    },
    {
      // Where the status row stands, drawn as it is, in words that no recording has: an answer is not dim.
      id: "dim-row",
      status: "unknown",
      priority: 510,
      when: [{
        on: "rows",
        region: "status",
        row: "last_block",
        text: /^(?!─|[•◦] (?:Ran|Running|Exited|Failed|Explored|Added|Edited|Deleted|Updated)\b)\S.* (?<styled>\S+)$/,
        style: { dim: true },
        styleNeeded: true,
      }, { on: "layout", has: "composer" }],
      versions: [],
      fixture: "",
    },
    {
      // A mark in column 0 that Codex has not had so far.
      id: "unknown-mark",
      status: "unknown",
      priority: 505,
      when: [
        { on: "rows", region: "last_turn", row: "last", text: /^(?![•◦■✗✔›─⚠])[^\p{L}\p{N}\p{P}\s] \S/u },
        { on: "layout", has: "composer" },
      ],
      versions: [],
      fixture: "",
    },
    {
      id: "answered",
      status: "completed",
      priority: 500,
      when: [{ on: "rows", region: "last_turn", row: "head", text: /^• / }, { on: "layout", has: "composer" }],
      doubtful: DOUBTFUL,
      versions: ALL,
      fixture: "0.53.0/completed-short-100x30",
    },
    {
      id: "prompt-sent",
      status: "processing",
      priority: 495,
      when: [{ on: "layout", has: "prompt_echo" }, { on: "layout", has: "composer" }],
      excludes: [{ on: "rows", region: "last_turn", text: /\S/ }],
      versions: [],
      fixture: "",
    },
    {
      id: "answer-scrolled",
      status: "completed",
      priority: 490,
      when: [{ on: "rows", region: "last_turn", text: /\S/ }, { on: "layout", has: "composer" }],
      excludes: [{ on: "rows", region: "screen", text: /^(?:│| {2}) ?>_ OpenAI Codex \(v/ }],
      doubtful: DOUBTFUL,
      versions: WITH_LONG_ANSWERS,
      fixture: "0.53.0/completed-long-100x30",
    },
    {
      id: "composer",
      status: "idle",
      priority: 100,
      when: [{ on: "layout", has: "composer" }],
      versions: ALL,
      fixture: "0.53.0/idle-fresh-100x30",
    },
  ],
};
