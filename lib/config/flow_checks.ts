import { END } from "../journal/exec/fields.ts";
import { circleIn, type FlowStep, isAlwaysBefore, isGraph, type Next, reachableSteps } from "../jobs/flow.ts";
import { findReferences, type Reference, REFERENCE_FIELDS } from "../jobs/pipeline/prompts/references.ts";
import { didYouMean } from "../base/text/suggest.ts";
import { type CheckContext, report } from "./checks.ts";
import { isKeyed, type KeyPath, valueAt } from "./source.ts";

/**
 * The steps of a pipeline as far as they decide where it continues; a step whose name is no text has an empty one.
 *
 * @param steps as the configuration has them
 */
export function flowOf(steps: readonly unknown[]): readonly FlowStep[] {
  return steps.map((step) => {
    const name = valueAt(step, ["name"]);
    const [next, needs, onlyIf] = ["next", "needs", "only_if"].map((key) => valueAt(step, [key]));
    return {
      name: typeof name === "string" ? name : "",
      ...(isKeyed(next) ? { next: nextOf(next) } : {}),
      ...(Array.isArray(needs) ? { needs: needs.map(String) } : {}),
      ...(isKeyed(onlyIf) ? { onlyIf: {} } : {}),
    };
  });
}

function nextOf({ pass, fail }: Readonly<Record<string, unknown>>): Next {
  return { ...(typeof pass === "string" ? { pass } : {}), ...(typeof fail === "string" ? { fail } : {}) };
}

/** Checks where the steps of a pipeline lead: that they name steps, and that all steps, and the end, can be reached. */
export function checkFlow(
  context: CheckContext,
  path: KeyPath,
  { steps, flow }: { readonly steps: readonly unknown[]; readonly flow: readonly FlowStep[] },
): void {
  const before = context.problems.length;
  const names = flow.map(({ name }) => name).filter((name) => name !== "");
  for (const [index, { needs = [], next, onlyIf }] of flow.entries()) {
    const conditions = valueAt(steps[index], ["only_if"]);
    const onlyIfProblem = onlyIf === undefined
      ? undefined
      : isKeyed(conditions) && Object.keys(conditions).length === 0
      ? "names no condition: it needs failed_attempts, changed_lines or both"
      : isGraph(flow)
      ? "cannot be used where a step has needs: these alone say what is done"
      : index === 0
      ? "has no effect: no step comes before this one"
      : undefined;
    if (onlyIfProblem !== undefined) report(context, [...path, index, "only_if"], `% ${onlyIfProblem}`);
    const given = valueAt(steps[index], ["next"]);
    if (isKeyed(given) && Object.keys(given).length === 0) {
      report(context, [...path, index, "next"], "% names no step: it needs pass, fail or both");
    }
    for (const [outcome, name] of Object.entries(next ?? {})) {
      const problem = targetProblem(outcome, name, names);
      if (problem !== undefined) report(context, [...path, index, "next", outcome], `% ${problem}`);
    }
    if (next !== undefined && isGraph(flow)) {
      report(
        context,
        [...path, index, "next"],
        "% cannot be used where a step has needs: these alone say what follows",
      );
    }
    for (const [at, name] of needs.entries()) {
      const problem = name === flow[index]?.name
        ? "is the step itself"
        : names.includes(name)
        ? undefined
        : `is "${name}", but the pipeline has no such step${didYouMean(name, names)}`;
      if (problem !== undefined) report(context, [...path, index, "needs", at], `% ${problem}`);
    }
    if (next?.fail !== undefined && !canSayNo(valueAt(steps[index], ["check"]))) {
      report(context, [...path, index, "next", "fail"], "% has no effect: the step has no check that can say no");
    }
  }
  const circle = circleIn(new Map(flow.map(({ name, needs = [] }) => [name, needs])));
  if (context.problems.length === before && circle !== undefined) {
    const index = flow.findIndex(({ name }) => name === circle[0]);
    report(context, [...path, index, "needs"], `% leads back to the step: ${circle.join(" -> ")}`);
  }
  if (context.problems.length > before || flow.every(({ next }) => next === undefined)) return;
  const reachable = reachableSteps(flow);
  for (const [index, { name }] of flow.entries()) {
    if (!reachable.has(index + 1)) {
      report(context, [...path, index], `% is never begun: no step leads to "${name}"`);
    } else if (!reachableSteps(flow, { from: index + 1 }).has(flow.length + 1)) {
      report(context, [...path, index], `% leads to no end: after "${name}", steps only lead to each other`);
      return;
    }
  }
}

function targetProblem(outcome: string, name: string, names: readonly string[]): string | undefined {
  const isStep = names.includes(name);
  if (name === END && outcome === "fail" && !isStep) {
    return `cannot be "${END}": without it, the task fails and ends`;
  }
  if (name === END && isStep) return `is "${END}", which would be the step of that name and the end of the task`;
  if (isStep || name === END) return undefined;
  return `is "${name}", but the pipeline has no such step${didYouMean(name, [...names, END])}`;
}

function canSayNo(check: unknown): boolean {
  return [check].flat().some((one) => valueAt(one, ["type"]) !== "none");
}

/** Checks what a step's prompt refers to: {@linkcode findReferences}. */
export function checkReferences(
  context: CheckContext,
  path: KeyPath,
  { text, file, flow, number }: {
    readonly text: string;
    readonly file: string;
    readonly flow: readonly FlowStep[];
    /** Of the step, from 1. */
    readonly number: number;
  },
): void {
  for (const reference of findReferences(text)) {
    const problem = referenceProblem(reference, { flow, number });
    if (problem !== undefined) {
      report(context, path, `% names ${file}, whose line ${reference.line} has ${reference.text}: ${problem}`);
    }
  }
}

function referenceProblem(
  { root, step, field }: Reference,
  { flow, number }: { readonly flow: readonly FlowStep[]; readonly number: number },
): string | undefined {
  if (root !== "steps") return `it must begin with "steps"`;
  const fields: readonly string[] = REFERENCE_FIELDS;
  if (!fields.includes(field)) {
    return field === ""
      ? `it must end with .${fields.join(" or .")}`
      : `a step has no "${field}", but ${fields.join(" or ")}${didYouMean(field, fields)}`;
  }
  const names = flow.map(({ name }) => name);
  const earlier = names.indexOf(step) + 1;
  if (earlier === 0) return `the pipeline has no step "${step}"${didYouMean(step, names)}`;
  if (earlier === number) return "a step cannot refer to itself";
  return isAlwaysBefore(flow, { earlier, later: number })
    ? undefined
    : `step "${step}" is not always done before "${names[number - 1]}" begins`;
}
