import { HumanInterventionRequiredError, type PanewrightError, RuntimeError } from "../errors.ts";
import { abortable } from "../ports/abortable.ts";
import type { AgentFailure, FailureClass } from "../providers/failure.ts";
import { type Turn, turnMessage } from "./turn.ts";

/** What each class of failures means, for a person. */
const MEANINGS: Readonly<Record<FailureClass, string>> = {
  usage_limit: "the usage limit of its account is reached",
  rate_limit: "the model server refuses so many requests",
  overloaded: "the model server is overloaded or has failed",
  auth: "it is not logged in, or the model server refuses its login or key",
  context: "its conversation is too long for the model",
  model: "the model server does not know its model, or the account may not use it",
  network: "the model server cannot be reached",
  other: "the agent reports an error",
};

/**
 * What a turn fails with whose terminal has the status `error`: how its program ended, or what its CLI says.
 *
 * @returns a {@linkcode HumanInterventionRequiredError} where only a person can log the agent in
 */
export async function agentError(turn: Turn): Promise<PanewrightError> {
  const { call, options, signal, terminal } = turn;
  const end = await terminal.describeEnd(call).catch(() => undefined);
  if (end !== undefined) return new RuntimeError(turnMessage(turn, `its program has ended (${end})`));
  const failure = await abortable(async () => await terminal.failure?.(call), signal).catch(() => undefined);
  signal?.throwIfAborted();
  if (failure === undefined) return new RuntimeError(turnMessage(turn, "the agent is in an error state"));
  options.onFailure?.(failure);
  return failureError(turn, failure);
}

/** The error of a turn that failed: it names the class, quotes the CLI, and says where its words stand. */
export function failureError(turn: Turn, failure: AgentFailure): PanewrightError {
  const { class: failureClass, evidence, remedy, resetsAt, text } = failure;
  const reset = resetsAt === undefined ? "" : `, until ${resetsAt.toISOString()}`;
  const problem = `${MEANINGS[failureClass]}${reset}: "${text}" (${failureClass}; ${evidence})`;
  const hint = remedy === undefined ? {} : { hint: `${remedy} Then resume the run.` };
  return failureClass === "auth"
    ? new HumanInterventionRequiredError(turnMessage(turn, problem), hint)
    : new RuntimeError(turnMessage(turn, problem), hint);
}
