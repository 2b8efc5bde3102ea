import type { Layout } from "../../screen/mod.ts";

/** A file of a patch, named within its dialog (0.53.0 and 0.90.0). */
const PATCHED_FILE = /^ {2}(?<subject>[^\s()][^()]*) \(\+\d+ -\d+\)$/;

/**
 * How the Codex TUI builds its screen, 0.53.0 to 0.169.0.
 *
 * The composer's `›` stands in column 0, bold; so does that of a prompt in the conversation, bold and dim; everything that
 * a model writes is indented by two columns, but for the bullet of its first row.
 */
export const CODEX_LAYOUT: Layout = {
  composer: {
    first: /^›(?: (?<text>.*))?$/,
    style: { bold: true, dim: false, reverse: false, foreground: ["default"] },
    next: /^ {2}(?<text>.*)$/,
    placeholderStyle: { dim: true },
    placeholders:
      /^(?:Ask Codex to do anything|Explain this codebase|Summarize recent commits|Implement \{feature\}|Find and fix a bug in @filename|Write tests for @filename|Improve documentation in @filename|Run \/review on my current changes|Use \/skills to list available skills)$/,
    below: /^(?:\d{1,3}% context left|\? for shortcuts)/,
    maxBelow: 2,
  },
  echo: { first: /^›[ \t]+\S/, style: { bold: true, dim: true } },
  head: /^(?:[•◦■✗✔›─]|\S[^(]*\((?:\d{1,4}h )?(?:\d{1,2}m )?\d{1,6}s • )/,
  detail: /^• (?:Queued follow-up |Messages to be submitted)/,
  dialog: {
    selected: /^(?<before> {0,4}[›>] )(?:(?<number>\d{1,2})\. )(?<label>\S.*)$/,
    selectedStyle: { plain: false },
    rule: /^\s*─{8,}\s*$/,
    hint: /(?:Press )?enter (?:to )?(?:confirm|continue|submit)/i,
    top: /^ {2}(?:Would you like to |Question \d|Folder access|Hooks need review|(?:✨ )?Update available|Welcome to )/,
    heading: { text: /./, from: "top" },
    maxBelow: 4,
    key: /(?: ?\(| (?=esc$))(?<key>[a-z]|esc)\)?$/,
    kinds: [
      { kind: "patch", text: /^Would you like to make the following edits/ },
      { kind: "command", text: /^Would you like to run the following command/ },
      { kind: "update", text: /^\W*Update available/ },
      { kind: "login", text: /^Sign in with ChatGPT/ },
      { kind: "hooks", text: /^Hooks need review/ },
      { kind: "trust", text: /^(?:Trust and continue|Yes, continue|Yes, allow Codex to work in this folder)/ },
      { kind: "question", text: /^Question \d/ },
    ],
    subjects: [
      {
        kinds: ["command"],
        first: /^ {2}\$ (?<subject>.*)$/,
        next: /^ {0,2}(?<subject>.*)$/,
        style: { italic: false },
        cut: /^ {2}\[… \d+ lines\]/,
        rightMargin: 2,
      },
      { kinds: ["patch"], first: /^ {2}Destination: (?<subject>.*)$/, every: true, rightMargin: 2 },
      { kinds: ["patch"], first: PATCHED_FILE, every: true, separator: / → /, rightMargin: 2 },
      {
        kinds: ["patch"],
        in: "block_above",
        first: /^(?: {2}└|• (?:Added|Deleted|Edited)) (?<subject>(?!\d+ files \()[^()]+) \(\+\d+ -\d+\)$/,
        every: true,
        separator: / → /,
        count: /^• (?:Added|Deleted|Edited) (?<count>\d+) files \(/,
        rightMargin: 2,
      },
      { kinds: ["trust"], first: /^(?:> You are (?:running Codex )?in | {2,5})(?<subject>[~/].*)$/ },
    ],
  },
};
