import { type AnswerSource, type GiverKind, isReserved, type Shown } from "../../base/terms.ts";
import { HumanInterventionRequiredError } from "../../base/errors.ts";
import type { DialogKind } from "../../screen/dialog.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { giveAndTake, type LeftAnswer, readAnswer, takeAnswer, type TakeAnswerOptions } from "./answers.ts";
import { type AskedMatter, auditEntry } from "./asked.ts";
import { requestOf } from "./decision.ts";
import type { DeskTurn, DialogDeskContext, DialogQuestion, StuckQuestion } from "./desk_context.ts";
import { readSaid, type Said } from "./person_answer.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import { isSameRequest } from "./known_request.ts";
import { PERSON_SECONDS } from "./settings.ts";
import { shownOf } from "./shown.ts";
import { present } from "../../base/schema.ts";

type Why = Pick<PermissionVerdict, "rule" | "reason">;

export type GivenSaid = Said & { readonly given: AnswerSource & { readonly question: string | undefined } };

export function ruleOf({ by, giver }: AnswerSource): GiverKind {
  return giver?.kind ?? (by === "mcp" ? "model" : "person");
}

export function sayerOf(source: AnswerSource): string {
  switch (ruleOf(source)) {
    case "person":
      return "The person who was asked";
    case "model":
      return `A model over MCP${source.who === undefined ? "" : ` (${sanitizeLine(source.who)})`}`;
    case "program":
      return "A program of this user";
  }
}

export function givenFields(
  { question, by, who, giver }: GivenSaid["given"],
): AnswerSource & { readonly question?: string } {
  return { by, ...present({ question, who, giver }) };
}

interface WaitingMatter extends Pick<AskedMatter, "identity" | "request"> {
  readonly sinceMs: number;
  /** Missing where only the pane takes an answer. */
  readonly question: string | undefined;
  /** Missing where the answer is more than a yes or a no. */
  readonly shown: Shown | undefined;
  said: GivenSaid | undefined;
  isStrayTold: boolean;
  readonly closed: AbortController;
  readonly told: { withdraw(): void };
}

/** Asks a person about what comes up in one turn: at the terminal, by notification, and by `panewright answer`. */
export class PersonWait {
  /** There is one at most. */
  matter: WaitingMatter | undefined;

  constructor(readonly context: DialogDeskContext, readonly turn: DeskTurn) {}

  isAbout({ identity, request }: Pick<AskedMatter, "identity" | "request">): boolean {
    return this.matter?.identity === identity && isSameRequest(this.matter.request, request);
  }

  /** Records and tells once that a person has to answer, and looks whether one did. */
  async look(asked: AskedMatter, why: Why): Promise<GivenSaid | undefined> {
    const { clock } = this.context;
    const matter = this.matter ??= await begin(this, asked, why);
    tellOfStray(this, matter);
    const said = await saidOf(this, matter);
    if (said !== undefined || clock.now() - matter.sinceMs < (limitOf(this.context) ?? Infinity) * 1000) return said;
    this.leaveOpen();
    throw tooLateError(this, asked, why);
  }

  /** Tells of an answer to what an agent asked before the run was stopped, and has not asked again. */
  async tellOfUnused(): Promise<void> {
    if (this.matter !== undefined) return;
    for (const { id } of this.context.openQuestions(this.turn.turnId)) await tellOfUnused(this, id);
  }

  /** Nobody is waited for any longer, but the question stays open: its answer is for the agent that asks it again. */
  leaveOpen(): void {
    this.matter?.closed.abort();
    this.matter = undefined;
  }

  /** The matter is settled, or another one; nothing where no person was asked. A run that is stopped leaves it open. */
  end(): void {
    if (this.matter === undefined) return;
    if (this.context.signal.aborted) return this.leaveOpen();
    const { context: { clock, emit }, turn: { turnId, role }, matter: { closed, question, sinceMs, told } } = this;
    this.matter = undefined;
    closed.abort();
    told.withdraw();
    const seconds = (clock.now() - sinceMs) / 1000;
    emit({ type: "dialog_closed", turnId, role, seconds, ...present({ question }) });
  }
}

/** How many seconds a person is waited for; undefined where as long as it takes. */
function limitOf({ isPatient = false, plan }: DialogDeskContext): number | undefined {
  return plan.permissions.dialogTimeoutSeconds ?? (isPatient ? undefined : PERSON_SECONDS);
}

type Wait = Pick<PersonWait, "context" | "turn">;

async function begin({ context, turn }: Wait, matter: AskedMatter, { rule, reason }: Why): Promise<WaitingMatter> {
  const { audit, clock, emit } = context;
  const { role, terminal: { id: terminalId, provider }, turnId } = turn;
  const { identity, shown: { kind, subject }, request, isAnswerable } = matter;
  const questions = request?.questions;
  const shownAs = questions === undefined ? shownOf(matter.shown, context.redact) : undefined;
  const whose = { role, terminal: terminalId, provider: provider.id };
  await audit.note(auditEntry(whose, matter, { decision: "ask", rule, reason }));
  // The fingerprint quotes the subject: its hash is kept. Earlier versions kept the fingerprint itself.
  const kept = await sha256Hex(identity);
  const earlier = context.openQuestions(turnId).find(({ fingerprint }) => [kept, identity].includes(fingerprint));
  const question = isAnswerable ? earlier?.id ?? context.nextQuestionId() : undefined;
  const limit = present({ timeoutSeconds: limitOf(context) });
  const about = { turnId, role, terminalId, kind, subject, fingerprint: kept, reason, ...limit };
  const answerable = question === undefined ? {} : { question, ...present({ questions, shown: shownAs }) };
  const { isShown = true } = matter;
  emit({ type: "dialog_waiting", ...about, ...answerable, audit: audit.end }, { isShown });
  const told = context.onStuck(
    role,
    `${role} waits for an answer in terminal ${terminalId}: ${requestOf({ kind, subject })}. ${reason}` +
      (questions === undefined ? "" : `\n${subject}`),
    ...(question === undefined ? [] : [{ id: question, fingerprint: kept, ...answersTo(matter, shownAs) }]),
  );
  const sinceMs = clock.now();
  const ending = { closed: new AbortController(), told };
  const begun = {
    identity,
    request,
    sinceMs,
    question,
    shown: shownAs,
    said: undefined,
    isStrayTold: false,
    ...ending,
  };
  if (question !== undefined) {
    const shown = { id: question, role, kind, subject, reason, ...present({ questions }) };
    void askAtTerminal({ context, turn }, begun, shown);
  }
  return begun;
}

async function tellOfUnused({ context, turn }: Wait, question: string): Promise<void> {
  const left = await readAnswer(context.answers, question).catch(() => undefined);
  if (left === undefined) return;
  context.warn(turn.role, `the answer to ${question} was not used: the agent has not asked that again`);
}

async function askAtTerminal(
  wait: Wait,
  begun: WaitingMatter,
  question: Omit<DialogQuestion, "secondsLeft">,
): Promise<void> {
  const { context } = wait;
  const { clock } = context;
  const limitSeconds = limitOf(context);
  const until = AbortSignal.any([begun.closed.signal, context.signal]);
  let problem: string | undefined;
  while (context.person !== undefined && begun.said === undefined && !until.aborted) {
    const secondsLeft = limitSeconds && limitSeconds - (clock.now() - begun.sinceMs) / 1000;
    const asked = { ...question, ...present({ problem }), secondsLeft };
    const text = await context.person(asked, until).catch(() => undefined);
    if (text === undefined || until.aborted) return;
    const said = readSaid(text, question.questions);
    if ("problem" in said) {
      problem = said.problem;
      continue;
    }
    const answeredAt = new Date().toISOString();
    const own: LeftAnswer = { question: question.id, answer: text, by: "terminal", answeredAt };
    let refused: string | undefined;
    const taking = takingOf(wait, begun);
    const onRefused = (message: string) => taking.onRefused(refused = message);
    const first = await giveAndTake(context.answers, own, { ...taking, onRefused }).catch(() => own);
    if (first === undefined) {
      problem = refused;
      continue;
    }
    // Another answer came before: it is taken with the next look.
    if (first.by !== "terminal") return;
    begun.said = { ...said, given: { question: question.id, by: "terminal", ...present({ giver: first.giver }) } };
  }
}

function tellOfStray({ context, turn }: Wait, matter: WaitingMatter): void {
  const { question, isStrayTold } = matter;
  const stray = question === undefined || isStrayTold ? undefined : context.strayAnswer?.(question);
  if (stray === undefined) return;
  matter.isStrayTold = true;
  context.warn(turn.role, stray);
}

function takingOf({ context, turn }: Wait, { request, shown }: WaitingMatter): TakeAnswerOptions {
  const isPermission = request?.questions === undefined;
  return {
    isReserved: isReserved(context.plan.permissions.modelAnswers, { isPermission }),
    isPermission,
    shown,
    answersFrom: context.plan.permissions.answersFrom,
    onRefused: (message) => context.warn(turn.role, message),
  };
}

async function saidOf(wait: Wait, matter: WaitingMatter): Promise<GivenSaid | undefined> {
  const { question, said } = matter;
  if (said !== undefined || question === undefined) return said;
  const left = await takeAnswer(wait.context.answers, question, takingOf(wait, matter));
  if (left === undefined) return undefined;
  const read = readSaid(left.answer, matter.request?.questions);
  const { by, who, giver } = left;
  return "problem" in read ? undefined : { ...read, given: { question, by, ...present({ who, giver }) } };
}

function tooLateError({ context, turn }: Wait, asked: AskedMatter, why: Why): HumanInterventionRequiredError {
  const { role, terminal } = turn;
  const seconds = limitOf(context);
  return new HumanInterventionRequiredError(
    `Cannot finish the turn of ${role} in terminal ${terminal.id}: ${requestOf(asked.shown)} waited for a person for ` +
      `${seconds} s. ${why.reason}\n${asked.excerpt}`,
    {
      hint: "The question stays open: answer it, then resume the run. permissions.dialog_timeout_seconds sets the " +
        "limit. A rule in permissions decides without a person.",
    },
  );
}

/** The requests that their words say all about: what else is behind a dialog cannot be told in a message. */
const TELLABLE_KINDS: readonly DialogKind[] = ["command", "patch", "file_write", "file_edit"];

function answersTo(
  { shown: { kind, subject }, request }: AskedMatter,
  shown: Shown | undefined,
): Pick<StuckQuestion, "permits" | "choices"> {
  const questions = request?.questions;
  if (questions === undefined) {
    const isTold = request !== undefined && TELLABLE_KINDS.includes(kind) && shown === "whole";
    const choices = [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }];
    return { permits: isTold ? requestOf({ kind, subject }) : "", choices };
  }
  const [only, ...others] = questions;
  if (only === undefined || others.length > 0 || only.multiSelect) return { choices: [] };
  return { choices: only.options.map(({ label }, index) => ({ label, answer: String(index + 1) })) };
}
