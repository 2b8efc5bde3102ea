import type { Role } from "../../base/roles.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { approvalObjection } from "./evidence.ts";
import type { ExistingNames } from "../../base/text/paths_in.ts";
import type { AuthorRole, LoopContext, LoopState, ReviewerRole, Transition } from "./state.ts";
import { firstWork, roleAfter } from "./steps.ts";
import { parseReviewVerdict, type ReviewVerdict } from "../verdicts.ts";
import { present } from "../../base/schema.ts";

interface ReviewResponse {
  readonly context: LoopContext;
  readonly role: ReviewerRole;
  readonly cycle: number;
  readonly asked: boolean;
  readonly response: string;
}

export function afterAuthor(
  state: LoopState,
  work: { readonly role: AuthorRole; readonly cycle: number; readonly response: string },
): Transition {
  return {
    state: {
      ...state,
      outputs: { ...state.outputs, [work.role]: work.response },
      stage: { kind: "work", role: roleAfter(work.role, "pass"), cycle: work.cycle },
    },
    events: [],
  };
}

/** After a review: on to the next phase, back to the author, or the question for a missing verdict. */
export function afterReview(state: LoopState, review: ReviewResponse): Transition {
  const { role, cycle, asked, response } = review;
  const text = asked ? `${state.outputs[role] ?? ""}\n\n${response}` : response;
  const reviewed: LoopState = { ...state, outputs: { ...state.outputs, [role]: text } };
  const verdict = parseReviewVerdict(response);
  if (verdict === undefined && !asked) {
    return {
      state: { ...reviewed, stage: { kind: "verdict", role, cycle } },
      events: [missingVerdictWarning(role)],
    };
  }
  return decide(reviewed, {
    ...review,
    text,
    ...judged(verdict, { ...review, text, names: state.sources[role]?.names }),
  });
}

export function missingVerdictWarning(role: Role): ReviewFact {
  return {
    type: "warning",
    role,
    message: `The response of ${role} states no unambiguous verdict: asking for it once`,
  };
}

interface ReviewedText {
  readonly text: string;
  readonly names: ExistingNames | undefined;
}

interface Judged {
  readonly verdict: ReviewVerdict;
  readonly note: string | undefined;
}

function judged(verdict: ReviewVerdict | undefined, review: ReviewResponse & ReviewedText): Judged {
  if (verdict === undefined) {
    return { verdict: "REVISE", note: "no unambiguous verdict, even when asked: taken as REVISE" };
  }
  if (verdict === "REVISE") return { verdict, note: undefined };
  const { cycle, context: { settings }, names } = review;
  const note = approvalObjection(review.text, { cycle, settings, ...present({ names }) });
  return { verdict: note === undefined ? "APPROVED" : "REVISE", note };
}

function decide(state: LoopState, review: ReviewResponse & Judged & { readonly text: string }): Transition {
  const { context, role, cycle, verdict, note, text } = review;
  const { maxReviewCycles, atReviewLimit } = context.settings;
  const { round } = state;
  const author = role === "analyst_review" ? "analyst" : "programmer";
  const { [author]: _decided, ...otherFeedback } = state.feedback;
  const decided: ReviewFact = {
    type: "review_decided",
    role,
    round,
    cycle,
    verdict,
    ...present({ note }),
  };
  if (verdict === "APPROVED") {
    return {
      state: { ...state, feedback: otherFeedback, stage: firstWork(roleAfter(role, "pass")) },
      events: [decided],
    };
  }
  const revised: LoopState = {
    ...state,
    feedback: { ...otherFeedback, [author]: { text, note, files: state.sources[role]?.files ?? [] } },
  };
  if (cycle < maxReviewCycles) {
    return {
      state: { ...revised, stage: { kind: "work", role: roleAfter(role, "fail"), cycle: cycle + 1 } },
      events: [decided],
    };
  }
  const limit: ReviewFact = { type: "review_limit_reached", role, round, then: atReviewLimit };
  if (atReviewLimit === "proceed") {
    return { state: { ...revised, stage: firstWork(roleAfter(role, "pass")) }, events: [decided, limit] };
  }
  const reason = `${role} did not approve in ${maxReviewCycles} review ${maxReviewCycles === 1 ? "cycle" : "cycles"}`;
  return {
    state: { ...revised, stage: { kind: "finished", outcome: "fail", reason } },
    events: [decided, limit, { type: "round_finished", round, verdict: "FAIL", note: reason }],
  };
}
