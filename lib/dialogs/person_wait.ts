import { HumanInterventionRequiredError } from "../errors.ts";
import { type PaneLook, screenExcerpt } from "../providers/terminal/pane_look.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import { sha256Hex } from "../text/digest.ts";
import { readAnswer } from "./answers.ts";
import { aboutOf } from "./audit_matter.ts";
import { requestOf } from "./decision.ts";
import type { DialogDeskContext, DialogDeskTurn, DialogQuestion, DialogVerdict } from "./desk_context.ts";
import { readSaid, type Said } from "./person_answer.ts";
import { type ExactRequest, identityOf, isSameRequest } from "./request.ts";

/** The wait for a person's answer to a dialog; there is one at most. */
export interface PersonWait {
  readonly isOn: boolean;
  /** Whether the person was asked about this very dialog and request. */
  isAbout(dialog: DialogInfo, request: ExactRequest | undefined): boolean;
  /**
   * Records and tells once that a person has to answer, and looks whether one did.
   *
   * @returns `undefined` as long as there is no answer
   * @throws {HumanInterventionRequiredError} when it has waited too long
   */
  look(dialog: DialogInfo, look: PaneLook, verdict: DialogVerdict): Promise<Said | undefined>;
  /** The dialog is closed, or another one; nothing where no person was asked. */
  end(): void;
}

/** A dialog that waits for a person. */
interface WaitingDialog {
  readonly identity: string;
  readonly request: ExactRequest | undefined;
  readonly sinceMs: number;
  /** Missing where only the pane takes an answer. */
  readonly question: string | undefined;
  /** What the person at the terminal said. */
  said: Said | undefined;
  readonly closed: AbortController;
}

/** Asks a person about the dialogs of one turn: at the terminal, by notification, and by `panewright answer`. */
export function createPersonWait(context: DialogDeskContext, turn: DialogDeskTurn): PersonWait {
  const { audit, clock, emit, plan, signal } = context;
  const { dryRun, dialogTimeoutSeconds: timeoutSeconds } = plan.permissions;
  const { role, terminal: { id: terminalId, provider }, turnId } = turn;
  const whose = { role, terminal: terminalId, provider: provider.id };
  let waiting: WaitingDialog | undefined;

  function end(): void {
    if (waiting === undefined) return;
    const { closed, question, sinceMs } = waiting;
    waiting = undefined;
    closed.abort();
    const seconds = (clock.now() - sinceMs) / 1000;
    emit({ type: "dialog_closed", turnId, role, seconds, ...(question === undefined ? {} : { question }) });
  }

  async function begin(
    dialog: DialogInfo,
    look: PaneLook,
    { rule, reason: why, request, paneOnly }: DialogVerdict,
  ): Promise<WaitingDialog> {
    const identity = identityOf(dialog, request);
    const { kind, subject } = request ?? dialog;
    const reason = paneOnly === undefined ? why : `${why} ${paneOnly}`;
    const questions = request?.questions;
    await audit.note({ ...whose, ...aboutOf(dialog, look, request), decision: "ask", rule, reason });
    const isAnswerable = !dryRun &&
      (questions === undefined
        ? (["accept", "decline"] as const).every((answer) => provider.terminal.answerWay(dialog, answer) !== undefined)
        : paneOnly === undefined);
    const earlier = context.earlierQuestion();
    // The fingerprint quotes the subject: its hash is kept. Earlier versions kept the fingerprint itself.
    const kept = await sha256Hex(identity);
    const isSame = earlier?.fingerprint === kept || earlier?.fingerprint === identity;
    const question = !isAnswerable ? undefined : isSame ? earlier.id : context.nextQuestionId();
    const about = { turnId, role, terminalId, kind, subject, fingerprint: kept, reason, timeoutSeconds };
    const answerable = question === undefined ? {} : { question, ...(questions === undefined ? {} : { questions }) };
    emit({ type: "dialog_waiting", ...about, ...answerable, audit: audit.end });
    context.onStuck(
      role,
      `${role} waits for an answer in terminal ${terminalId}: ${requestOf({ kind, subject })}. ${reason}` +
        (questions === undefined ? "" : `\n${subject}`),
    );
    const sinceMs = clock.now();
    const begun = { identity, request, sinceMs, question, said: undefined, closed: new AbortController() };
    const asked = questions === undefined ? {} : { questions };
    if (question !== undefined) void askAtTerminal(begun, { id: question, kind, subject, reason, ...asked });
    return begun;
  }

  async function askAtTerminal(
    begun: WaitingDialog,
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
      if ("problem" in said) problem = said.problem;
      else begun.said = said;
    }
  }

  return {
    get isOn() {
      return waiting !== undefined;
    },
    isAbout(dialog, request) {
      return waiting?.identity === identityOf(dialog, request) && isSameRequest(waiting.request, request);
    },
    async look(dialog, look, verdict) {
      waiting ??= await begin(dialog, look, verdict);
      const { question, sinceMs } = waiting;
      const left = waiting.said === undefined && question !== undefined && await readAnswer(context.answers, question);
      const read = left ? readSaid(left.answer, waiting.request?.questions) : waiting.said;
      const said = read === undefined || "problem" in read ? undefined : read;
      if (said !== undefined || clock.now() - sinceMs < timeoutSeconds * 1000) return said;
      end();
      const request = requestOf(verdict.request ?? dialog);
      throw new HumanInterventionRequiredError(
        `Cannot finish the turn of ${role} in terminal ${terminalId}: ${request} waited for a person for ` +
          `${timeoutSeconds} s. ${verdict.reason}\n${screenExcerpt(look.screen)}`,
        { hint: "permissions.dialog_timeout_seconds sets the limit. A rule in permissions decides without a person." },
      );
    },
    end,
  };
}
