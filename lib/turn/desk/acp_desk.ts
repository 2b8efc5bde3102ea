import type { DialogDesk, OpenDialog, TurnLimits } from "../dialog_desk.ts";
import type { PendingAnswer, PendingRequest } from "../../agents/acp/agent.ts";
import type { AcpTerminal } from "../../agents/acp/acp_terminal.ts";
import { repliesText } from "../../base/question.ts";
import { lastLines } from "../../base/text/lines.ts";
import { requestFields } from "./audit_matter.ts";
import { decideRequest, MAX_ASKED_CHARS, requestOf } from "./decision.ts";
import type { DeskTurn, DialogDeskContext } from "./desk_context.ts";
import { machineGround } from "./machine_ground.ts";
import { createPersonWait, givenFields, type GivenSaid, type PersonMatter, ruleOf, sayerOf } from "./person_wait.ts";
import type { Said } from "./person_answer.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";

/** Whose requests a desk deals with that come over the Agent Client Protocol. */
interface AcpDeskTurn extends DeskTurn {
  readonly terminal: Pick<AcpTerminal, "id" | "provider" | "pending" | "cancel" | "lastOutput" | "wakeSources">;
}

/** How many lines of what the agent said last are shown of a request that nobody answered. */
const EXCERPT_LINES = 10;

/**
 * Deals with what an agent asks for over its protocol in one turn: by the policy, or with a person; every decision is in
 * the audit log first. Nothing is read from a screen, so what is allowed is allowed at once, within the turn's limits.
 */
export function createAcpDesk(context: DialogDeskContext, turn: AcpDeskTurn): DialogDesk {
  const { audit, emit, plan, signal } = context;
  const { role, terminal, turnId } = turn;
  const { id: terminalId, provider } = terminal;
  const whose = { role, terminal: terminalId, provider: provider.id };
  const waiting = createPersonWait(context, turn);
  /** Those whose answer is being given. */
  const deciding = new Set<string>();
  /** The answers that are being given on the policy's word alone. */
  const giving = new Set<Promise<void>>();
  /** Those that were shown to the policy when they came in. */
  const seen = new Set<string>();
  /** What a person said and could not be given, by the request. */
  const refused = new Map<string, { readonly times: number; readonly problem: string }>();
  /** Why an answer that nobody waited for was not given. */
  let failure: { readonly error: unknown } | undefined;

  function decide({ request }: PendingRequest): PermissionVerdict {
    const { offers = { allow: true, reject: true } } = request;
    const verdict = decideRequest(request, { plan, role, provider, ground: machineGround() });
    if (verdict.decision === "ask" && request.subject.length > MAX_ASKED_CHARS) {
      return { decision: "deny", rule: "too_long", reason: `It is too long for a person to read. ${verdict.reason}` };
    }
    const isOffered = { allow: offers.allow, deny: offers.reject, ask: true }[verdict.decision];
    if (isOffered) return verdict;
    const missing = verdict.decision === "allow" ? "yes" : "no";
    const reason = `The agent offers no plain ${missing}, for this once. ${verdict.reason}`;
    return { decision: "ask", rule: `no_plain_${missing}`, reason };
  }

  /** Writes a decision down, and gives it. Resolves to whether the agent still waited for it. */
  async function give(
    one: PendingRequest,
    { answer, rule, reason, given }: Pick<PermissionVerdict, "rule" | "reason"> & {
      readonly answer: PendingAnswer;
      /** How a person's answer came. */
      readonly given?: GivenSaid["given"];
    },
  ): Promise<boolean> {
    const { request } = one;
    const { kind, subject } = request;
    const isReply = typeof answer === "object";
    deciding.add(request.id);
    try {
      const decision = answer === "reject" ? "deny" as const : "allow" as const;
      const entry = { ...whose, ...requestFields(request), before: [], decision, rule, reason, keys: [] };
      const { isGiven } = await audit.perform(entry, async () => {
        const isGiven = await carryOut(one, answer);
        return { isGiven, result: isGiven ? "answered" : "gone", after: [] };
      });
      if (waiting.isAbout(aboutOf(one))) waiting.end();
      emit({
        ...{ type: "dialog_answered", turnId, role, terminalId, kind, subject, rule },
        answer: isReply ? "reply" : answer === "allow" ? "accept" : "decline",
        ...(isReply && isGiven ? { replies: repliesText(request.questions ?? [], answer.replies) } : {}),
        result: isGiven ? "closed" : "gone",
        ...(given === undefined ? {} : givenFields(given)),
        audit: audit.end,
      });
      return isGiven;
    } finally {
      deciding.delete(request.id);
    }
  }

  async function carryOut(one: PendingRequest, answer: PendingAnswer): Promise<boolean> {
    if (answer !== "reject" || one.request.offers?.reject !== false) return await one.answer(answer);
    // Where no choice says no, the end of the turn does.
    if (one.signal.aborted) return false;
    await terminal.cancel();
    return true;
  }

  async function allowByPolicy(one: PendingRequest, limits: TurnLimits): Promise<void> {
    const { decision, rule, reason } = decide(one);
    if (decision !== "allow" || one.signal.aborted || signal.aborted) return;
    if (!limits.take({ decision: "accept", request: requestOf(one.request), reason })) return;
    await give(one, { answer: "allow", rule, reason });
  }

  /**
   * Told apart by what is asked: an answer may have been left for an agent that is gone, and ids begin anew with each.
   * A request whose answer could not be given is asked about once more.
   */
  function aboutOf({ request }: PendingRequest): Pick<PersonMatter, "identity" | "request"> {
    const { id, tool, kind, subject, cwd = plan.workdir, questions = [] } = request;
    return { identity: JSON.stringify([tool, kind, subject, cwd, questions, refused.get(id)?.times ?? 0]), request };
  }

  async function matterOf(one: PendingRequest, { rule, reason }: PermissionVerdict): Promise<PersonMatter> {
    const { request } = one;
    const { kind, subject } = request;
    const again = refused.get(request.id);
    const said = lastLines(await terminal.lastOutput(), EXCERPT_LINES);
    return {
      ...aboutOf(one),
      kind,
      subject,
      rule,
      reason: again === undefined ? reason : `${reason} The answer could not be given: ${again.problem}.`,
      // To what is not understood, a no can be given.
      isAnswerable: true,
      before: [],
      excerpt: said.length === 0
        ? "The agent had said nothing."
        : ["The agent had said:", ...said.map((row) => `  | ${row}`)].join("\n"),
    };
  }

  /** What is wrong with a person's answer, without a full stop. */
  function problemWith(one: PendingRequest, said: Said): string | undefined {
    if (said.answer === "reply") return one.problemWith(said.replies);
    return said.answer === "accept" && one.request.offers?.allow === false
      ? "the agent offers no plain yes, for this once"
      : undefined;
  }

  function answered(one: PendingRequest, said: GivenSaid): OpenDialog {
    const { request } = one;
    const { given } = said;
    const rule = ruleOf(given);
    if (said.answer === "reply") {
      const sayer = rule === "model" ? sayerOf(given) : "The person";
      const reason = `${sayer} answered: ${repliesText(request.questions ?? [], said.replies)}`;
      return { decision: "reply", answer: () => give(one, { answer: { replies: said.replies }, rule, reason, given }) };
    }
    const reason = said.reason ?? `${sayerOf(given)} said ${said.answer === "accept" ? "yes" : "no"}.`;
    return open(one, { decision: said.answer, by: "person", rule, reason, given });
  }

  function open(
    one: PendingRequest,
    { decision, by, ...why }: Pick<PermissionVerdict, "rule" | "reason"> & {
      readonly decision: "accept" | "decline";
      readonly by: "policy" | "person";
      readonly given?: GivenSaid["given"];
    },
  ): OpenDialog {
    const answer = decision === "accept" ? "allow" as const : "reject" as const;
    const request = requestOf(one.request);
    return { decision, by, request, reason: why.reason, tail: [], answer: () => give(one, { answer, ...why }) };
  }

  return {
    serve(limits) {
      const look = () => {
        for (const one of terminal.pending()) {
          if (seen.has(one.request.id)) continue;
          seen.add(one.request.id);
          const given: Promise<void> = allowByPolicy(one, limits)
            .catch((error) => void (failure ??= { error }))
            .finally(() => giving.delete(given));
          giving.add(given);
        }
      };
      const listening = terminal.wakeSources.map((source) => source.onHint(look));
      look();
      return { [Symbol.dispose]: () => listening.forEach((one) => one[Symbol.dispose]()) };
    },
    async inspect() {
      if (failure !== undefined) throw failure.error;
      const one = terminal.pending().find(({ request }) => !deciding.has(request.id));
      if (one === undefined) return undefined;
      const verdict = decide(one);
      const matter = await matterOf(one, verdict);
      if (!waiting.isAbout(matter)) waiting.end();
      if (verdict.decision !== "ask") {
        const decision = verdict.decision === "allow" ? "accept" : "decline";
        return open(one, { ...verdict, decision, by: "policy" });
      }
      const said = await waiting.look(matter);
      if (said === undefined) return { decision: "wait" };
      const problem = problemWith(one, said);
      if (problem === undefined) return answered(one, said);
      refused.set(one.request.id, { times: (refused.get(one.request.id)?.times ?? 0) + 1, problem });
      waiting.end();
      return { decision: "wait" };
    },
    noteClosed: () => waiting.end(),
    async settled() {
      while (giving.size > 0) await Promise.all(giving);
      if (failure !== undefined) throw failure.error;
    },
  };
}
