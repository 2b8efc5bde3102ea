import type { Shown } from "../../base/terms.ts";
import type { Request } from "../../policy/request.ts";
import type { DialogInfo } from "../../screen/dialog.ts";

/** A request whose text is longer is not put to a person, who could not judge it. */
export const MAX_ASKED_CHARS = 20_000;

/**
 * How a person is shown a request, on whatever way they are asked.
 *
 * @param redact what takes secrets out of all that is kept and sent
 */
export function shownOf(asked: Request | DialogInfo, redact: (text: string) => string): Shown {
  const { kind, subject } = asked;
  const isComplete = "subjectComplete" in asked ? asked.subjectComplete : true;
  // All that a yes to an empty plan permits is to end the plan mode: each call is asked about from then on.
  if (kind === "plan" && subject === "" && isComplete) return "whole";
  if (subject === undefined || subject === "" || !isComplete || subject.length > MAX_ASKED_CHARS) return "cut";
  return redact(subject) === subject ? "whole" : "masked";
}

/** Why a yes permits nothing where a person is not shown all that it would permit; undefined where they are. */
export function whyNoYes(shown: Shown): string | undefined {
  switch (shown) {
    case "whole":
      return undefined;
    case "masked":
      return `something in it looks like a secret and is masked where it is shown, ${ONLY_WHOLE}`;
    case "cut":
      return `not all of it can be shown, ${ONLY_WHOLE}`;
  }
}

const ONLY_WHOLE =
  "and a yes permits only what a person has seen whole: say no and what to do instead, answer in the " +
  "agent's pane where it has one, or name it in permissions.allow";
