import { type Role, ROLES } from "../../base/roles.ts";
import type { TestCommandResult } from "../test_command.ts";
import { afterAuthor, afterReview } from "./review_phase.ts";
import {
  firstCycle,
  type LoopContext,
  type LoopResponse,
  type LoopState,
  type Source,
  type Transition,
  type Turn,
} from "./state.ts";
import { afterTestCommand, afterTester } from "./test_phase.ts";

/** The beginning of a loop: round 1, at the role that the settings name. */
export function startLoop({ settings }: LoopContext): Transition {
  return {
    state: {
      round: 1,
      stage: { kind: "work", role: settings.startAgent, cycle: firstCycle(settings.startAgent) },
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

/** The prompt that is due in a state, or undefined where the loop waits for the test command or has ended. */
export function nextTurn({ round, stage }: LoopState): Turn | undefined {
  if (stage.kind !== "work" && stage.kind !== "verdict") return undefined;
  const { kind, role, cycle } = stage;
  const id = `r${round}-${role}${cycle === 0 ? "" : `-c${cycle}`}${kind === "verdict" ? "-verdict" : ""}`;
  return { id, role, round, cycle, kind };
}

/**
 * The roles that the present round may still come to, in the order of their work: an author stays until its reviewer
 * has approved.
 */
export function rolesAhead({ stage }: Pick<LoopState, "stage">): readonly Role[] {
  return stage.kind === "work" || stage.kind === "verdict" ? rolesFrom(stage.role) : [];
}

/** The roles that a loop may still come to, in this round or a later one: that begins with the programmer. */
export function rolesLeft(
  state: Pick<LoopState, "round" | "stage">,
  { maxRounds }: { readonly maxRounds: number },
): readonly Role[] {
  const ahead = rolesAhead(state);
  const later = state.stage.kind !== "finished" && state.round < maxRounds ? rolesFrom("programmer") : [];
  return ROLES.filter((role) => ahead.includes(role) || later.includes(role));
}

/** The roles that a new loop may come to. */
export function rolesUsed({ startAgent: role, maxRounds }: Pick<LoopContext["settings"], "startAgent" | "maxRounds">) {
  return rolesLeft({ round: 1, stage: { kind: "work", role, cycle: firstCycle(role) } }, { maxRounds });
}

function rolesFrom(role: Role): readonly Role[] {
  return ROLES.slice(ROLES.indexOf(PHASES[role]));
}

/** Whose work each role's phase begins with. */
const PHASES: Readonly<Record<Role, Role>> = {
  analyst: "analyst",
  analyst_review: "analyst",
  programmer: "programmer",
  programmer_review: "programmer",
  tester: "tester",
};

/**
 * The state after the response to the turn that was due.
 *
 * @throws {TypeError} when the state waits for no response
 */
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

/**
 * The state after the project's test command.
 *
 * @throws {TypeError} when the state does not wait for it
 */
export function applyTestCommandResult(state: LoopState, command: TestCommandResult, context: LoopContext): Transition {
  const { stage } = state;
  if (stage.kind !== "test_command") {
    throw new TypeError(`Cannot apply a test command's result: the loop is at ${stage.kind}`);
  }
  return afterTestCommand(state, { context, testerVerdict: stage.testerVerdict, note: stage.note, command });
}
