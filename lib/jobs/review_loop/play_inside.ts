import type { Role } from "../../base/roles.ts";
import { GroundLostError, playOnGround } from "../ground.ts";
import { insteadWords, lookingAtGit, openWholeSandbox } from "../whole_sandbox.ts";
import { present } from "../../base/schema.ts";
import { agentsOf, workerNameOf } from "../fallback.ts";
import { hostGateOf } from "../host_question.ts";
import { nextQuestionId } from "../../journal/loop/state.ts";
import type { AgentPlan, PlannedAgent } from "./plan.ts";
import type { RunResult } from "../../run/execution.ts";
import { openBaseTrial } from "../evidence/base_trial.ts";
import { createJudge, withEvidence } from "../evidence/gather.ts";
import { requireHidden } from "../evidence/hidden.ts";
import { endLeft } from "./left_by_roles.ts";
import { withNotes } from "../evidence/noted.ts";
import { setUpWorkspace } from "../set_up.ts";
import { playRun } from "./play_run.ts";
import type { RunParts } from "./run_parts.ts";

/** A run with the sandbox open that its plan wants around whole agents; as it is where it wants none. */
async function openRolesSandbox(parts: RunParts) {
  const { clock, folder, plan, record, signal } = parts;
  const { agents, sandbox, workdir } = plan;
  if (sandbox?.whole === undefined) return { parts, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { whole, writable } = sandbox;
  const gone = new AbortController();
  const workers = Object.entries(agents).flatMap(([role, own]) =>
    agentsOf(own).map((agent, index) => [workerNameOf(role, index), agent] as const)
  );
  const gate = hostGateOf({
    ...{ ...parts, answersFrom: plan.permissions.answersFrom },
    nextQuestionId: () => nextQuestionId(parts.state()),
  });
  const open = await openWholeSandbox(new Map(workers), {
    ...{ clock, folder, signal, workdir, writable, whole, name: folder.id },
    onGone: (error) => gone.abort(new GroundLostError("the process that holds the sandbox is gone", error)),
    ...present({ mayReach: gate.mayReach }),
    onRefusal: (refusal) => record({ type: "sandbox_refused", ...refusal, passable: true }),
  });
  if ("notOpened" in open) {
    record({ type: "warning", message: insteadWords(open) });
    return {
      parts: { ...parts, plan: { ...plan, sandbox: { writable } } },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const inside = (role: Role, own: AgentPlan): AgentPlan => {
    const put = <Agent extends PlannedAgent>(agent: Agent, index: number): Agent => {
      const worker = workerNameOf(role, index);
      return { ...agent, env: { ...agent.env, ...open.env(worker) }, sandbox: open.request(worker) };
    };
    return { ...put(own, 0), ...present({ fallbacks: own.fallbacks?.map((agent, index) => put(agent, index + 1)) }) };
  };
  return {
    parts: {
      ...parts,
      signal: AbortSignal.any([signal, gone.signal]),
      lookAtObeyed: lookingAtGit(open, parts.lookAtObeyed),
      plan: {
        ...plan,
        sandboxOfCommands: open.commands,
        agents: Object.fromEntries(Object.entries(agents).map(([role, own]) => [role, inside(role, own)])),
      },
    },
    async [Symbol.asyncDispose]() {
      gate[Symbol.dispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

/**
 * Plays a run, its agents and the project's commands in the sandbox around them where the plan wants one. That has ended
 * before anything else looks at the files: what it shows in the working directory is gone then. Where only what the
 * agents were in is lost, the sandbox or their tmux server, it is opened anew.
 */
export async function playInside(parts: RunParts): Promise<RunResult> {
  const { plan: { maxAgentRestarts: maxRestarts }, record, signal, state } = parts;
  const play = async () => {
    // What holds the sandbox has the mark by which that is found.
    await endLeft(parts);
    await using inside = await openRolesSandbox(parts);
    await setUpWorkspace({ run: inside.parts, plan: parts.plan, around: inside.parts.plan.sandboxOfCommands });
    return await playRun({
      ...inside.parts,
      judge: judgeBeside,
      record(fact, text) {
        record(fact, text);
        // Outside of the sandbox the agents' tests and these could meet at a port.
        if (isNew && fact.type === "message_sent" && inside.parts.plan.sandboxOfCommands !== undefined) {
          early.begin(checks);
        }
      },
    });
  };
  const { plan } = parts;
  const { projectTestCmd: command, testCommandTimeoutSeconds: timeLimitSeconds } = plan.loop;
  await using early = await openBaseTrial({ run: parts, plan });
  const isNew = Object.keys(state().agents).length === 0;
  const judgeAll = createJudge({ run: parts, plan, early });
  const checks = command === undefined ? [] : [{ command, timeLimitSeconds }];
  const judge = () => judgeAll(checks);
  // What agents never see is put nowhere while they are there.
  const { evidence } = plan;
  const beside = evidence === undefined || evidence.hidden?.length === 0
    ? judgeAll
    : createJudge({ run: parts, early, plan: { ...plan, evidence: { ...evidence, hidden: [] } } });
  const judgeBeside = () => beside(checks);
  await requireHidden(plan, signal);
  return await withNotes(parts, { plan, isNew }, async (noted) => {
    await noted;
    const result = await playOnGround(play, {
      ...{ maxRestarts, signal },
      restarts: () => state().groundRestarts ?? 0,
      onLost: (lost) => record({ type: "ground_lost", ...lost }),
    });
    return await withEvidence(result, judge);
  });
}
