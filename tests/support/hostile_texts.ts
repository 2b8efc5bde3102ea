import { findAsks } from "../../lib/shell/asks/find_asks.ts";
import { findScriptedCommands } from "../../lib/shell/asks/scripted_commands.ts";
import { decidePermission, DEFAULT_PERMISSION_POLICY } from "../../lib/policy/mod.ts";
import { matchCommand, parseCommandPattern } from "../../lib/policy/pattern.ts";
import { fillReferences, findReferences } from "../../lib/jobs/pipeline/prompts/references.ts";
import { mayWrite } from "../../lib/jobs/pipeline/write_globs.ts";
import { findEvidence, hasReviewNotes } from "../../lib/jobs/review_loop/evidence.ts";
import { parseReviewVerdict, parseTestVerdict } from "../../lib/jobs/verdicts.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";
import { createCollector } from "../../lib/api/report/collect.ts";
import { headerOf } from "../../lib/api/report/header.ts";
import { reportMarkdown } from "../../lib/api/report/markdown.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { composerHolds } from "../../lib/agents/pane/composer_text.ts";
import { scrub } from "../../lib/base/redact/scrub.ts";
import { secretPatterns } from "../../lib/base/redact/secret_patterns.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";
import { findPasted } from "../../lib/screen/regions.ts";
import { LineSplitter } from "../../lib/base/follow/line_splitter.ts";
import { parseShellCommand } from "../../lib/shell/mod.ts";
import { condense } from "../../lib/base/text/condense.ts";
import { createKeyDecoder } from "../../lib/base/text/keys.ts";
import { pathsIn } from "../../lib/base/text/paths_in.ts";
import { placesIn } from "../../lib/base/text/places_in.ts";
import { plainText } from "../../lib/base/text/sanitize.ts";
import { styledRows } from "../../lib/base/text/styled_rows.ts";
import { ControlParser } from "../../lib/tmux/control_parser.ts";
import { HOSTILE_UNITS } from "./screens.ts";

/** Something that reads text which agents, people and programs may have written, and what it could find hard. */
export interface HostileText {
  readonly name: string;
  /** Each is repeated until the text has its length. */
  readonly units: readonly string[];
  readonly read: (text: string) => unknown;
  /** The length at which the steps are counted, and four times that. @default {250} */
  readonly size?: number;
}

const PROMPT = "Fix the bug in src/a.ts:\n\n\t- keep the API\n  - 漢字 and 👩‍💻 stay\n```ts\nconst x = `1`;\n```";
const SECRETS = secretPatterns({ home: "/var/lib/jane", username: "jane", hostname: "zeus.corp.lan" });
const ASKS = [["panewright", "ask"], ["cat-herder", "ask"]] as const;
const PIECE_LENGTH = 16;

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Gives something a text in small pieces. */
function inPieces(text: string, push: (bytes: Uint8Array) => unknown): void {
  for (let at = 0; at < text.length; at += PIECE_LENGTH) push(bytesOf(text.slice(at, at + PIECE_LENGTH)));
}

function decide(subject: string): unknown {
  const request = { kind: "command", subject, subjectComplete: true, otherReadings: [] } as const;
  const policy = { ...DEFAULT_PERMISSION_POLICY, deny: [{ command: "a **** b ** c" }] };
  return decidePermission(request, { policy, workdir: "/srv/shop", role: "programmer", provider: "codex" });
}

function words(text: string) {
  return text.split(" ").map((value) => ({ value }));
}

const REVIEW_UNITS = ["a/", "`", "`x", "- ", "lib/a.ts ", "action ", " ", "*", ":1", ".a", "requirement cover "];

const NO_SECRETS = createRedactor([]);

/** A report of a run whose agents, tests and tasks say nothing else. */
function report(text: string): string {
  const at = "2026-11-20T08:00:00.000Z";
  const task = { introduction: text, exploreSummary: "", scenarioTest: "" };
  const started = { type: "run_started", job: "run", runId: text, folder: text, workdir: text, startAgent: "analyst" };
  const facts = [
    { ...started, task, settings: { maxRounds: 1 }, origin: { configFile: null, cwd: "/", flags: {} } },
    { type: "warning", message: text },
    { type: "test_command_started", round: 1, command: text },
    { type: "test_command_finished", round: 1, passed: false, exitCode: 1, seconds: 1, output: text },
    { type: "run_finished", outcome: "error", rounds: 1, seconds: 1, reason: text },
  ];
  const collector = createCollector(NO_SECRETS);
  collector.take(facts.map((fact, index) => {
    const record = { ...fact, at };
    return { sequence: index + 2, record, fact: record };
  }));
  const around = { runId: text, condition: "error", executed: false, answered: [], problem: text } as const;
  return reportMarkdown({ header: headerOf(collector.state, around), items: collector.items() });
}

/** All that reads hostile text, with what is hard for it. */
export const HOSTILE_TEXTS: readonly HostileText[] = [
  { name: "reports", units: ["`", "|", "\x1b[", "<!--", "- ", "\n", "sk-", "a b\t", "\u202e", "漢"], read: report },
  {
    name: "verdicts",
    units: [
      "*",
      "`",
      "_",
      "#",
      "- ",
      "```\n",
      ">\n",
      "RESULT: PASS or ",
      "\t",
      "<!--",
      "`<!--",
      "<!-- -->",
      "a <!--\n-->",
      "RESULT ",
      "RESULT:",
      "| RESULT ",
      "RESULT: not a ",
      "RESULT: [ ] PASS ",
      "verdict: ",
      "R E S ",
      "* *\n",
      "~~a ",
      "<a ",
      "<details>\n",
      "&#",
      "RESULT ",
      "RESULT:|",
    ],
    read: (text) =>
      [text, `RESULT: PASS${text}x`, `RESULT:${text}`, `RESULT: PASS\n\n${text}`, `REVIEW_RESULT: APPROVED\n\n${text}`]
        .map((one) => [parseTestVerdict(one), parseReviewVerdict(one)]),
  },
  {
    name: "evidence of a review",
    units: REVIEW_UNITS,
    read: (text) => [findEvidence(text), hasReviewNotes(`REVIEW_NOTES:${text}`)],
  },
  {
    name: "evidence of a review in short lines",
    units: REVIEW_UNITS,
    read: (text) => findEvidence(text.match(/.{1,50}/g)?.join("\n") ?? ""),
  },
  { name: "paths in a text", units: REVIEW_UNITS, read: pathsIn },
  { name: "places in a text", units: ["a", "a.b", "a.b:1 ", "a.b(", 'File "', "/", ".", "\n"], read: placesIn },
  {
    name: "text of a composer",
    units: ["[Pasted Content ", " ", "[Pasted text ", "[Pasted Content 9 chars]", "1", "[Pasted text #1 +1 lines]"],
    read: (text) =>
      [text, `[Pasted text ${text}`].map((shown) => {
        const pasted = findPasted(shown, CODEX_RULES.layout) ?? findPasted(shown, CLAUDE_CODE_RULES.layout);
        return composerHolds({ text: shown, ...(pasted === undefined ? {} : { pasted }) }, PROMPT);
      }),
  },
  {
    name: "references in a prompt",
    units: ["{{", "{{steps.", "{{ ", "${{steps.a.final}}", "{{steps.a.final}}\n", "{{steps.a.final}}"],
    read: (text) => [findReferences(text), fillReferences(text, () => "`")],
  },
  { name: "styled rows of a capture", units: ["\x1b[", "\x1b[1m", "\x1b]", "\u202e", "\x1b[1;"], read: styledRows },
  { name: "plain text of a terminal's output", units: ["\x1b[", "\x1b]", "\r", "\x1b]0;x", "\x1b"], read: plainText },
  {
    name: "condensed output",
    units: ["error ", "\n", "a/", "**", "A_", "x\n", " \n", "assert", "## \n"],
    read: (text) => condense(text, { maxLines: 40 }),
  },
  {
    name: "scrubbed text",
    units: [
      ...["a", "@", "a.", "a@", "sk-", "eyJ", "password", "password=", "://a:", "-", "/home/", "Bearer ", "é"],
      "-----BEGIN PRIVATE KEY-----",
      ...["password='a ", "--token ", "-u a:", "mysql -", "cookie: a=", "://a:a@", "SG.", "_pass="],
    ],
    read: (text) => scrub(text, { patterns: SECRETS, cols: 80 }),
  },
  {
    name: "commands in a script",
    units: ["`${", "'\\", "/*", "x=>", "((("],
    read: findScriptedCommands,
  },
  // At most 500 characters of a regular expression are looked at, and 500 tokens of a call.
  { name: "regular expressions in a script", units: ["=/[a"], read: findScriptedCommands, size: 1000 },
  { name: "calls in a script", units: ["tools.exec_command({"], read: findScriptedCommands, size: 4000 },
  {
    name: "asks in a command",
    units: ["'\"$(", "panewright ask x || "],
    read: (text) => [findAsks(`panewright ask ${text}`, ASKS), findAsks(`${text} true`, ASKS)],
  },
  {
    name: "a shell command",
    units: [
      ...["$(", "`", "\\`", "(", '"$(', "[", "{a,", "${x:-", "a ", "a|", "a #\n", "a() ", "$'", "case x in ", "if "],
      ...["! ", "a=(", "<<A ", "\\\n", "~", "'", "function ", "a\t("],
      ...[
        "((",
        "((a++)); ",
        "$((",
        "${a[",
        "${a:",
        "[[ ",
        "[[ a =~ (",
        "[ a -eq b ",
        "a[",
        "for ((",
        "time ! ",
        "{x}>a ",
      ],
    ],
    read: parseShellCommand,
  },
  {
    name: "here-documents of a shell command",
    units: ["x\n"],
    read: (text) => parseShellCommand("cat <<A ".repeat(text.length / 8) + "\n" + text),
  },
  {
    name: "a pattern for commands",
    units: ["a"],
    read: (text) => matchCommand(parseCommandPattern(`a${"*a".repeat(10)}b`), words(text)),
  },
  {
    name: "a pattern for words of commands",
    units: ["a "],
    read: (text) => matchCommand(parseCommandPattern(`${"** a ".repeat(10)}b`), words(`${text}c`)),
  },
  {
    name: "a glob for files",
    units: ["a", "a/"],
    read: (text) => [mayWrite(`${text}b`, [`${"*a".repeat(10)}c`]), mayWrite(`${text}b`, [`${"**/a/".repeat(10)}c`])],
  },
  {
    name: "a decision about what a command sets and evaluates",
    units: [
      "x=$x; ",
      "x=y; y=x; ",
      "((x++)); ",
      "[ $x -eq 1 ]; ",
      "read x; ",
      "export x=$y ",
      "printf %d ",
      "$(wc -l|",
    ],
    read: (text) => [text, `echo $((${text}))`, `${text}; echo $((x))`].map(decide),
    size: 1000,
  },
  {
    name: "a decision about a command",
    units: ["$(", "`", "[", "{a,", "'", "<<A ", " "],
    read: (text) => [text, `${text}(`, `( ${text}\n`, `${text}\n(`].map(decide),
  },
  {
    name: "a decision about many commands in a text",
    units: ["ls|", "ls|xargs cat|", "cd a && ", "cd a; ", "npx -a b ", "uv run run "],
    read: (text) => [`${text} ls`, `${text} ls b c`].map(decide),
    size: 500,
  },
  {
    name: "a screen of Codex",
    units: HOSTILE_UNITS,
    read: (text) => classify(parseScreen(text), CODEX_RULES).beaten,
    size: 500,
  },
  {
    name: "a screen of Claude Code",
    units: HOSTILE_UNITS,
    read: (text) => classify(parseScreen(text), CLAUDE_CODE_RULES).beaten,
    size: 500,
  },
  {
    name: "a paste in small pieces",
    units: ["x", "\x1b", "\x1b[20"],
    read: (text) => {
      const decoder = createKeyDecoder();
      inPieces(`\x1b[200~${text}\x1b[201~`, (bytes) => decoder.push(bytes));
    },
  },
  {
    name: "a line of a session log in small pieces",
    units: ["x", "\n", "é"],
    read: (text) => {
      const splitter = new LineSplitter();
      inPieces(text, (bytes) => splitter.push(bytes));
      splitter.push(bytesOf("\n"));
    },
  },
  {
    name: "a line of control mode in small pieces",
    units: ["x", "\\033", "\n"],
    read: (text) => {
      const parser = new ControlParser();
      inPieces(`%output %1 ${text}`, (bytes) => parser.push(bytes));
      parser.push(bytesOf("\n"));
    },
  },
];
