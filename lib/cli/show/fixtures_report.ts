import type { CorpusReport, Outcome, VersionReport } from "../../lab/recordings/check.ts";
import { timelineFaults } from "../../lab/recordings/check_timeline.ts";
import { TERMINAL_STATUSES } from "../../screen/mod.ts";
import { describeOrigin } from "../rule_packs.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { plural } from "../../journal/words/words.ts";
import { present } from "../../base/schema.ts";

const SHORT: Readonly<Record<string, string>> = { waiting_user_answer: "waiting" };

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

function renderMistake({ file, expect, got, rule, origin, evidence }: Outcome): string[] {
  const rows = evidence.map(({ row, text }) => `    ${row < 0 ? "" : `row ${row}: `}${sanitizeLine(text)}`);
  return [sanitizeLine(`${file}: expected ${expect}, got ${got} by ${rule}${describeOrigin(origin)}`), ...rows];
}

function renderTimeline(timeline: CorpusReport["timelines"][number]): string[] {
  const { path, frames, changes, falseRests, flaps, lateChanges, notAlone, largestLagSeconds } = timeline;
  const counts = [
    plural(frames, "frame"),
    plural(changes.length, "change"),
    `largest lag ${largestLagSeconds.toFixed(1)} s`,
    plural(falseRests.length, "false rest"),
    plural(flaps.length, "flap"),
    plural(lateChanges.length, "late change"),
    ...(notAlone.length === 0 ? [] : [`${plural(notAlone.length, "mistake")} where no screen alone can tell`]),
  ];
  const faults = timelineFaults(timeline).map((fault) => `    ${sanitizeLine(fault)}`);
  return [sanitizeLine(`${path}: ${counts.join(", ")}`), ...faults];
}

export function renderReport({ versions, mistakes, missing, timelines }: CorpusReport): string {
  const total = versions.reduce((sum, version) => sum + version.total, 0);
  const faults = timelines.reduce((sum, timeline) => sum + timelineFaults(timeline).length, 0);
  return [
    ...versions.flatMap(renderMatrix),
    ...timelines.flatMap(renderTimeline),
    ...(timelines.length === 0 ? [] : [""]),
    ...mistakes.flatMap(renderMistake),
    ...missing.map(({ provider, classes }) => `${provider}: the corpus has no recording of ${classes.join(", ")}`),
    `${plural(total, "recording")}, ${plural(mistakes.length, "mistake")}` +
    (timelines.length === 0 ? "" : `; ${plural(timelines.length, "timeline")}, ${plural(faults, "mistake")}`),
    "",
  ].join("\n");
}

export function reportJson({ versions, mistakes, missing, timelines, passed }: CorpusReport): string {
  const timelineMistakes = timelines.reduce((sum, timeline) => sum + timelineFaults(timeline).length, 0);
  return [
    ...versions.map((version) => outputLine("fixtures_version", version)),
    ...mistakes.map(({ file, provider, version, expect, got, rule, origin, evidence }) => {
      const about = { file, provider, version, expect, got, rule, evidence };
      return outputLine("fixtures_mistake", { ...about, ...present({ origin }) });
    }),
    ...missing.map((each) => outputLine("fixtures_missing", each)),
    ...timelines.map(({ changes, ...timeline }) =>
      outputLine("fixtures_timeline", { ...timeline, changes: changes.length })
    ),
    outputLine("fixtures_result", { passed, mistakes: mistakes.length, timelineMistakes }),
  ].join("");
}
