import { ownLines } from "../../base/text/markdown.ts";
import { type ExistingNames, namesAmong, pathsIn } from "../../base/text/paths_in.ts";
import type { ReviewLoopSettings } from "./settings.ts";

export const EVIDENCE_KINDS = [
  "artefact and verdict",
  "traceability and coverage",
  "interfaces or files and modules",
  "concrete action items",
] as const;

export type EvidenceKind = typeof EVIDENCE_KINDS[number];

/** Of a line, only this much is searched: evidence is said in sentences. */
const MAX_LINE = 2000;

const ARTEFACT =
  /\b(?:arte?facts?|proposal|specs?|specification|design|tasks?|plan|summary|report|analysis|documents?|docs?|implementation|change(?:s|set)?|diff|patch|code|tests?)\b/i;
const JUDGEMENT =
  /\b(?:ok|okay|pass(?:es|ed)?|fails?|failed|approved?|accepted|acceptable|revise|complete|incomplete|correct|incorrect|sound|consistent|inconsistent|adequate|inadequate|sufficient|insufficient|missing|wrong|verified|satisf(?:y|ies|ied)|matches|valid|invalid|good|fine|ready)\b|[✓✔✅✗✘❌]/i;
const DEMAND = /\b(?:requirements?|scenarios?|criteri(?:on|a)|acceptance|goals?|points?|steps?|cases?)\b/i;
const COVERAGE =
  /\b(?:cover(?:s|ed|age|ing)?|uncovered|trac(?:e|es|ed|eable|eability)|maps?|mapped|implemented|tested|exercised|verified|satisf(?:y|ies|ied)|met|addressed|handled|dealt with|fulfilled)\b|(?:->|=>|→|[✓✔✅✗✘❌])/i;
const INTERFACE =
  /\b(?:interfaces?|apis?|modules?|functions?|class(?:es)?|methods?|signatures?|endpoints?|types?|commands?|flags?)\b/i;
const CODE_SPAN = /`[^`\s][^`]{0,200}`/;
const ACTION_VERB =
  /\b(?:add|remove|delete|rename|move|extract|replace|fix|handle|check|validate|document|describe|test|cover|assert|return|throw|raise|log|update|change|split|merge|use|keep|write|implement|call|pass|guard|escape|run|re-?run|clarify|specify|define|state|name)\b/i;
const LIST_ITEM = /^(?:[-*+]|\d{1,3}[.)])[ \t]+\S/;
const LABEL_LINE = /^[A-Z][A-Z_ ]{2,40}:/;
const MAX_TITLE = 60;

/** The words by which the title of a part of a review says which kind of evidence it is about. */
const TITLES: readonly (readonly [RegExp, EvidenceKind])[] = [
  [/\b(?:arte?facts?|judge?ments?|verdicts?)\b/i, "artefact and verdict"],
  [/\b(?:traceability|coverage)\b/i, "traceability and coverage"],
  [/\baction[ _-]?items?\b|\bactions\b|\bnext steps\b|\bfollow-?ups?\b/i, "concrete action items"],
];

/**
 * The kinds of evidence that a review holds. Code blocks and quotes do not count.
 *
 * - artefact and verdict: a line that names an artefact (a file, a spec, the tests, …) and judges it
 * - traceability and coverage: a line that says of a requirement, scenario or point how it is covered
 * - interfaces or files and modules: two different file paths, or an interface or module with its name in backticks
 * - concrete action items: a list item that says what to do and names a file or a piece of code
 *
 * A file path is written like one, or names something that exists in the working directory.
 *
 * Below a title that announces the first, second or fourth kind, naming the file or piece of code is enough.
 */
export function findEvidence(review: string, names?: ExistingNames): EvidenceKind[] {
  const isName = names && namesAmong(names);
  const found = new Set<EvidenceKind>();
  const paths = new Set<string>();
  let part: EvidenceKind | undefined;
  for (const line of ownLines(review).map((line) => line.slice(0, MAX_LINE))) {
    const title = titleOf(line);
    if (title !== undefined) part = TITLES.find(([words]) => words.test(title))?.[1];
    if (isVerdictLine(line)) continue;
    const linePaths = pathsIn(line, isName);
    for (const path of linePaths) paths.add(path);
    const concrete = linePaths.length > 0 || CODE_SPAN.test(line);
    const holds = (kind: EvidenceKind, byItself: boolean) => {
      if (byItself || (part === kind && concrete)) found.add(kind);
    };
    holds("artefact and verdict", (concrete || ARTEFACT.test(line)) && JUDGEMENT.test(line));
    holds("traceability and coverage", DEMAND.test(line) && COVERAGE.test(line));
    if (paths.size >= 2 || (INTERFACE.test(line) && CODE_SPAN.test(line))) found.add("interfaces or files and modules");
    if (LIST_ITEM.test(line)) holds("concrete action items", concrete && ACTION_VERB.test(firstWords(line)));
  }
  return EVIDENCE_KINDS.filter((kind) => found.has(kind));
}

function titleOf(line: string): string | undefined {
  const bare = bareLine(line.replace(/^\d{1,3}[.)][ \t]+/, "")).trimEnd();
  const isMarked = /^#{1,6}[ \t]/.test(line) || /^\*\*[^*]{1,80}\*\*[ \t]*$/.test(line);
  const colon = bare.indexOf(":");
  if (!isMarked && colon < 0) return undefined;
  const title = isMarked ? bare : bare.slice(0, colon);
  const isTitle = title.length <= MAX_TITLE && pathsIn(title).length === 0;
  return isTitle && (isMarked || !LIST_ITEM.test(line) || TITLES.some(([words]) => words.test(title)))
    ? title
    : undefined;
}

export function hasReviewNotes(review: string): boolean {
  const lines = ownLines(review);
  const start = lines.findIndex((line) => notesAfterLabel(line) !== undefined);
  if (start < 0) return false;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => LABEL_LINE.test(bareLine(line)));
  const notes = [notesAfterLabel(lines[start] ?? ""), ...(end < 0 ? rest : rest.slice(0, end))].join(" ");
  return /[\p{L}\p{N}]/u.test(notes) &&
    !/^[\W_]*(?:none|n\/?a|nothing|todo|tbd)[\W_]*$/i.test(notes.slice(0, MAX_LINE));
}

type ApprovalSettings = Pick<
  ReviewLoopSettings,
  "maxReviewCycles" | "minReviewCyclesBeforeApproval" | "reviewEvidenceMinMatch"
>;

/** Why an approval does not count, or undefined where it does. */
export function approvalObjection(
  review: string,
  options: {
    readonly cycle: number;
    readonly settings: ApprovalSettings;
    /** What of its words exists in the working directory. @default {nothing} */
    readonly names?: ExistingNames;
  },
): string | undefined {
  const { cycle, settings, names } = options;
  const minCycle = firstApprovalCycle(settings);
  const found = findEvidence(review, names);
  const objections: string[] = [];
  if (cycle < minCycle) objections.push(`cycle ${cycle} of at least ${minCycle}`);
  if (!hasReviewNotes(review)) objections.push("no REVIEW_NOTES");
  if (found.length < settings.reviewEvidenceMinMatch) {
    const missing = EVIDENCE_KINDS.filter((kind) => !found.includes(kind)).join(", ");
    objections.push(
      `${found.length} of at least ${settings.reviewEvidenceMinMatch} kinds of evidence (missing: ${missing})`,
    );
  }
  return objections.length === 0 ? undefined : `approval ignored: ${objections.join("; ")}`;
}

export function firstApprovalCycle(settings: ApprovalSettings): number {
  return Math.min(settings.minReviewCyclesBeforeApproval, settings.maxReviewCycles);
}

function notesAfterLabel(line: string): string | undefined {
  const bare = bareLine(line);
  return /^REVIEW_NOTES:/i.test(bare) ? bare.slice("REVIEW_NOTES:".length) : undefined;
}

function bareLine(line: string): string {
  return line.replaceAll("\\_", "_").replace(/[*`]/g, "").replace(/^[#\s+_-]+/, "").replace(
    /^(REVIEW_NOTES)[\s_]+:/i,
    "$1:",
  );
}

function isVerdictLine(line: string): boolean {
  return /^(?:REVIEW_)?RESULT\s?:/i.test(bareLine(line));
}

function firstWords(item: string): string {
  return item.split(/\s+/, 4).slice(1).join(" ");
}
