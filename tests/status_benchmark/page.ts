import { compareVersions } from "../../lib/base/text/order.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../lib/screen/mod.ts";
import type { CliName } from "../support/clis.ts";
import { type DocumentTables, table } from "../support/document_tables.ts";
import { type Sample, toldByRules } from "./samples.ts";
import { type Score, score } from "./score.ts";
import { toldByWords } from "./words_only.ts";

/** The document that publishes the corpus and its results. */
export const PAGE = new URL("../../docs/status-benchmark.md", import.meta.url).pathname;

const CLIS: readonly (readonly [CliName, string])[] = [["claude_code", "Claude Code"], ["codex", "Codex"]];
const TRUTHS = TERMINAL_STATUSES.filter((status) => status !== "unknown");

/** What a tool said of the samples. */
export interface Told {
  readonly tool: string;
  readonly statuses: ReadonlyMap<string, TerminalStatus>;
}

/** The tables of the document, from the corpus and the rules as they are. */
export function pageTables(samples: readonly Sample[]): DocumentTables {
  const rules: Told = { tool: "panewright", statuses: toldByRules(samples) };
  const words: Told = {
    tool: "words only",
    statuses: new Map(samples.map(({ id, recording }) => [id, toldByWords({ text: recording.ansi })])),
  };
  return {
    task: "benchmark:status",
    tables: {
      corpus: () => `${corpusTable(samples)}\n`,
      scores: () => `${scoreTable(samples, [rules, words])}\n`,
      matrices: () => `${[rules, words].map((told) => matrices(samples, told)).join("\n\n")}\n`,
      dresses: () => `${dressTables(samples, [rules, words])}\n`,
    },
  };
}

/** What tools score, by CLI and in all. */
export function scoreTable(samples: readonly Sample[], tools: readonly Told[]): string {
  const headings = [
    "tool",
    "right",
    "%",
    "right, rest is one",
    "busy as done",
    "false waiting",
    "missed waiting",
    "unknown",
  ];
  const rows = tools.flatMap(({ tool, statuses }) =>
    [...CLIS, [undefined, "all"] as const].map(([cli, label]) => {
      const found = score(samples.filter((sample) => cli === undefined || sample.cli === cli), statuses);
      return [
        `${tool}, ${label}`,
        `${found.right} of ${found.total}`,
        percent(found),
        String(found.rightAtRest),
        ...[found.busyAsDone, found.falseWaiting, found.missedWaiting, found.unknown].map(String),
      ];
    })
  );
  return table([headings, ...rows]);
}

/** A tool's confusion matrix for each CLI: a row for each true status, a column for each that it was told as. */
export function matrices(samples: readonly Sample[], { tool, statuses }: Told): string {
  return CLIS.map(([cli, label]) => {
    const { matrix } = score(samples.filter((sample) => sample.cli === cli), statuses);
    const rows = TRUTHS.map((truth) => [truth, ...TERMINAL_STATUSES.map((told) => String(matrix[truth][told]))]);
    return table([[`${tool}, ${label}: is \\ told`, ...TERMINAL_STATUSES], ...rows]);
  }).join("\n\n");
}

/** What the corpus holds: versions, sizes, and recordings by their true status. */
function corpusTable(samples: readonly Sample[]): string {
  const rows = [...CLIS, [undefined, "all"] as const].map(([cli, label]) => {
    const own = samples.filter((sample) => cli === undefined || sample.cli === cli);
    const versions = [...new Set(own.map(({ version }) => version))].toSorted(compareVersions);
    const sizes = new Set(own.map(({ recording: { cols, rows } }) => `${cols}x${rows}`));
    const decided = own.filter(({ alone }) => alone);
    return [
      label,
      cli === undefined ? "" : `${versions.length}: ${versions[0]} to ${versions.at(-1)}`,
      String(sizes.size),
      ...TRUTHS.map((status) => String(decided.filter(({ expect }) => expect === status).length)),
      String(decided.length),
      String(own.length - decided.length),
    ];
  });
  return table([["CLI", "versions", "sizes", ...TRUTHS, "scored", "not scored"], ...rows]);
}

/** What tools score in each setting, a table for each CLI. */
function dressTables(samples: readonly Sample[], tools: readonly Told[]): string {
  return CLIS.map(([cli, label]) => {
    const dresses = Map.groupBy(
      samples.filter((sample) => sample.cli === cli && sample.alone),
      ({ dress }) => dress.name,
    );
    const rows = [...dresses].toSorted(([, a], [, b]) => b.length - a.length).map(([name, own]) => [
      `${name}: ${own[0]?.dress.about}`,
      String(own.length),
      ...tools.map(({ statuses }) => percent(score(own, statuses))),
    ]);
    return table([[label, "recordings", ...tools.map(({ tool }) => `${tool}, %`)], ...rows]);
  }).join("\n\n");
}

/** Never rounded up to 100. */
function percent({ right, total }: Pick<Score, "right" | "total">): string {
  return (Math.floor(right / total * 1000) / 10).toFixed(1);
}
