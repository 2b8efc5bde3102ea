import type { DialogDesk, OpenDialog, TurnLimits } from "../dialog_desk.ts";
import { ASSUME } from "../../base/terms.ts";
import { repliesText } from "../../base/question.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import { present } from "../../base/schema.ts";
import { type Asked, auditEntry, type GivenAnswer, type PlainAnswer } from "./asked.ts";
import { decide, decideCall, INSIDE, requestOf } from "./decision.ts";
import type { DeskTurn, DialogDeskContext } from "./desk_context.ts";
import { givenFields, type GivenSaid, PersonWait, ruleOf, sayerOf } from "./person_wait.ts";

interface DeskAdapter {
  /** What is asked now; `undefined` where nothing is, or it is too early to tell. */
  open(waiting: Pick<PersonWait, "isAbout">): Promise<Asked | undefined>;
  /**
   * Told when the turn begins: `answer` gives what the policy says of a request that came in, until disposal. It waits
   * for the answer before, and for what is done with `prepare` then.
   */
  listen(answer: (find: () => AtOnce | undefined) => Promise<void>): Disposable;
  noteClosed?(): void;
  holds?(): boolean;
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

interface Desk {
  readonly context: DialogDeskContext;
  readonly turn: DeskTurn;
  readonly adapter: DeskAdapter;
  readonly waiting: PersonWait;
  /** How many answers are being given, or wait for the one before. */
  giving: number;
  lastAnswer: Promise<unknown>;
}

/**
 * Decides about what an agent asks in one turn, whatever way it asks on: by the policy, or with a person. Every decision
 * is in the audit log before the adapter carries it out.
 */
export function createDesk(context: DialogDeskContext, turn: DeskTurn, adapter: DeskAdapter): DialogDesk {
  const waiting = new PersonWait(context, turn);
  const desk: Desk = { context, turn, adapter, waiting, giving: 0, lastAnswer: Promise.resolve() };
  return {
    serve: (limits) => adapter.listen((find) => inTurn(desk, () => answerAtOnce(desk, find, limits))),
    inspect: () => inspect(desk),
    holds: () => adapter.holds?.() === true,
    async settled() {
      while (desk.giving > 0) await desk.lastAnswer;
      adapter.assertSound?.();
      await waiting.tellOfUnused();
    },
    noteClosed() {
      waiting.end();
      adapter.noteClosed?.();
    },
    leaveOpen() {
      waiting.leaveOpen();
      adapter.noteClosed?.();
    },
  };
}

async function inspect(desk: Desk): Promise<OpenDialog | undefined> {
  const { adapter, waiting } = desk;
  adapter.assertSound?.();
  const asked = await adapter.open(waiting);
  if (asked === undefined) return undefined;
  if (!waiting.isAbout(asked)) waiting.end();
  // What is answered may be on the screen still.
  if (desk.giving > 0) return undefined;
  const verdict = verdictOf(desk, asked);
  const { decision, rule, reason } = verdict;
  if (asked.mayChange?.(verdict, waiting.matter !== undefined)) return undefined;
  if (decision !== "ask") return opened(desk, asked, { answer: plainAnswerOf(decision), rule, reason });
  const assumed = assumption(desk, asked);
  if (assumed !== undefined) return assumed;
  const said = await waiting.look(asked, { rule, reason: [reason, ...asked.note ? [asked.note] : []].join(" ") });
  if (said === undefined) return { decision: "wait" };
  if (asked.takes?.(said) !== false) return answered(desk, asked, said);
  waiting.end();
  return { decision: "wait" };
}

/** Questions that nobody is asked: each is answered with that. */
function assumption(desk: Desk, asked: Asked): OpenDialog | undefined {
  const { request: { questions } = {}, isAnswerable } = asked;
  if (desk.context.plan.askPolicy !== "assume" || questions === undefined || !isAnswerable) return undefined;
  const replies = questions.map(() => ({ choices: [], text: ASSUME }));
  const said = { answer: "reply", replies } as const;
  if (asked.takes?.(said) === false) return undefined;
  const decided = { ...said, rule: "assume", reason: "By ask_policy nobody is asked." };
  return { decision: "reply", answer: () => inTurn(desk, () => give(desk, asked, decided)) };
}

/** Gives one answer after another, by reply or by key: no key may hit the dialog that follows a reply. */
function inTurn<T>(desk: Desk, give: () => Promise<T>): Promise<T> {
  desk.giving++;
  const given = desk.lastAnswer.then(give).finally(() => desk.giving--);
  desk.lastAnswer = given.catch(() => {});
  return given;
}

function verdictOf({ context, turn }: Desk, { shown, offers, doubt }: Asked): PermissionVerdict {
  const { role, terminal: { provider } } = turn;
  const about = { plan: context.plan, role, provider, offers, doubt };
  // What needs no permission is put where the policy names it.
  return ("source" in shown ? decideCall(shown, about) : undefined) ?? decide(shown, about);
}

function plainAnswerOf(decision: "allow" | "deny"): PlainAnswer {
  return decision === "allow" ? "accept" : "decline";
}

async function answerAtOnce(desk: Desk, find: () => AtOnce | undefined, limits: TurnLimits): Promise<void> {
  const one = find();
  if (one === undefined) return;
  const { asked, answers } = one;
  const { decision, rule, reason } = verdictOf(desk, asked);
  if (decision === "ask") return;
  const answer = plainAnswerOf(decision);
  if (!answers.includes(answer)) return;
  if (answer === "accept" && await one.isUnclear?.()) return;
  if (one.signal.aborted || desk.context.signal.aborted) return;
  const isFree = rule === INSIDE;
  if (!isFree && !limits.take({ decision: answer, request: requestOf(asked.shown), reason })) return;
  await give(desk, asked, { answer, rule, reason });
  one.noteAnswered?.();
}

function opened(desk: Desk, asked: Asked, decided: Why & { readonly answer: PlainAnswer }): OpenDialog {
  const { shown, tail, tellsWhy } = asked;
  const { answer, reason, rule, given } = decided;
  const by = given !== undefined ? "person" : rule === INSIDE ? "sandbox" : "policy";
  return {
    ...{ decision: answer, by, request: requestOf(shown), reason, tail, ...present({ tellsWhy }) },
    answer: () => inTurn(desk, () => give(desk, asked, decided)),
  };
}

function answered(desk: Desk, asked: Asked, said: GivenSaid): OpenDialog {
  const { answer, given } = said;
  const rule = ruleOf(given);
  if (answer !== "reply") {
    const reason = said.reason ?? `${sayerOf(given)} said ${answer === "accept" ? "yes" : "no"}.`;
    return opened(desk, asked, { answer, rule, reason, given });
  }
  const { replies } = said;
  const sayer = rule === "person" ? "The person" : sayerOf(given);
  const reason = `${sayer} answered: ${repliesText(asked.request?.questions ?? [], replies)}`;
  const decided = { answer, replies, rule, reason, given };
  return { decision: "reply", answer: () => inTurn(desk, () => give(desk, asked, decided)) };
}

async function give({ context, turn, waiting }: Desk, asked: Asked, decided: GivenAnswer & Why): Promise<boolean> {
  const { audit } = context;
  const { role, terminal: { id: terminalId, provider }, turnId } = turn;
  const { answer, rule, reason, given } = decided;
  if (answer !== "reply" && await asked.isMeant?.() === false) return false;
  const whose = { role, terminal: terminalId, provider: provider.id };
  const decision = answer === "decline" ? "deny" : "allow";
  const keys = answer === "reply" ? [] : asked.keysOf?.(answer) ?? [];
  const entry = auditEntry(whose, asked, { decision, rule, reason, keys });
  const { outcome, replies } = await audit.perform(entry, () => asked.carryOut(decided, entry));
  if (waiting.isAbout(asked)) waiting.end();
  if (outcome === "stopped") return false;
  const { kind, subject } = asked.shown;
  const { end } = audit;
  // A person was shown it before, and it was kept then.
  const screen = given === undefined ? await asked.keepScreen?.() : undefined;
  context.emit({
    ...{ type: "dialog_answered", turnId, role, terminalId, kind, subject, answer, rule, result: outcome },
    ...(given === undefined ? {} : givenFields(given)),
    ...present({ replies, screen }),
    audit: end,
  });
  return outcome === "closed";
}
