import type { DialogDesk, OpenDialog, TurnLimits } from "../dialog_desk.ts";
import { repliesText } from "../../base/question.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import { present } from "../../base/schema.ts";
import { type Asked, auditEntry, type GivenAnswer, type PlainAnswer } from "./asked.ts";
import { decide, requestOf } from "./decision.ts";
import type { DeskTurn, DialogDeskContext } from "./desk_context.ts";
import { createPersonWait, givenFields, type GivenSaid, type PersonWait, ruleOf, sayerOf } from "./person_wait.ts";

interface DeskAdapter {
  /** What is asked now; `undefined` where nothing is, or it is too early to tell. */
  open(waiting: Pick<PersonWait, "isAbout">): Promise<Asked | undefined>;
  /**
   * Told when the turn begins: `answer` gives what the policy says of a request that came in, until disposal. It waits
   * for the answer before, and for what is done with `prepare` then.
   */
  listen(answer: (find: () => AtOnce | undefined) => Promise<void>): Disposable;
  noteClosed?(): void;
  /** @throws what went wrong with an answer that nobody waited for */
  assertSound?(): void;
}

/** A request that may be answered as soon as it comes in, by the policy's word alone. */
export interface AtOnce {
  readonly asked: Asked;
  /** Aborted when nobody waits any longer. */
  readonly signal: AbortSignal;
  /** What is answered so; for the rest there is a dialog. */
  readonly answers: readonly PlainAnswer[];
  isUnclear?(): Promise<boolean>;
  noteAnswered?(): void;
}

interface Why extends Pick<PermissionVerdict, "rule" | "reason"> {
  /** How a person's answer came; missing where the policy decided. */
  readonly given?: GivenSaid["given"];
}

/**
 * Decides about what an agent asks in one turn, whatever way it asks on: by the policy, or with a person. Every decision
 * is in the audit log before the adapter carries it out.
 */
export function createDesk(context: DialogDeskContext, turn: DeskTurn, adapter: DeskAdapter): DialogDesk {
  const { audit, emit, plan, signal } = context;
  const { role, terminal: { id: terminalId, provider }, turnId } = turn;
  const whose = { role, terminal: terminalId, provider: provider.id };
  const waiting = createPersonWait(context, turn);
  /** How many answers are being given, or wait for the one before. */
  let giving = 0;
  let lastAnswer: Promise<unknown> = Promise.resolve();

  /** Gives one answer after another, by reply or by key: no key may hit the dialog that follows a reply. */
  function inTurn<T>(give: () => Promise<T>): Promise<T> {
    giving++;
    const given = lastAnswer.then(give).finally(() => giving--);
    lastAnswer = given.catch(() => {});
    return given;
  }

  function verdictOf({ shown, offers, doubt }: Asked): PermissionVerdict {
    return decide(shown, { plan, role, provider, offers, doubt });
  }

  async function give(asked: Asked, answer: GivenAnswer, { rule, reason, given }: Why): Promise<boolean> {
    if (answer.answer !== "reply" && await asked.isMeant?.() === false) return false;
    const decision = answer.answer === "decline" ? "deny" : "allow";
    const keys = answer.answer === "reply" ? [] : asked.keysOf?.(answer.answer) ?? [];
    const entry = auditEntry(whose, asked, { decision, rule, reason, keys });
    const { outcome, replies } = await audit.perform(entry, () => asked.carryOut(answer, entry));
    if (waiting.isAbout(asked)) waiting.end();
    if (outcome === "stopped") return false;
    const { kind, subject } = asked.shown;
    const { end } = audit;
    // A person was shown it before, and it was kept then.
    const screen = given === undefined ? await asked.keepScreen?.() : undefined;
    emit({
      type: "dialog_answered",
      turnId,
      role,
      terminalId,
      kind,
      subject,
      answer: answer.answer,
      rule,
      result: outcome,
      ...(given === undefined ? {} : givenFields(given)),
      ...present({ replies, screen }),
      audit: end,
    });
    return outcome === "closed";
  }

  async function answerAtOnce(find: () => AtOnce | undefined, limits: TurnLimits): Promise<void> {
    const one = find();
    if (one === undefined) return;
    const { asked, answers } = one;
    const { decision, rule, reason } = verdictOf(asked);
    const answer = decision === "allow" ? "accept" : "decline";
    if (decision === "ask" || !answers.includes(answer)) return;
    if (answer === "accept" && await one.isUnclear?.()) return;
    if (one.signal.aborted || signal.aborted) return;
    if (!limits.take({ decision: answer, request: requestOf(asked.shown), reason })) return;
    await give(asked, { answer, reason }, { rule, reason });
    one.noteAnswered?.();
  }

  function opened(asked: Asked, answer: PlainAnswer, why: Why): OpenDialog {
    const { shown, tail } = asked;
    const { reason, given } = why;
    const by = given === undefined ? "policy" : "person";
    const decided = { decision: answer, by, request: requestOf(shown), reason, tail } as const;
    return { ...decided, answer: () => inTurn(() => give(asked, { answer, reason }, why)) };
  }

  function answered(asked: Asked, said: GivenSaid): OpenDialog {
    const { answer, given } = said;
    const rule = ruleOf(given);
    if (answer !== "reply") {
      const reason = said.reason ?? `${sayerOf(given)} said ${answer === "accept" ? "yes" : "no"}.`;
      return opened(asked, answer, { rule, reason, given });
    }
    const { replies } = said;
    const sayer = rule === "model" ? sayerOf(given) : "The person";
    const reason = `${sayer} answered: ${repliesText(asked.request?.questions ?? [], replies)}`;
    return { decision: "reply", answer: () => inTurn(() => give(asked, { answer, replies }, { rule, reason, given })) };
  }

  return {
    serve: (limits) => adapter.listen((find) => inTurn(() => answerAtOnce(find, limits))),
    async inspect() {
      adapter.assertSound?.();
      const asked = await adapter.open(waiting);
      if (asked === undefined) return undefined;
      if (!waiting.isAbout(asked)) waiting.end();
      // What is answered may be on the screen still.
      if (giving > 0) return undefined;
      const verdict = verdictOf(asked);
      const { decision, rule, reason } = verdict;
      if (asked.mayChange?.(verdict, waiting.isOn)) return undefined;
      if (decision !== "ask") return opened(asked, decision === "allow" ? "accept" : "decline", { rule, reason });
      const said = await waiting.look(asked, { rule, reason: [reason, ...asked.note ? [asked.note] : []].join(" ") });
      if (said === undefined) return { decision: "wait" };
      if (asked.takes?.(said) !== false) return answered(asked, said);
      waiting.end();
      return { decision: "wait" };
    },
    async settled() {
      while (giving > 0) await lastAnswer;
      adapter.assertSound?.();
    },
    noteClosed() {
      waiting.end();
      adapter.noteClosed?.();
    },
  };
}
