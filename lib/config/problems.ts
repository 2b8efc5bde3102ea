import type { Problem } from "./layers.ts";

const MAX_TOLD = 100;

/**
 * The problems as a person is told them: file by file, by their places in it, then those that stand elsewhere. Of a value, the
 * form comes first: where that is wrong, nothing else is told of it. A key that is missing because it was mistyped is not
 * a second problem, and what a place may have is listed once.
 */
export function tellOnce(problems: readonly Problem[]): readonly Problem[] {
  const mistyped = new Set(problems.map(({ meant }) => meant).filter((meant) => meant !== undefined));
  const malformed = new Set(problems.filter(({ isOfForm }) => isOfForm).map(placeOf));
  const told = problems.filter((problem) =>
    !problem.missing?.some((each) => mistyped.has(each)) && (problem.isOfForm || !malformed.has(placeOf(problem)))
  ).toSorted(byPlace([...new Set(problems.map(fileOf))]));
  const listed = new Set<string>();
  const shown = told.slice(0, MAX_TOLD).map((problem) => {
    const list = problem.allowed?.join(", ");
    if (list === undefined || listed.has(list)) return problem;
    listed.add(list);
    const { message } = problem;
    return { ...problem, message: `${message}${message.endsWith("?") ? "" : "."} Allowed here: ${list}` };
  });
  const left = told.length - shown.length;
  return left === 0 ? shown : [...shown, { where: "", message: `and ${left} more` }];
}

function placeOf({ where, key }: Problem): string {
  return `${where} ${key}`;
}

/** The file of a problem; the text of its place where it is in none. */
function fileOf({ where }: Problem): string {
  return where.replace(/:\d+:\d+$/, "");
}

function byPlace(files: readonly string[]): (left: Problem, right: Problem) => number {
  return (left, right) => {
    if (left.position === undefined || right.position === undefined) {
      return Number(left.position === undefined) - Number(right.position === undefined);
    }
    return files.indexOf(fileOf(left)) - files.indexOf(fileOf(right)) ||
      left.position.line - right.position.line || left.position.column - right.position.column;
  };
}
