import { permissionText } from "../../journal/exec/task.ts";
import type { StepPreview, TaskPreview } from "../../jobs/pipeline/preview.ts";
import { shellJoin } from "../../shell/quote.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { titleOf } from "../../journal/exec/place.ts";
import { duration, plural } from "../../journal/words/words.ts";

/** Lines of a prompt that are shown without `--verbose`. */
const PROMPT_LINES = 12;

/** What a run would do with a task, as lines for a person. */
export function previewText(
  { file, text, pipeline, passedBy, steps }: TaskPreview,
  { number, of, verbose }: { readonly number: number; readonly of: number; readonly verbose: boolean },
): readonly string[] {
  const head = `task ${number} of ${of}: ${
    sanitizeLine(text === undefined ? file : titleOf(text))
  }, pipeline ${pipeline}`;
  if (passedBy !== undefined) {
    return [`${head}: left out, since run ${passedBy} passed it, and nothing of it has changed; --force does it again`];
  }
  return [head, ...steps.flatMap((step, index) => stepText(step, { number: index + 1, verbose }))];
}

function stepText(
  step: StepPreview,
  { number, verbose }: { readonly number: number; readonly verbose: boolean },
): readonly string[] {
  const { name, provider, model, autonomyLevel, argv, prompt, allowWrite, checks, needs, next, onlyIf, retry } = step;
  const lines = sanitizeText(prompt).split("\n");
  const shown = verbose ? lines : lines.slice(0, PROMPT_LINES);
  const left = lines.length - shown.length;
  return [
    `  step ${number} "${sanitizeLine(name)}": ${provider}${model === undefined ? "" : ` ${sanitizeLine(model)}`}, ` +
    `autonomy level ${autonomyLevel}`,
    `    argv         ${sanitizeLine(shellJoin(argv))}`,
    `    may do       ${permissionText(step)}`,
    `    may change   ${allowWrite === undefined ? "any file" : sanitizeLine(allowWrite.join(", "))}`,
    ...checks.map((check, index) => `    ${index === 0 ? "checks" : "      "}       ${sanitizeLine(check)}`),
    ...(needs === undefined ? [] : [`    needs        ${sanitizeLine(needs.join(", "))}`]),
    ...(onlyIf === undefined ? [] : [`    only if      ${onlyIfText(onlyIf)}`]),
    ...(next === undefined ? [] : [`    next         ${nextText(next)}`]),
    `    limits       ${duration(step.timeLimitSeconds)} an attempt, ${plural(retry + 1, "attempt")}`,
    "    prompt",
    ...shown.map((line) => `      | ${line}`.trimEnd()),
    ...(left === 0 ? [] : [`      … ${plural(left, "line")} more: --verbose shows them`]),
  ];
}

function onlyIfText({ changedLines, failedAttempts }: NonNullable<StepPreview["onlyIf"]>): string {
  const cases = [
    ...(failedAttempts === undefined ? [] : [`${plural(failedAttempts, "attempt")} failed`]),
    ...(changedLines === undefined ? [] : [`${plural(changedLines, "line")} changed`]),
  ];
  return `${cases.join(", or ")} before it`;
}

function nextText({ pass, fail, maxRepeats }: NonNullable<StepPreview["next"]>): string {
  const ways = [
    ...(pass === undefined ? [] : [`${sanitizeLine(pass)} where it passes`]),
    ...(fail === undefined ? [] : [`${sanitizeLine(fail)} where a check says no`]),
  ];
  return `${ways.join(", ")}; a step is repeated at most ${maxRepeats === 1 ? "once" : `${maxRepeats} times`}`;
}
