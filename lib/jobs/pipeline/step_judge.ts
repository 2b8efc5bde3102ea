import { decideCall, type DialogPlan, requestOf } from "../../turn/desk/decision.ts";
import { auditEntry } from "../../turn/desk/asked.ts";
import { judgesUnasked, type PermissionVerdict } from "../../policy/mod.ts";
import { refusalText } from "../../turn/instruction.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";
import type { CallJudge, CallVerdict } from "../../agents/process/call_judge.ts";
import type { GiverKind } from "../../base/terms.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { Drive } from "./context.ts";
import type { StepPlace } from "./machine.ts";
import { stepWorker } from "../../journal/exec/state.ts";

interface JudgedAttempt {
  readonly at: {
    readonly plan: Pick<StepPlace["plan"], "provider" | "name">;
    readonly task: Pick<StepPlace["task"], "number" | "pipeline">;
    readonly step: Pick<StepPlace["step"], "number" | "questions">;
  };
  readonly attempt: number;
}

/** What an attempt's judge needs of the run. */
interface JudgingDrive extends Pick<Drive, "audit" | "record"> {
  readonly plan: DialogPlan & { readonly settings: Pick<Drive["plan"]["settings"], "maxQuestionsPerStep"> };
  state(): {
    readonly current?: { readonly step: Pick<StepPlace["step"], "questions" | "verdicts"> } | undefined;
  };
}

/**
 * Judges the calls of a step's agent: what its CLI would ask a person about, by the same policy as in a review loop;
 * and what just runs, unless only the default says anything of it. What the policy asks a person about stops the agent; a yes lets the same call pass once in a later attempt, and a no holds for the whole step.
 */
export function createStepJudge({ at, attempt }: JudgedAttempt, drive: JudgingDrive): CallJudge {
  const { plan, audit, record } = drive;
  const { provider, name } = at.plan;
  const place = { task: at.task.number, step: at.step.number, attempt };
  const who = { role: undefined, provider };
  const letRun = new Map<string, Decided>();

  /** What is decided, and whether a person's yes to it is used up; `undefined` where nothing is. */
  async function decideHere(request: Request): Promise<Decided | undefined> {
    const { kind, needsPermission = true } = request;
    const allow = request.offers?.allow !== false || kind === "question";
    // Where no plain no is offered, the agent is stopped.
    const offers = { allow, reject: true, refuse: true, noPlain: () => NO_PLAIN_YES };
    const verdict = decideCall(request, { ...who, plan, offers });
    if (verdict?.decision !== "ask" || kind === "question") return verdict;
    const call = await callFingerprint(request);
    const said = drive.state().current?.step.verdicts.find((one) => one.call === call);
    const rule = said?.by ?? "person";
    const sayer = SAYERS[rule];
    if (said?.answer === "decline") return { decision: "deny", rule, reason: said.reason ?? `${sayer} said no.` };
    if (said !== undefined && !allow) return { decision: "deny", rule: "no_plain_yes", reason: NO_PLAIN_YES, call };
    if (said !== undefined) {
      const verdict = { decision: "allow", rule, reason: `${sayer} said yes.` } as const;
      if (!needsPermission) letRun.set(call, verdict);
      return { ...verdict, call };
    }
    const before = needsPermission ? letRun.get(call) : undefined;
    if (before !== undefined) {
      letRun.delete(call);
      return before;
    }
    const { questions } = drive.state().current?.step ?? at.step;
    if (questions >= plan.settings.maxQuestionsPerStep) {
      const times = `The person was asked ${questions} times in this step, and is not asked any more.`;
      return { decision: "deny", rule: "question_cap", reason: `${times} ${verdict.reason}` };
    }
    return allow || verdict.rule === "no_plain_yes"
      ? verdict
      : { ...verdict, reason: `${NO_PLAIN_YES} ${verdict.reason}` };
  }

  async function writeDown(request: Request, { call, ...verdict }: Decided, isActedUpon: boolean): Promise<void> {
    const { kind, tool, subject } = request;
    const whose = { role: stepWorker(at.task.pipeline, name), terminal: "", provider: provider.id };
    const entry = auditEntry(whose, { request, shown: request, before: [] }, verdict);
    if (verdict.decision === "ask" || !isActedUpon) await audit.note(entry);
    else await audit.perform(entry, () => Promise.resolve({ result: "answered", after: [] }));
    const told = { ...place, ...verdict, kind, tool, subject, ...present({ call }) };
    record({ type: "call_decided", ...told, audit: audit.end, passable: true });
  }

  return {
    judgesAll: judgesUnasked(plan.permissions.policy, { ...who, provider: provider.id }),
    acceptsTypedInput: plan.permissions.acceptTypedInput,
    async judge(request) {
      const { needsPermission = true } = request;
      const decided = await decideHere(request);
      if (decided === undefined) return { decision: "pass" };
      const isActedUpon = needsPermission || !plan.permissions.dryRun;
      await writeDown(request, decided, isActedUpon);
      return isActedUpon ? verdictOf(request, decided, needsPermission) : { decision: "pass" };
    },
  };
}

const SAYERS: Readonly<Record<GiverKind, string>> = {
  person: "The person who was asked",
  model: "A model that answered over MCP",
  program: "A program of this user",
};

const NO_PLAIN_YES = "The agent offers no one-time yes, so this can only be refused.";

interface Decided extends PermissionVerdict {
  readonly call?: string;
}

function verdictOf(request: Request, { decision, reason }: Decided, needsPermission: boolean): CallVerdict {
  switch (decision) {
    case "allow":
      return { decision: needsPermission ? "allow" : "pass" };
    case "deny":
      return { decision, reason: refusalText({ request: callWords(request), reason }) };
    case "ask":
      return { decision, question: questionText(request, reason) };
  }
}

function questionText(request: Request, reason: string): string {
  if (request.kind === "question") return request.subject;
  return `May it do this? The agent asks for permission: ${callWords(request)}\nWhy you are asked: ${reason}`;
}

function callWords(request: Request): string {
  const { kind, tool, subject, leavesSandbox } = request;
  const what = kind === "other" ? `a call of its tool ${tool}: ${subject}` : requestOf(request);
  return `${what}${leavesSandbox === true ? ", outside of its sandbox" : ""}`;
}

export function whoPermits(
  { handoff, permissions }: Pick<DialogPlan, "handoff" | "permissions">,
): "policy" | "person" | "dry_run" {
  return permissions.dryRun ? "dry_run" : handoff.autoAcceptPermissions ? "policy" : "person";
}

/** Tells one call of a tool from another: what it does, where, and whether in a sandbox. */
export async function callFingerprint(request: Request): Promise<string> {
  const { kind, tool, subject, cwd = null, leavesSandbox = false } = request;
  return await sha256Hex(JSON.stringify([kind, tool, subject, cwd, leavesSandbox]));
}
