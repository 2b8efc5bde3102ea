import { type AnswerSource, isReserved } from "../../base/terms.ts";
import { HumanInterventionRequiredError } from "../../base/errors.ts";
import type { DialogKind } from "../../screen/dialog.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { giveAndTake, takeAnswer, type TakeAnswerOptions } from "./answers.ts";
import { type AskedMatter, auditEntry } from "./asked.ts";
import { requestOf } from "./decision.ts";
import type { DeskTurn, DialogDeskContext, DialogQuestion, StuckQuestion } from "./desk_context.ts";
import { readSaid, type Said } from "./person_answer.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import { isSameRequest } from "./known_request.ts";
import { present } from "../../base/schema.ts";

type Why = Pick<PermissionVerdict, "rule" | "reason">;

export type GivenSaid = Said & { readonly given: AnswerSource & { readonly question: string | undefined } };

export function ruleOf({ by }: AnswerSource): "person" | "model" {
  return by === "mcp" ? "model" : "person";
}

export function sayerOf(source: AnswerSource): string {
  return ruleOf(source) === "model"
    ? `A model over MCP${source.who === undefined ? "" : ` (${sanitizeLine(source.who)})`}`
    : "The person who was asked";
}

export function givenFields({ question, by, who }: GivenSaid["given"]): AnswerSource & { readonly question?: string } {
  return { by, ...present({ question, who }) };
}

/** The wait for a person's answer to a dialog; there is one at most. */
export interface PersonWait {
  readonly isOn: boolean;
  isAbout(matter: Pick<AskedMatter, "identity" | "request">): boolean;
  /**
   * Records and tells once that a person has to answer, and looks whether one did.
   *
   * @returns `undefined` as long as there is no answer
   * @throws {HumanInterventionRequiredError} when it has waited too long
   */
  look(matter: AskedMatter, why: Why): Promise<GivenSaid | undefined>;
  /** The matter is settled, or another one; nothing where no person was asked. */
  end(): void;
}

interface WaitingMatter extends Pick<AskedMatter, "identity" | "request"> {
  readonly sinceMs: number;
  /** Missing where only the pane takes an answer. */
  readonly question: string | undefined;
  said: Said | undefined;
  isStrayTold: boolean;
  readonly closed: AbortController;
  readonly told: { withdraw(): void };
}

/** Asks a person about what comes up in one turn: at the terminal, by notification, and by `panewright answer`. */
export function createPersonWait(context: DialogDeskContext, turn: DeskTurn): PersonWait {
  const { audit, clock, emit, plan, signal, strayAnswer = () => undefined } = context;
  const { dialogTimeoutSeconds: timeoutSeconds } = plan.permissions;
  const { role, terminal: { id: terminalId, provider }, turnId } = turn;
  const whose = { role, terminal: terminalId, provider: provider.id };
  let waiting: WaitingMatter | undefined;

  function end(): void {
    if (waiting === undefined) return;
    const { closed, question, sinceMs, told } = waiting;
    waiting = undefined;
    closed.abort();
    told.withdraw();
    const seconds = (clock.now() - sinceMs) / 1000;
    emit({ type: "dialog_closed", turnId, role, seconds, ...present({ question }) });
  }

  async function begin(matter: AskedMatter, { rule, reason }: Why): Promise<WaitingMatter> {
    const { identity, shown: { kind, subject }, request, isAnswerable } = matter;
    const questions = request?.questions;
    await audit.note(auditEntry(whose, matter, { decision: "ask", rule, reason }));
    const earlier = context.earlierQuestion(turnId);
    // The fingerprint quotes the subject: its hash is kept. Earlier versions kept the fingerprint itself.
    const kept = await sha256Hex(identity);
    const isSame = earlier?.fingerprint === kept || earlier?.fingerprint === identity;
    const question = !isAnswerable ? undefined : isSame ? earlier.id : context.nextQuestionId();
    const about = { turnId, role, terminalId, kind, subject, fingerprint: kept, reason, timeoutSeconds };
    const answerable = question === undefined ? {} : { question, ...present({ questions }) };
    emit({ type: "dialog_waiting", ...about, ...answerable, audit: audit.end });
    const told = context.onStuck(
      role,
      `${role} waits for an answer in terminal ${terminalId}: ${requestOf({ kind, subject })}. ${reason}` +
        (questions === undefined ? "" : `\n${subject}`),
      ...(question === undefined ? [] : [{ id: question, fingerprint: kept, ...answersTo(matter) }]),
    );
    const sinceMs = clock.now();
    const ending = { closed: new AbortController(), told };
    const begun = { identity, request, sinceMs, question, said: undefined, isStrayTold: false, ...ending };
    const asked = questions === undefined ? {} : { questions };
    if (question !== undefined) void askAtTerminal(begun, { id: question, kind, subject, reason, ...asked });
    return begun;
  }

  async function askAtTerminal(
    begun: WaitingMatter,
    question: Omit<DialogQuestion, "role" | "secondsLeft">,
  ): Promise<void> {
    const until = AbortSignal.any([begun.closed.signal, signal]);
    let problem: string | undefined;
    while (context.person !== undefined && begun.said === undefined && !until.aborted) {
      const secondsLeft = timeoutSeconds - (clock.now() - begun.sinceMs) / 1000;
      const again = problem === undefined ? {} : { problem };
      const text = await context.person({ ...question, ...again, role, secondsLeft }, until).catch(() => undefined);
      if (text === undefined || until.aborted) return;
      const said = readSaid(text, question.questions);
      if ("problem" in said) {
        problem = said.problem;
        continue;
      }
      const own = {
        question: question.id,
        answer: text,
        by: "terminal",
        answeredAt: new Date().toISOString(),
      } as const;
      const first = await giveAndTake(context.answers, own, takingOf(question.questions)).catch(() => own);
      // Another answer came before: it is taken with the next look.
      if (first !== undefined && first.by !== "terminal") return;
      begun.said = said;
    }
  }

  function tellOfStray(matter: WaitingMatter): void {
    const stray = matter.question === undefined || matter.isStrayTold ? undefined : strayAnswer(matter.question);
    if (stray === undefined) return;
    matter.isStrayTold = true;
    context.warn(role, stray);
  }

  function takingOf(questions: DialogQuestion["questions"]): TakeAnswerOptions {
    return {
      isReserved: isReserved(plan.permissions.modelAnswers, { isPermission: questions === undefined }),
      onRefused: (message) => context.warn(role, message),
    };
  }

  return {
    get isOn() {
      return waiting !== undefined;
    },
    isAbout({ identity, request }) {
      return waiting?.identity === identity && isSameRequest(waiting.request, request);
    },
    async look(matter, why) {
      waiting ??= await begin(matter, why);
      const { question, sinceMs } = waiting;
      const questions = waiting.request?.questions;
      tellOfStray(waiting);
      const left = waiting.said === undefined && question !== undefined
        ? await takeAnswer(context.answers, question, takingOf(questions))
        : undefined;
      const read = left === undefined ? waiting.said : readSaid(left.answer, questions);
      const source: AnswerSource = left ?? { by: "terminal" };
      const said: GivenSaid | undefined = read === undefined || "problem" in read
        ? undefined
        : { ...read, given: { question, by: source.by, ...present({ who: source.who }) } };
      if (said !== undefined || clock.now() - sinceMs < timeoutSeconds * 1000) return said;
      end();
      throw new HumanInterventionRequiredError(
        `Cannot finish the turn of ${role} in terminal ${terminalId}: ${
          requestOf(matter.shown)
        } waited for a person for ` +
          `${timeoutSeconds} s. ${why.reason}\n${matter.excerpt}`,
        { hint: "permissions.dialog_timeout_seconds sets the limit. A rule in permissions decides without a person." },
      );
    },
    end,
  };
}

/** The requests that their words say all about: what else is behind a dialog cannot be told in a message. */
const TELLABLE_KINDS: readonly DialogKind[] = ["command", "patch", "file_write", "file_edit"];

function answersTo({ shown: { kind, subject }, request }: AskedMatter): Pick<StuckQuestion, "permits" | "choices"> {
  const questions = request?.questions;
  if (questions === undefined) {
    const isTold = request !== undefined && TELLABLE_KINDS.includes(kind) && subject !== undefined;
    const choices = [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }];
    return { permits: isTold ? requestOf({ kind, subject }) : "", choices };
  }
  const [only, ...others] = questions;
  if (only === undefined || others.length > 0 || only.multiSelect) return { choices: [] };
  return { choices: only.options.map(({ label }, index) => ({ label, answer: String(index + 1) })) };
}
