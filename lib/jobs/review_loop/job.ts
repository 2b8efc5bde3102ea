import { UsageError } from "../../base/errors.ts";
import { PROSE_TEST } from "../../journal/loop/fields.ts";

export const EXPLORE_HEADER = "*** ORIGINAL EXPLORE SUMMARY ***";
export const SCENARIO_HEADER = "*** SCENARIO TEST ***";

export interface Job {
  readonly introduction: string;
  readonly exploreSummary: string;
  readonly scenarioTest: string;
}

interface ParseJobOptions {
  /** The file that the text was read from, or another name for its source. @default {"the job"} */
  readonly file?: string;
}

const SECTIONS = [
  { key: "exploreSummary", header: EXPLORE_HEADER, content: "what to do and what is known about it" },
  { key: "scenarioTest", header: SCENARIO_HEADER, content: "how the tester can check that it is done" },
] as const;

/**
 * The parts of a job's text. A text without any of the headers is plain prose: all of it is what to do.
 *
 * @throws {UsageError} for a header that is missing, doubled or misspelt, and for a part that is empty
 */
export function parseJob(text: string, options: ParseJobOptions = {}): Job {
  const file = options.file ?? "the job";
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\r|\n/);
  if (isProse(lines)) return { introduction: "", exploreSummary: trimBlankLines(lines), scenarioTest: PROSE_TEST };
  const found = SECTIONS.map((section) => ({ ...section, index: headerIndex(lines, section, file) }));
  const starts = found.map(({ index }) => index).toSorted((a, b) => a - b);
  const sections = found.map(({ key, header, content, index }) => {
    const end = starts.find((start) => start > index) ?? lines.length;
    const body = trimBlankLines(lines.slice(index + 1, end));
    if (body === "") {
      throw new UsageError(`Cannot use ${file}: the section "${header}" (line ${index + 1}) is empty`, {
        hint: `Write below that line ${content}.`,
      });
    }
    return [key, body] as const;
  });
  return {
    introduction: trimBlankLines(lines.slice(0, starts[0])),
    ...Object.fromEntries(sections) as Omit<Job, "introduction">,
  };
}

/** The text of a job, for {@linkcode parseJob}. */
export function jobText({ exploreSummary, introduction, scenarioTest }: Job): string {
  if (scenarioTest === PROSE_TEST) return exploreSummary;
  return [introduction, EXPLORE_HEADER, exploreSummary, SCENARIO_HEADER, scenarioTest].join("\n\n").trim();
}

/** Whether no line is a header, or looks like one. */
function isProse(lines: readonly string[]): boolean {
  const isHeader = (line: string) => SECTIONS.some(({ header }) => looksLike(line, header));
  return lines.some((line) => line.trim() !== "") && !lines.some(isHeader);
}

function looksLike(line: string, header: string): boolean {
  return letters(line.slice(0, 200)).startsWith(letters(header));
}

function headerIndex(lines: readonly string[], section: typeof SECTIONS[number], file: string): number {
  const { header, content } = section;
  const indexes = lines.flatMap((line, index) => line.trim() === header ? [index] : []);
  if (indexes.length > 1) {
    const numbers = indexes.map((index) => index + 1).join(" and ");
    throw new UsageError(`Cannot use ${file}: the line "${header}" is there more than once (lines ${numbers})`, {
      hint: "Keep one section of each kind.",
    });
  }
  if (indexes[0] !== undefined) return indexes[0];
  const lookalike = lines.findIndex((line) => looksLike(line, header));
  const shown = JSON.stringify(lines[lookalike]?.slice(0, 80));
  throw new UsageError(
    `Cannot use ${file}: the line "${header}" is missing` +
      (lookalike < 0 ? "" : ` (line ${lookalike + 1} looks like it: ${shown})`),
    {
      hint: `Write a line that is exactly "${header}", a blank one, and below it ${content}. ` +
        "Without the blank line, a formatter of Markdown may join the two.",
    },
  );
}

function letters(line: string): string {
  return line.toUpperCase().replace(/[^A-Z]/g, "");
}

function trimBlankLines(lines: readonly string[]): string {
  const first = lines.findIndex((line) => line.trim() !== "");
  if (first < 0) return "";
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(first, last + 1).join("\n");
}
