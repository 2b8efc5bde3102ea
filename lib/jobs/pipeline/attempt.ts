import { askedFields } from "../../journal/exec/question.ts";
import { shownOf } from "../../turn/desk/shown.ts";
import type { AgentFact } from "../../agents/agent.ts";
import { tokenCapOf, TokensUnknownError } from "../../run/caps.ts";
import { AgentAskedError, type AttemptRequest, type HeadlessResult } from "../../agents/process/seam.ts";
import { agentRequest, stepTextOf } from "./agent_request.ts";
import { hooksOf, nameInState } from "../../run/state_names.ts";
import { noProgressName } from "../../run/no_progress.ts";
import { watchCommands } from "../files/command_watch.ts";
import type { Drive } from "./context.ts";
import { lookAtFiles } from "./step_checks.ts";
import type { Action, StepPlace } from "./machine.ts";
import type { StepPlan } from "./plan.ts";
import { buildStepPrompt } from "./prompts/step_prompt.ts";
import { whyRefused } from "./refuse_write.ts";
import { makeFoldersBelow, makeOwnFolder, replaceFile } from "../../base/ports/own_files.ts";
import { workerOf } from "../../journal/exec/state.ts";
import { callFingerprint, createStepJudge } from "./step_judge.ts";
import { attemptFolder } from "./step_folders.ts";
import { present } from "../../base/schema.ts";

export async function runAttempt({ at, attempt }: Extract<Action, { do: "run_attempt" }>, drive: Drive): Promise<void> {
  const { task, step, plan } = at;
  const { earlier = [], settings, workdir } = drive.plan;
  const prompt = buildStepPrompt({
    at: { ...at, task: { ...task, outputs: [...earlier, ...task.outputs] } },
    ...{ attempt, settings, workdir, stepText: stepTextOf(plan) },
    interactions: drive.state().interactions,
    carriedFrom: drive.state().run?.carriedFrom ?? [],
    launcherFolder: drive.folder.binDir,
  });
  const place = { task: task.number, step: step.number, attempt: attempt.number };
  const relative = attemptFolder({ ...place, round: step.round, name: plan.name, target: drive.target });
  await makeOwnFolder(drive.folder.stepsDir);
  const folder = await makeFoldersBelow(drive.folder.stepsDir, relative);
  await replaceFile(`${folder}/prompt.md`, prompt);
  drive.record({
    type: "attempt_started",
    ...{ ...place, ...present({ login: at.login }) },
    reason: attempt.reason,
    native: attempt.resumeSessionId !== undefined,
    folder: `steps/${relative}`,
    promptBytes: new TextEncoder().encode(prompt).length,
    startedAt: drive.wallClock().toISOString(),
  });
  const progress = recordProgress({ at, attempt: attempt.number }, drive);
  const hooks = hooksOf(await nameInState(drive.folder, drive.state().run?.isCopy === true));
  const { allowWrite } = plan;
  const request: AttemptRequest = {
    ...(allowWrite === undefined ? {} : { refuseWrite: (call) => whyRefused(call, { workdir, allowWrite }) }),
    ...agentRequest(plan, {
      plan: drive.plan,
      prompt,
      folder,
      launcherFolder: drive.folder.binDir,
      ...present({ hooks }),
    }),
    judge: createStepJudge({ at, attempt: attempt.number }, drive),
    signal: drive.signal,
    clock: drive.clock,
    onForcedExit: drive.onForcedExit,
    onProgress: progress.take,
    onLeft: async (agent) =>
      void await drive.left.afterTurn(agent, {
        isOver: true,
        tell: (left) => drive.record({ type: "commands_left", ...place, left, passable: true }),
      }),
    onProgramGone: (text) => drive.record({ type: "warning", message: `step "${plan.name}": ${text}` }),
    ...present({ resumeSessionId: attempt.resumeSessionId }),
  };
  try {
    const before = isUnchecked(plan) ? await lookAtFiles(at, drive) : undefined;
    const result = await judgeDenials(await drive.runHeadless(request), { at, before }, drive);
    progress.end();
    drive.record({ type: "attempt_finished", ...place, ...endOf(result) });
    requireTokens(result, plan, drive);
  } catch (error) {
    progress.end();
    if (!(error instanceof AgentAskedError)) throw error;
    const { question: text, known } = error;
    const { sessionId, compacted, attemptLog, usage, cost, seconds, call, others = [] } = known;
    drive.record({
      type: "question_asked",
      ...place,
      ...askedFields([text, ...others], drive.state()),
      stepName: plan.name,
      attemptLog,
      usage,
      seconds,
      askedAt: drive.wallClock().toISOString(),
      ...(call === undefined || call.kind === "question"
        ? {}
        : { call: await callFingerprint(call), shown: shownOf(call, drive.redactor.text) }),
      ...present({ compacted, cost, sessionId }),
    });
  } finally {
    await drive.lookAtObeyed(`attempt ${attempt.number} of step "${plan.name}"`);
  }
}

/** Makes facts of what an attempt's agent does. */
function recordProgress({ at, attempt }: { readonly at: StepPlace; readonly attempt: number }, drive: Drive) {
  const place = { task: at.task.number, step: at.step.number, attempt };
  let isOver = false;
  const noteCommand = watchCommands({
    limit: drive.limitOf(noProgressName("maxSameCommand")),
    look: () => lookAtFiles(at, drive),
    onRepeated({ command, times }) {
      if (isOver) return;
      drive.record({ type: "command_repeated", command: drive.redactor.text(command), times, passable: true });
    },
  });
  const take = (fact: AgentFact) => {
    noteCommand(fact);
    if (fact.type === "usage") {
      const { usage, cost } = fact;
      drive.record({ type: "tokens_counted", usage, ...present({ cost }), passable: true });
    }
    if (fact.type === "permitted") return drive.record({ type: "agent_permitted", mode: fact.mode, passable: true });
    if (fact.type !== "session") return drive.onActivity({ type: "agent_activity", ...place, fact });
    if (fact.sessionId !== drive.state().current?.step.sessionId) {
      drive.record({ type: "session_found", sessionId: fact.sessionId });
    }
  };
  return { take, end: () => void (isOver = true) };
}

/**
 * Warns of what an agent was not permitted. Where it changed no file then, or that cannot be told, and nothing is
 * checked, it has done nothing that anybody could know of: the attempt has failed.
 */
async function judgeDenials(
  result: HeadlessResult,
  { at, before }: { readonly at: StepPlace; readonly before: string | undefined },
  drive: Drive,
): Promise<HeadlessResult> {
  const { denied = [], ...rest } = result;
  if (denied.length === 0) return rest;
  const calls = denied.slice(0, MAX_NAMED_CALLS).join("; ");
  const told = `its CLI did not permit ${denied.length === 1 ? calls : `${denied.length} calls: ${calls}`}`;
  drive.record({
    type: "warning",
    message: `step "${at.plan.name}": ${told}; permissions and the step's args say what it may do`,
  });
  if (rest.outcome === "failed" || !isUnchecked(at.plan)) return rest;
  const after = before && await lookAtFiles(at, drive);
  if (after !== undefined && after !== before) return rest;
  const changed = after === undefined ? "cannot tell whether it changed a file" : "it changed no file";
  const error = `${told}, ${changed}, and the step has no check`;
  return { ...rest, outcome: "failed", failure: "other", error };
}

const MAX_NAMED_CALLS = 3;

function isUnchecked({ checks }: StepPlan): boolean {
  return checks.every(({ type }) => type === "none");
}

function requireTokens({ outcome, usage }: HeadlessResult, { name, caps }: StepPlan, { plan, state }: Drive): void {
  const cap = tokenCapOf(workerOf(state()), { caps: plan.caps, ofWorker: caps });
  if (cap === undefined || outcome === "failed" || Object.keys(usage).length > 0) return;
  throw new TokensUnknownError(cap, `the agent of step "${name}" reported none`);
}

function endOf(result: HeadlessResult) {
  const { usageLimit, ...rest } = result;
  if (usageLimit === undefined) return rest;
  const { message, resetsAt } = usageLimit;
  return { ...rest, usageLimit: { message, ...(resetsAt === undefined ? {} : { resetsAt: resetsAt.toISOString() }) } };
}
