import { UsageError } from "../errors.ts";
import { checkRecording, type CorpusReport, type Outcome, summarize, type VersionReport } from "../fixtures/check.ts";
import { readCorpusPath } from "../fixtures/corpus.ts";
import { toJUnit } from "../fixtures/junit.ts";
import { findRulePack } from "../providers/classify_screen.ts";
import { TERMINAL_STATUSES } from "../screen/mod.ts";
import { defineCommand } from "./command.ts";
import { jsonLine, sanitizeLine } from "./sanitize.ts";

/** Where a checkout of this project, or a user's own, keeps its recordings. */
const DEFAULT_FOLDER = "fixtures/screens";

/** How a status is called at the head of a column. */
const SHORT: Readonly<Record<string, string>> = { waiting_user_answer: "waiting" };

async function checkPath(path: string, signal: AbortSignal): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for await (const entry of readCorpusPath(path)) {
    signal.throwIfAborted();
    const { provider } = entry.recording;
    if (provider === undefined) {
      throw new UsageError(`Cannot check ${entry.file}: its sidecar names no provider`);
    }
    const outcome = checkRecording(entry, findRulePack(provider));
    if (outcome) outcomes.push(outcome);
  }
  if (outcomes.length > 0) return outcomes;
  throw new UsageError(`Cannot check ${path}: it holds no recording with an expected status`, {
    hint: 'A recording is NAME.ansi or NAME.txt with NAME.json beside it: {"provider": …, "expect": …}.',
  });
}

/** A confusion matrix: a row per expected status, a column per status that the rules gave. */
function renderMatrix({ provider, version, matrix, total, right, apart }: VersionReport): string[] {
  const columns = TERMINAL_STATUSES.map((status) => SHORT[status] ?? status);
  const aside = apart.total === 0 ? "" : `; ${apart.total} that no screen alone can tell, ${apart.right} of them right`;
  const head = `${provider} ${version}: ${right} of ${total} right${aside}`;
  const width = Math.max(...TERMINAL_STATUSES.map((status) => status.length));
  const rows = TERMINAL_STATUSES.filter((expect) => Object.values(matrix[expect]).some((found) => found > 0))
    .map((expect) => {
      const cells = TERMINAL_STATUSES.map((got, index) => {
        const found = matrix[expect][got];
        return (found === 0 ? "." : String(found)).padStart((columns[index] as string).length);
      });
      return `  ${expect.padEnd(width)}  ${cells.join("  ")}`;
    });
  return [sanitizeLine(head), `  ${"expected".padEnd(width)}  ${columns.join("  ")}`, ...rows, ""];
}

function renderMistake({ file, expect, got, rule, evidence }: Outcome): string[] {
  const rows = evidence.map(({ row, text }) => `    ${row < 0 ? "" : `row ${row}: `}${sanitizeLine(text)}`);
  return [`${sanitizeLine(file)}: expected ${expect}, got ${got} by ${rule}`, ...rows];
}

function render({ versions, mistakes, missing }: CorpusReport): string {
  const total = versions.reduce((sum, version) => sum + version.total, 0);
  return [
    ...versions.flatMap(renderMatrix),
    ...mistakes.flatMap(renderMistake),
    ...missing.map(({ provider, classes }) => `${provider}: the corpus has no recording of ${classes.join(", ")}`),
    `${total} recordings, ${mistakes.length} mistakes`,
    "",
  ].join("\n");
}

function toJsonLines({ versions, mistakes, missing, passed }: CorpusReport): string {
  return [
    ...versions.map((version) => ({ type: "version", ...version })),
    ...mistakes.map(({ file, provider, version, expect, got, rule, evidence }) => ({
      type: "mistake",
      file,
      provider,
      version,
      expect,
      got,
      rule,
      evidence,
    })),
    ...missing.map((each) => ({ type: "missing", ...each })),
    { type: "result", passed, mistakes: mistakes.length },
  ].map(jsonLine).join("");
}

/** `panewright fixtures check`. */
export const command = defineCommand({
  description:
    `Checks the rules against recorded screens: a confusion matrix per provider and version, and every mistake with what ` +
    `it rests on. The exit code is 1 when there is a mistake, or when the recordings of a provider lack a class: idle, ` +
    `processing, streaming, waiting, completed, error, and negative, which is an answer that quotes a spinner or dialog.

DIR holds captures with sidecars (NAME.ansi or NAME.txt, and NAME.json), packs of them (*.ndjson.gz), or both. Without ` +
    `DIR it is ${DEFAULT_FOLDER}.`,
  arguments: [
    { name: "check", description: "the word check", required: true },
    { name: "DIR", description: `a folder or pack of recordings (${DEFAULT_FOLDER})` },
  ],
  flags: [{ name: "junit", type: "string", placeholder: "FILE", description: "write the outcomes as JUnit XML too" }],
  examples: [
    { command: "fixtures check", description: "this project's own recordings" },
    { command: "fixtures check my-screens --junit screens.xml", description: "your own, for a CI system" },
  ],
  async run({ flags, positionals, global }, io) {
    const [action, path = DEFAULT_FOLDER] = positionals;
    if (action !== "check") {
      throw new UsageError(`Cannot do "${action}" with fixtures`, { hint: 'There is one action: "fixtures check".' });
    }
    const outcomes = await checkPath(path, io.signal);
    const report = summarize(outcomes);
    if (flags.junit !== undefined) await Deno.writeTextFile(flags.junit, toJUnit(outcomes, report));
    io.stdout(global.json ? toJsonLines(report) : render(report));
    return report.passed ? 0 : 1;
  },
});
