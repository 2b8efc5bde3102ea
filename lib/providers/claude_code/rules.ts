import type { RulePack } from "../../screen/mod.ts";
import { processGoneRules, UNSTYLED } from "../common_rules.ts";
import { CLAUDE_CODE_LAYOUT } from "./layout.ts";

/** The versions of the recordings in `fixtures/screens/claude_code`. */
const ALL = [
  "2.0.53",
  "2.1.72",
  "2.1.104",
  "2.1.156",
  "2.1.181",
  "2.1.219",
  "2.1.245",
  "2.1.266",
  "2.1.290",
  "2.1.302",
  "2.1.315",
  "2.1.328",
];

/** All but one that was recorded in a few states only. */
const WITH_IDLE = ALL.filter((version) => version !== "2.1.72");

/** Those that were recorded in many states and sizes. */
const IN_DEPTH = ["2.0.53", "2.1.104", "2.1.181", "2.1.266", "2.1.315", "2.1.328"];

/** The spinner of a Claude Code that is at work, in any text: an animated glyph, a verb, an ellipsis. */
export const PROCESSING_PATTERN = /^[·✢✳✶✻✽*∗] \S.*(?:…|[Rr]etrying in )/m;

/**
 * Permission prompts by their words, in the order in which they are tried. From the seed, whose
 * `.*` is bounded here so that hostile text costs no time. Text alone, so the last resort.
 */
export const PERMISSION_PROMPT_PATTERNS: readonly RegExp[] = [
  /Would you like to run/,
  /Do you want to .{0,200} outside/,
  /Allow .{0,200} to run/,
];

/**
 * A draft takes the place of "esc to interrupt" in the footer, which is all that says busy while text streams, but for the
 * spinner in the title that 2.1.72 to 2.1.219 have.
 */
const DOUBTFUL = { unlessSeen: "title-spinner" } as const;

/** The screens of Claude Code. */
export const CLAUDE_CODE_RULES: RulePack = {
  provider: "claude_code",
  layout: CLAUDE_CODE_LAYOUT,
  rules: [
    ...processGoneRules({ versions: ALL, fixture: "2.0.53/killed-idle-classic-100x30" }),
    {
      id: "dialog",
      status: "waiting_user_answer",
      priority: 900,
      when: [{ on: "layout", has: "dialog" }],
      versions: ALL,
      fixture: "2.0.53/permission-bash-classic-100x30",
    },
    {
      id: "spinner",
      status: "processing",
      priority: 800,
      when: [{ on: "rows", region: "status", row: "head", text: PROCESSING_PATTERN }],
      versions: ALL,
      fixture: "2.0.53/processing-start-classic-100x30",
    },
    {
      id: "footer-interrupt",
      status: "processing",
      priority: 790,
      when: [{ on: "rows", region: "footer", text: /\besc to interrupt\b/ }],
      versions: IN_DEPTH.slice(1),
      fixture: "2.1.104/streaming-tricky-classic-160x45",
    },
    {
      id: "title-spinner",
      status: "processing",
      priority: 780,
      when: [{ on: "title", text: /^[\u2800-\u28ff◐◑◒◓] / }],
      versions: [],
      fixture: "",
    },
    {
      id: "composer-greyed",
      status: "processing",
      priority: 770,
      when: [{ on: "rows", region: "composer", text: /^[❯>]/, style: { foreground: ["coloured"] }, styleNeeded: true }],
      versions: ["2.1.328"],
      fixture: "2.1.328/exp-tmux-streaming-with-draft-220x50",
    },
    {
      id: "tail-spinner",
      status: "processing",
      priority: 760,
      when: [{ on: "rows", region: "tail", text: PROCESSING_PATTERN }, UNSTYLED],
      versions: [],
      fixture: "",
    },
    {
      id: "screen-reader-dialog",
      status: "waiting_user_answer",
      priority: 758,
      when: [{ on: "rows", region: "tail", text: /^Select with numbers \[\d+-\d+\]\. / }],
      versions: ["2.1.328"],
      fixture: "2.1.328/screenreader-permission-220x50",
    },
    {
      id: "screen-reader-status",
      status: "processing",
      priority: 757,
      when: [
        { on: "rows", region: "tail", text: /^\S.* · {2}esc to interrupt$/ },
        { on: "rows", region: "tail", row: "last", text: /^\$$/ },
      ],
      versions: ["2.1.328"],
      fixture: "2.1.328/screenreader-processing-220x50",
    },
    {
      // A panel in the composer's place that has no choices, and waits for a key all the same.
      id: "panel",
      status: "waiting_user_answer",
      priority: 755,
      when: [{
        on: "rows",
        region: "tail",
        row: "last",
        text: /^ {2}\S.* · (?<styled>Esc to cancel)$/,
        style: { italic: true },
      }],
      versions: ["2.1.290", "2.1.302", "2.1.328"],
      fixture: "2.1.328/panel-auto-mode-100x30",
    },
    {
      // The same where the screen is too low for its last row: the line above it has a panel's colour.
      id: "panel-cut",
      status: "waiting_user_answer",
      priority: 754,
      when: [{ on: "rows", region: "tail", text: /^─{8,}$/, style: { foreground: [153] }, styleNeeded: true }],
      versions: ["2.1.290", "2.1.302"],
      fixture: "2.1.302/panel-auto-mode-80x24",
    },
    ...PERMISSION_PROMPT_PATTERNS.map((text, index) => ({
      id: `permission-words-${index + 1}`,
      status: "waiting_user_answer" as const,
      priority: 750,
      when: [{ on: "rows", region: "tail", text }, UNSTYLED] as const,
      versions: [],
      fixture: "",
    })),
    {
      id: "interrupted",
      status: "idle",
      priority: 700,
      when: [
        {
          on: "rows",
          region: "last_turn",
          row: "last_head",
          text: /^ {2}⎿[ \u00a0]+(?:Interrupted\b|User rejected |Rejected Claude's plan)/,
        },
        { on: "layout", has: "composer" },
      ],
      versions: WITH_IDLE,
      fixture: "2.0.53/idle-interrupted-classic-100x30",
    },
    {
      id: "question-declined",
      status: "idle",
      priority: 695,
      when: [
        {
          on: "rows",
          region: "last_turn",
          row: "last_block",
          text: /^●[ \u00a0](?:User declined to answer questions|Declined to answer Claude's questions)/,
        },
        { on: "layout", has: "composer" },
      ],
      versions: IN_DEPTH,
      fixture: "2.0.53/idle-question-declined-classic-100x30",
    },
    {
      id: "ends-in-tool-call",
      status: "idle",
      priority: 692,
      when: [
        {
          on: "rows",
          region: "last_turn",
          row: "last_block",
          text: /^(?: {2}|● )(?<styled>Ran|Did not run) \d+ /,
          style: { foreground: ["coloured"] },
        },
        { on: "layout", has: "composer" },
      ],
      versions: ALL.slice(ALL.indexOf("2.1.104"), ALL.indexOf("2.1.266")),
      fixture: "2.1.104/idle-declined-100x30",
    },
    {
      id: "turn-error",
      status: "error",
      priority: 690,
      when: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^(?:●| {2}⎿)[ \u00a0]+(?<styled>API Error|Invalid API key|Not logged in)\b/,
        style: { foreground: ["coloured"] },
      }, { on: "layout", has: "composer" }],
      versions: ALL,
      fixture: "2.0.53/error-500-final-classic-100x30",
    },
    {
      // A notice is drawn as an error is, and stays below the tool call that it came with, also when that was declined.
      id: "interrupted-above-notice",
      status: "idle",
      priority: 685,
      when: [
        { on: "rows", region: "last_turn", row: "head", text: /^ {2}⎿[ \u00a0]+Interrupted\b/ },
        {
          on: "rows",
          region: "last_turn",
          row: "last_head",
          text: /^●[ \u00a0]/,
          style: { foreground: [220] },
        },
        { on: "layout", has: "composer" },
      ],
      versions: ["2.1.328"],
      fixture: "2.1.328/plan-auto-notice-declined-80x24",
    },
    {
      // An error in words that no recording has: its bullet has the colour of warnings, an answer's is white.
      id: "turn-error-bullet",
      status: "error",
      priority: 680,
      when: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^●[ \u00a0]/,
        style: { foreground: [220] },
        styleNeeded: true,
      }, { on: "layout", has: "composer" }],
      // Until the answer to an accepted tool call begins, this notice is the last block. It ends no turn.
      excludes: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^●[ \u00a0]Auto mode can't check actions in this session\./,
      }],
      versions: [],
      fixture: "",
    },
    {
      // The same where it is all that came after the prompt.
      id: "turn-error-reply",
      status: "error",
      priority: 675,
      when: [{
        on: "rows",
        region: "last_turn",
        row: "last_head",
        text: /^ {2}⎿[ \u00a0]+(?<styled>\S)/,
        style: { foreground: [211, "#ff6b80"] },
        styleNeeded: true,
      }, { on: "layout", has: "composer" }],
      excludes: [{ on: "rows", region: "last_turn", row: "head", text: /^(?! {2}⎿)/ }],
      versions: [],
      fixture: "",
    },
    {
      // What a start in auto mode shows looks like an answer; it is grey, and nothing was asked.
      id: "auto-mode-notice",
      status: "idle",
      priority: 520,
      when: [
        {
          on: "rows",
          region: "last_turn",
          row: "last_head",
          text: /^●[ \u00a0](?<styled>Auto mode) lets Claude\b/,
          style: { foreground: ["coloured"] },
        },
        { on: "layout", has: "composer" },
      ],
      excludes: [{ on: "layout", has: "prompt_echo" }],
      versions: ["2.1.219", "2.1.245", "2.1.290", "2.1.302", "2.1.328"],
      fixture: "2.1.328/idle-auto-mode-100x30",
    },
    {
      id: "answered-with-draft",
      status: "completed",
      priority: 510,
      when: [
        { on: "rows", region: "last_turn", row: "head", text: /^[●⏺]/ },
        { on: "layout", has: "composer" },
        { on: "layout", has: "draft" },
      ],
      doubtful: DOUBTFUL,
      versions: ["2.1.328"],
      fixture: "2.1.328/exp-streamed-with-draft-done-220x50",
    },
    {
      id: "answer-scrolled-with-draft",
      status: "completed",
      priority: 495,
      when: [
        { on: "rows", region: "last_turn", text: /\S/ },
        { on: "layout", has: "composer" },
        { on: "layout", has: "draft" },
      ],
      excludes: [{ on: "rows", region: "screen", text: /Claude Code v\d/ }],
      doubtful: DOUBTFUL,
      versions: [],
      fixture: "",
    },
    {
      id: "answered",
      status: "completed",
      priority: 500,
      when: [{ on: "rows", region: "last_turn", row: "head", text: /^[●⏺]/ }, { on: "layout", has: "composer" }],
      versions: ALL,
      fixture: "2.0.53/completed-short-classic-100x30",
    },
    {
      id: "answer-scrolled",
      status: "completed",
      priority: 490,
      when: [{ on: "rows", region: "last_turn", text: /\S/ }, { on: "layout", has: "composer" }],
      excludes: [{ on: "rows", region: "screen", text: /Claude Code v\d/ }],
      versions: IN_DEPTH,
      fixture: "2.0.53/completed-tricky-classic-100x30",
    },
    {
      id: "composer",
      status: "idle",
      priority: 100,
      when: [{ on: "layout", has: "composer" }],
      versions: WITH_IDLE,
      fixture: "2.0.53/idle-fresh-classic-100x30",
    },
  ],
};
