import type { Role } from "../../base/roles.ts";
import type { FinishRun } from "../follow_actions.ts";
import type { TestCommandResult } from "../test_command.ts";
import { afterAuthor, afterReview } from "./review_phase.ts";
import type { LoopContext, LoopResponse, LoopState, Source, Transition, Turn } from "./state.ts";
import { firstWork, roleAfter, rolesFrom } from "./steps.ts";
import { afterTestCommand, afterTester } from "./test_phase.ts";

export type LoopAction =
  | { readonly do: "run_attempt"; readonly at: Turn }
  | { readonly do: "check"; readonly round: number }
  | FinishRun;

export function startLoop({ settings }: LoopContext): Transition {
  return {
    state: {
      round: 1,
      stage: firstWork(settings.startAgent),
      outputs: {},
      sources: {},
      feedback: {},
      prompted: [],
      testEvidence: undefined,
      earlierChanges: [],
    },
    events: [{ type: "round_started", round: 1, maxRounds: settings.maxRounds }],
  };
}

export function nextAction({ round, stage }: Pick<LoopState, "round" | "stage">): LoopAction {
  switch (stage.kind) {
    case "work":
    case "verdict": {
      const { kind, role, cycle } = stage;
      const id = `r${round}-${role}${cycle === 0 ? "" : `-c${cycle}`}${kind === "verdict" ? "-verdict" : ""}`;
      return { do: "run_attempt", at: { id, role, round, cycle, kind } };
    }
    case "test_command":
      return { do: "check", round };
    case "finished":
      return { do: "finish_run", outcome: stage.outcome, reason: stage.reason };
  }
}

/**
 * The roles that the present round may still come to, in the order of their work: an author stays until its reviewer
 * has approved.
 */
export function rolesAhead({ stage }: Pick<LoopState, "stage">): readonly Role[] {
  return stage.kind === "work" || stage.kind === "verdict" ? rolesFrom(stage.role, { isLastRound: true }) : [];
}

export function rolesLeft(
  { round, stage }: Pick<LoopState, "round" | "stage">,
  { maxRounds }: { readonly maxRounds: number },
): readonly Role[] {
  if (stage.kind === "finished") return [];
  const isLastRound = round >= maxRounds;
  if (stage.kind === "test_command") return isLastRound ? [] : rolesFrom(roleAfter("tester", "fail"), { isLastRound });
  return rolesFrom(stage.role, { isLastRound });
}

export function rolesUsed({ startAgent, maxRounds }: Pick<LoopContext["settings"], "startAgent" | "maxRounds">) {
  return rolesLeft({ round: 1, stage: firstWork(startAgent) }, { maxRounds });
}

export function applyResponse(state: LoopState, given: string | LoopResponse, context: LoopContext): Transition {
  const { stage } = state;
  if (stage.kind !== "work" && stage.kind !== "verdict") {
    throw new TypeError(`Cannot apply a response: the loop is at ${stage.kind}`);
  }
  const { role, cycle } = stage;
  const asked = stage.kind === "verdict";
  const { text: response, ...source } = typeof given === "string" ? { text: given } : given;
  const answered: LoopState = {
    ...state,
    prompted: state.prompted.includes(role) ? state.prompted : [...state.prompted, role],
    sources: { ...state.sources, [role]: joinSources(asked ? state.sources[role] : undefined, source) },
  };
  switch (role) {
    case "analyst":
    case "programmer":
      return afterAuthor(answered, { role, cycle, response });
    case "analyst_review":
    case "programmer_review":
      return afterReview(answered, { context, role, cycle, asked, response });
    case "tester":
      return afterTester(answered, { context, asked, response });
  }
}

function joinSources(before: Source | undefined, { file, names }: Omit<LoopResponse, "text">): Source {
  return {
    files: [...before?.files ?? [], ...(file === undefined ? [] : [file])],
    names: {
      files: [...before?.names.files ?? [], ...names?.files ?? []],
      folders: [...before?.names.folders ?? [], ...names?.folders ?? []],
    },
  };
}

export function applyTestCommandResult(state: LoopState, command: TestCommandResult, context: LoopContext): Transition {
  const { stage } = state;
  if (stage.kind !== "test_command") {
    throw new TypeError(`Cannot apply a test command's result: the loop is at ${stage.kind}`);
  }
  return afterTestCommand(state, { context, testerVerdict: stage.testerVerdict, note: stage.note, command });
}
