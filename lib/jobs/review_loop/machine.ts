import type { Role } from "../../base/roles.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { TestCommandResult } from "../test_command.ts";
import { parseReviewVerdict, parseTestVerdict } from "../verdicts.ts";
import { afterReview, afterTest, handOn } from "./gates.ts";
import type { LoopShape } from "./shapes.ts";
import type { LoopContext, LoopResponse, LoopState, Source, Transition, Turn } from "./state.ts";
import { firstRole, firstWork, givenBy, mendsOf, roleAfter, rolesFrom } from "./loops.ts";

type LoopAction =
  | { readonly do: "run_attempt"; readonly at: Turn }
  | { readonly do: "check"; readonly round: number }
  | { readonly do: "finish_run"; readonly outcome: "pass" | "fail"; readonly reason: string };

export function startLoop({ settings }: LoopContext): Transition {
  return {
    state: {
      round: 1,
      stage: firstWork(firstRole(settings), settings),
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
export function rolesAhead(
  { stage }: Pick<LoopState, "stage">,
  loop: LoopShape,
): readonly Role[] {
  const isAtRole = stage.kind === "work" || stage.kind === "verdict";
  return isAtRole ? rolesFrom(stage.role, { isLastRound: true, loop }) : [];
}

export function rolesLeft(
  { round, stage }: Pick<LoopState, "round" | "stage">,
  loop: LoopShape & Pick<LoopContext["settings"], "maxRounds">,
): readonly Role[] {
  if (stage.kind === "finished") return [];
  const isLastRound = round >= loop.maxRounds;
  if (stage.kind === "test_command") return isLastRound ? [] : rolesFrom(mendsOf(loop), { isLastRound, loop });
  return rolesFrom(stage.role, { isLastRound, loop });
}

export function rolesUsed(settings: LoopShape & Pick<LoopContext["settings"], "startAgent" | "maxRounds">) {
  return rolesLeft({ round: 1, stage: firstWork(firstRole(settings), settings) }, settings);
}

/** After a response: on to what is next in the round, or the question for a verdict that is missing. */
export function applyResponse(before: LoopState, given: LoopResponse, context: LoopContext): Transition {
  const { stage } = before;
  if (stage.kind !== "work" && stage.kind !== "verdict") {
    throw new TypeError(`Cannot apply a response: the loop is at ${stage.kind}`);
  }
  const { role, cycle } = stage;
  const asked = stage.kind === "verdict";
  const text = asked ? `${before.outputs[role] ?? ""}\n\n${given.text}` : given.text;
  const state: LoopState = {
    ...before,
    outputs: { ...before.outputs, [role]: text },
    prompted: before.prompted.includes(role) ? before.prompted : [...before.prompted, role],
    sources: { ...before.sources, [role]: joinSources(asked ? before.sources[role] : undefined, given) },
  };
  const { settings } = context;
  switch (givenBy(role, settings)) {
    case "work": {
      const next = roleAfter(role, "pass", settings);
      return { state: { ...state, stage: handOn(next, { cycle, loop: settings }) }, events: [] };
    }
    case "review": {
      const verdict = parseReviewVerdict(given.text);
      if (verdict === undefined && !asked) return askForVerdict(state, { role, cycle });
      return afterReview(state, { context, role, cycle, verdict });
    }
    case "test": {
      const verdict = parseTestVerdict(given.text);
      if (verdict === undefined && !asked) return askForVerdict(state, { role, cycle });
      const note = verdict === undefined
        ? `no unambiguous verdict of the ${role}, even when asked: taken as FAIL`
        : undefined;
      const testerVerdict = verdict ?? "FAIL";
      // The command also runs after a FAIL: its output is evidence that does not depend on what the tester wrote down.
      return settings.projectTestCmd === undefined
        ? afterTest(state, { context, testerVerdict, note, command: undefined })
        : { state: { ...state, stage: { kind: "test_command", testerVerdict, note } }, events: [] };
    }
  }
}

function askForVerdict(
  state: LoopState,
  stage: Pick<Extract<LoopState["stage"], { kind: "verdict" }>, "role" | "cycle">,
): Transition {
  const { role } = stage;
  const warning: ReviewFact = {
    type: "warning",
    role,
    message: `The response of ${role} states no unambiguous verdict: asking for it once`,
  };
  return { state: { ...state, stage: { kind: "verdict", ...stage } }, events: [warning] };
}

function joinSources(before: Source | undefined, { file, names }: LoopResponse): Source {
  return {
    files: [...before?.files ?? [], ...(file === undefined ? [] : [file])],
    names: {
      files: [...before?.names.files ?? [], ...names?.files ?? []],
      folders: [...before?.names.folders ?? [], ...names?.folders ?? []],
    },
  };
}

/** After the project's test command: the round's end. */
export function applyTestCommandResult(state: LoopState, command: TestCommandResult, context: LoopContext): Transition {
  const { stage } = state;
  if (stage.kind !== "test_command") {
    throw new TypeError(`Cannot apply a test command's result: the loop is at ${stage.kind}`);
  }
  const { testerVerdict, note } = stage;
  return afterTest(state, { context, testerVerdict, note, command });
}
