import type { Layout } from "../../screen/mod.ts";

/**
 * How Claude Code builds its screen, 2.0.53 to 2.1.328, in both renderers.
 *
 * The composer stands between two full-width lines, its glyph followed by a no-break space; prompts in the conversation
 * have the glyph, a plain space and a background; everything that a model writes is indented by two columns, but for
 * the bullet of its first row.
 */
export const CLAUDE_CODE_LAYOUT: Layout = {
  composer: {
    first: /^[❯>]\u00a0(?<text>.*)$/,
    next: /^ {2}(?<text>.*)$/,
    placeholderStyle: { dim: true },
    placeholders: /^(?:Try "|Press up to edit queued messages$|Resend your message to try again$)/,
    frame: /^─/,
    bare: /^[❯>](?:[ \u00a0](?!\d+\. )(?<text>.*))?$/,
    below: /^ /,
    maxBelow: 8,
  },
  echo: { first: /^[❯>] \S/, style: { background: ["coloured"] } },
  head: /^(?:[●⏺❯>][ \u00a0]| {2}⎿| {2}(?:Ran|Did not run) \d+ |[·✢✳✶✻✽*∗] \S.*(?:…|[Rr]etrying in ))/,
  detail: /^ {2}⎿/,
  dialog: {
    selected: /^(?<before> {0,5}[❯›>] (?:✔ )?)(?:(?<number>\d{1,2})\. ?)?(?<label>\S.*)$/,
    selectedStyle: { plain: false, background: ["default"] },
    rule: /^\s*[─╌▔╭╰][─╌▔]{7,}/,
    hint: /\b(?:Enter|Esc|Tab|[Cc]trl.[a-z]|shift\+tab) to /,
    top: /^(?:─{8,}|▔{8,})/,
    heading: { text: /\?$/, from: "bottom" },
    maxBelow: 10,
    key: / ?\((?<key>esc|shift\+tab)\)$/,
    kinds: [
      { kind: "command", text: /^Bash command/ },
      { kind: "file_edit", text: /^Edit file/ },
      { kind: "file_write", text: /^(?:Create file|Overwrite file|Write file)/ },
      { kind: "plan", text: /^(?:Ready to code\?|Exit plan mode\?)|\bWould you like to proceed\?$/ },
      { kind: "trust", text: /^(?:Accessing workspace:|Do you trust the files in this folder\?)/ },
      { kind: "login", text: /^(?:Select login method:|Claude account with subscription|Detected a custom API key)/ },
      { kind: "question", text: /(?:^Chat about this|^Type something|^← .*→|^☐ |^Review your answers)/ },
    ],
    subjects: [
      {
        // A command of several rows has a line at its left.
        kinds: ["command"],
        after: /^╌{8}/,
        first: /^ │ (?<subject>\S.*)$/,
        next: /^ │ ?(?<subject>.*)$/,
        rightMargin: 1,
      },
      {
        kinds: ["command"],
        after: /^╌{8}/,
        first: /^ (?<subject>\S.*)$/,
        next: /^(?!╌{8}) ?(?<subject>.*)$/,
        rightMargin: 1,
      },
      {
        kinds: ["command"],
        first: /^ {3}(?<subject>\S.*)$/,
        next: /^(?: {3}(?<subject>.*))?$/,
        style: { foreground: ["default"] },
        rightMargin: 3,
      },
      {
        kinds: ["file_write", "file_edit"],
        after: /^(?: (?:Create|Edit|Overwrite|Write) file|╭─+╮)$/,
        first: /^(?: |│ )(?<subject>[^╭│]+)/,
        rightMargin: 4,
      },
      {
        kinds: ["file_write", "file_edit"],
        first: /^ Do you want to (?:create|overwrite|make this edit to) (?<subject>.+)\?$/,
      },
      { kinds: ["trust"], first: /^ (?<subject>[~/].*)$/ },
    ],
  },
};
