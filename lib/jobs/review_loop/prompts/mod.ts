import { type BuiltInRole, isBuiltIn } from "../../../base/roles.ts";
import { present } from "../../../base/schema.ts";
import { contextOf } from "../fold.ts";
import type { RunState, Turn } from "../state.ts";
import { analystPrompt } from "./analyst.ts";
import { analystReviewPrompt } from "./analyst_review.ts";
import { ownRolePrompt } from "./own_role.ts";
import { programmerPrompt } from "./programmer.ts";
import { programmerReviewPrompt } from "./programmer_review.ts";
import type { PromptInput } from "./shared.ts";
import { testerIn } from "../shapes.ts";
import { acceptancePrompt } from "./acceptance.ts";
import { testerPrompt } from "./tester.ts";
import { verdictFollowUpPrompt } from "./verdict_follow_up.ts";

export type { PromptInput } from "./shared.ts";

const PROMPTS: Readonly<Record<BuiltInRole, (input: PromptInput) => string>> = {
  analyst: analystPrompt,
  analyst_review: analystReviewPrompt,
  programmer: programmerPrompt,
  programmer_review: programmerReviewPrompt,
  tester: testerPrompt,
};

export function buildPrompt(input: PromptInput): string {
  const { context: { settings }, turn: { kind, role } } = input;
  if (kind === "verdict") return verdictFollowUpPrompt(input);
  if (!isBuiltIn(role)) return ownRolePrompt(input);
  return role === "tester" && testerIn(settings) !== role ? acceptancePrompt(input) : PROMPTS[role](input);
}

/** The prompt of a turn, by what was recorded until now. */
export function promptOf(state: RunState, turn: Turn): string {
  const { base, judged, loop } = state;
  return buildPrompt({ context: contextOf(state), state: loop, turn, ...present({ base, judged }) });
}
