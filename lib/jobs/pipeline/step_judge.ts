import { decideRequest, type DialogPlan, MAX_ASKED_CHARS, requestOf } from "../../turn/desk/decision.ts";
import { requestFields } from "../../turn/desk/audit_matter.ts";
import { machineGround } from "../../turn/desk/machine_ground.ts";
import { decideNamed, exactRequest, namesCalls, type PermissionVerdict } from "../../policy/mod.ts";
import { refusalText } from "../../turn/instruction.ts";
import type { Request } from "../../policy/request.ts";
import type { CallJudge, CallVerdict } from "../../agents/process/call_judge.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { Drive } from "./context.ts";
import type { StepPlace } from "./machine.ts";
import { stepWorker } from "../../journal/exec/state.ts";

/** Whose calls are judged. */
interface JudgedAttempt {
  readonly at: StepPlace;
  /** The number of the attempt in its step. */
  readonly attempt: number;
}

/**
 * Judges the calls of a step's agent: what its CLI would ask a person about, by the same policy as in a review loop;
 * and what just runs, by the entries of `deny` and `ask` that name a command or a path. What the policy asks a person
 * about stops the agent; a yes lets the same call pass once in a later attempt, and a no holds for the whole step.
 */
export function createStepJudge({ at, attempt }: JudgedAttempt, drive: Drive): CallJudge {
  const { plan, audit, record } = drive;
  const { provider, name } = at.plan;
  const place = { task: at.task.number, step: at.step.number, attempt };
  const who = { role: undefined, provider: provider.id };
  /** What a yes has let run, and may need a permission of its CLI's as well. */
  const letRun = new Map<string, Decided>();

  /** What is decided, and whether a person's yes to it is used up; `undefined` where nothing is. */
  async function decide(request: Request): Promise<Decided | undefined> {
    const { permissions: { policy }, workdir } = plan;
    const { needsPermission = true, offers } = request;
    const ground = machineGround();
    const ruled = needsPermission
      ? decideRequest(request, { plan, role: undefined, provider, ground })
      : decideNamed(exactRequest(request.kind, request.subject), {
        ...who,
        ...ground,
        policy,
        workdir,
        cwd: request.cwd ?? workdir,
      });
    const hasNoYes = offers?.allow === false && request.kind !== "question";
    const verdict = hasNoYes && ruled !== undefined && ruled.decision !== "deny"
      ? { decision: "ask", rule: "no_plain_yes", reason: `${NO_PLAIN_YES} ${ruled.reason}` } as const
      : ruled;
    if (verdict?.decision !== "ask" || request.kind === "question") return verdict;
    const call = await callFingerprint(request);
    const said = drive.state().current?.step.verdicts.find((one) => one.call === call);
    const [rule, sayer] = said?.isModels === true
      ? ["model", "A model that answered over MCP"]
      : ["person", "The person who was asked"];
    if (said?.answer === "decline") return { decision: "deny", rule, reason: said.reason ?? `${sayer} said no.` };
    if (said !== undefined && hasNoYes) {
      return { decision: "deny", rule: "no_plain_yes", reason: NO_PLAIN_YES, call };
    }
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
    if (request.subject.length > MAX_ASKED_CHARS) {
      return { decision: "deny", rule: "too_long", reason: `It is too long for a person to read. ${verdict.reason}` };
    }
    const { questions } = drive.state().current?.step ?? at.step;
    if (questions < plan.settings.maxQuestionsPerStep) return verdict;
    const reason = `The person was asked ${questions} times in this step, and is not asked any more. ${verdict.reason}`;
    return { decision: "deny", rule: "question_cap", reason };
  }

  async function writeDown(request: Request, { call, ...verdict }: Decided, isActedUpon: boolean): Promise<void> {
    const { kind, tool, subject } = request;
    const worker = stepWorker(at.task.pipeline, name);
    const whose = { role: worker, terminal: "", provider: provider.id };
    const about = { ...whose, ...requestFields(request), before: [], ...verdict };
    if (verdict.decision === "ask" || !isActedUpon) await audit.note(about);
    else await audit.perform({ ...about, keys: [] }, () => Promise.resolve({ result: "answered", after: [] }));
    const used = call === undefined ? {} : { call };
    const told = { ...place, ...verdict, kind, tool, subject, ...used };
    record({ type: "call_decided", ...told, audit: audit.end, passable: true });
  }

  return {
    judgesAll: namesCalls(plan.permissions.policy, who),
    async judge(request) {
      const { needsPermission = true } = request;
      const decided = await decide(request);
      if (decided === undefined) return { decision: "pass" };
      const isActedUpon = needsPermission || !plan.permissions.dryRun;
      await writeDown(request, decided, isActedUpon);
      return isActedUpon ? verdictOf(request, decided, needsPermission) : { decision: "pass" };
    },
  };
}

/** What is said of a permission that can only be given for more than this once. */
const NO_PLAIN_YES = "The agent offers no one-time yes, so this can only be refused.";

interface Decided extends PermissionVerdict {
  /** The fingerprint of a call to which a person's yes is used up. */
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

/** What a person is asked. */
function questionText(request: Request, reason: string): string {
  if (request.kind === "question") return request.subject;
  return `May it do this? The agent asks for permission: ${callWords(request)}\nWhy you are asked: ${reason}`;
}

function callWords(request: Request): string {
  const { kind, tool, subject, leavesSandbox } = request;
  const what = kind === "other" ? `a call of its tool ${tool}: ${subject}` : requestOf(request);
  return `${what}${leavesSandbox === true ? ", outside of its sandbox" : ""}`;
}

/** Who decides about what needs a permission. */
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
