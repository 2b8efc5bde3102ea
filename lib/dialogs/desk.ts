import { HumanInterventionRequiredError } from "../errors.ts";
import type { DialogDesk, OpenDialog } from "../handoff/dialog_desk.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentTerminal } from "../providers/terminal/agent_terminal.ts";
import { type DialogAnswer, keysOfWay } from "../providers/terminal/dialog_keys.ts";
import { openDialog, type PaneLook, screenExcerpt } from "../providers/terminal/pane_look.ts";
import type { Role } from "../roles.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import { sha256Hex } from "../text/digest.ts";
import { lastLines } from "../text/lines.ts";
import { type AnswersFolder, readAnswer } from "./answers.ts";
import type { AuditDecision, AuditLog } from "./audit.ts";
import { machineGround } from "./machine_ground.ts";
import { decideDialog, type DialogPlan, requestOf } from "./decision.ts";
import type { DialogFact } from "./facts.ts";
import { parsePersonsAnswer, type PersonsAnswer } from "./person_answer.ts";
import type { PermissionVerdict } from "./policy/mod.ts";

/** A dialog as a person is asked about it. */
export interface DialogQuestion extends Pick<DialogInfo, "kind" | "subject"> {
  /** Unique in the run: `q1`. */
  readonly id: string;
  readonly role: Role;
  /** Why a person has to decide, as a full sentence. */
  readonly reason: string;
  readonly secondsLeft: number;
}

/** A person at a terminal. Resolves to what they say, or to `undefined` when they leave the question open. */
export type AskAboutDialog = (question: DialogQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** What all desks of a run share. */
export interface DialogDeskContext {
  readonly plan: DialogPlan;
  /** Where `panewright answer` leaves what a person says. */
  readonly answers: AnswersFolder;
  readonly audit: AuditLog;
  readonly emit: (fact: DialogFact) => void;
  /** Told once for each dialog that a person has to answer. */
  readonly onStuck: (role: Role, message: string) => void;
  /** The id of the run's next question. */
  readonly nextQuestionId: () => string;
  /** The question that an earlier process of the run asked and did not see answered. */
  readonly earlierQuestion: () => { readonly id: string; readonly fingerprint: string } | undefined;
  /** Missing where nobody sits at a terminal. */
  readonly person: AskAboutDialog | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Whose dialogs a desk deals with. */
export interface DialogDeskTurn {
  readonly turnId: string;
  readonly role: Role;
  readonly terminal: Pick<AgentTerminal, "id" | "look" | "answerDialog" | "provider">;
}

/** How many lines of the screen the log shows of a dialog that is answered (seed 003). */
const TAIL_LINES = 5;

/** How long an agent may say that it waits while its screen shows no dialog: a screen may lag behind. */
const HIDDEN_LIMIT_MS = 5000;

/** Stands for a dialog that panewright cannot read. */
const UNREAD_DIALOG: DialogInfo = {
  kind: "other",
  heading: "",
  subject: undefined,
  subjectComplete: false,
  otherReadings: [],
  options: [],
  fingerprint: "",
};

/** A dialog that waits for a person. */
interface WaitingDialog {
  readonly fingerprint: string;
  readonly sinceMs: number;
  /** Missing where only the pane takes an answer. */
  readonly question: string | undefined;
  /** What the person at the terminal said. */
  said: PersonsAnswer | undefined;
  readonly closed: AbortController;
}

type Verdict = Pick<PermissionVerdict, "rule" | "reason">;

/** Deals with the dialogs of one turn: by the policy, or with a person; every decision is in the audit log first. */
export function createDialogDesk(context: DialogDeskContext, turn: DialogDeskTurn): DialogDesk {
  const { audit, clock, emit, plan, signal } = context;
  const { dryRun, dialogTimeoutSeconds: timeoutSeconds } = plan.permissions;
  const { role, terminal, turnId } = turn;
  const { id: terminalId, provider } = terminal;
  const whose = { role, terminal: terminalId, provider: provider.id };
  let waiting: WaitingDialog | undefined;
  let hiddenSinceMs: number | undefined;

  function endWaiting(): void {
    if (waiting === undefined) return;
    const { closed, question, sinceMs } = waiting;
    waiting = undefined;
    closed.abort();
    const seconds = (clock.now() - sinceMs) / 1000;
    emit({ type: "dialog_closed", turnId, role, seconds, ...(question === undefined ? {} : { question }) });
  }

  /** Records and tells once that a person has to answer, and looks whether one did. */
  async function waitForPerson(dialog: DialogInfo, look: PaneLook, verdict: Verdict): Promise<OpenDialog> {
    waiting ??= await beginWaiting(dialog, look, verdict);
    const { question, sinceMs } = waiting;
    const left = waiting.said === undefined && question !== undefined && await readAnswer(context.answers, question);
    const said = left ? parsePersonsAnswer(left.answer) : waiting.said;
    if (said !== undefined) {
      const reason = said.reason ?? "The person who was asked said no.";
      return answered(dialog, look, { answer: said.answer, by: "person", verdict: { rule: "person", reason } });
    }
    if (clock.now() - sinceMs < timeoutSeconds * 1000) return { decision: "wait" };
    endWaiting();
    throw new HumanInterventionRequiredError(
      `Cannot finish the turn of ${role} in terminal ${terminalId}: ${requestOf(dialog)} waited for a person for ` +
        `${timeoutSeconds} s. ${verdict.reason}\n${screenExcerpt(look.screen)}`,
      { hint: "permissions.dialog_timeout_seconds sets the limit. A rule in permissions decides without a person." },
    );
  }

  async function beginWaiting(dialog: DialogInfo, look: PaneLook, { rule, reason }: Verdict): Promise<WaitingDialog> {
    const { fingerprint, kind, subject } = dialog;
    await audit.note({ ...whose, ...aboutOf(dialog, look), decision: "ask", rule, reason });
    const isAnswerable = !dryRun &&
      (["accept", "decline"] as const).every((answer) => provider.terminal.answerWay(dialog, answer) !== undefined);
    const earlier = context.earlierQuestion();
    // The fingerprint quotes the subject: its hash is kept. Earlier versions kept the fingerprint itself.
    const kept = await sha256Hex(fingerprint);
    const isSame = earlier?.fingerprint === kept || earlier?.fingerprint === fingerprint;
    const question = !isAnswerable ? undefined : isSame ? earlier.id : context.nextQuestionId();
    const about = { turnId, role, terminalId, kind, subject, fingerprint: kept, reason, timeoutSeconds };
    emit({ type: "dialog_waiting", ...about, ...(question === undefined ? {} : { question }), audit: audit.end });
    context.onStuck(role, `${role} waits for an answer in terminal ${terminalId}: ${requestOf(dialog)}. ${reason}`);
    const begun = { fingerprint, sinceMs: clock.now(), question, said: undefined, closed: new AbortController() };
    if (question !== undefined) void askAtTerminal(begun, { id: question, kind, subject, reason });
    return begun;
  }

  async function askAtTerminal(
    begun: WaitingDialog,
    question: Omit<DialogQuestion, "role" | "secondsLeft">,
  ): Promise<void> {
    const until = AbortSignal.any([begun.closed.signal, signal]);
    while (context.person !== undefined && begun.said === undefined && !until.aborted) {
      const secondsLeft = timeoutSeconds - (clock.now() - begun.sinceMs) / 1000;
      const text = await context.person({ ...question, role, secondsLeft }, until).catch(() => undefined);
      if (text === undefined || until.aborted) return;
      begun.said = parsePersonsAnswer(text);
    }
  }

  function answered(
    dialog: DialogInfo,
    look: PaneLook,
    { answer, by, verdict: { rule, reason } }: {
      readonly answer: DialogAnswer;
      readonly by: "policy" | "person";
      readonly verdict: Verdict;
    },
  ): OpenDialog {
    const { kind, options, subject } = dialog;
    return {
      decision: answer,
      by,
      request: requestOf(dialog),
      reason,
      tail: lastLines(rowsOf(look.screen).join("\n"), TAIL_LINES),
      async answer() {
        const way = provider.terminal.answerWay(dialog, answer);
        const decision = answer === "accept" ? "allow" as const : "deny" as const;
        const keys = way === undefined ? [] : keysOfWay(way, options);
        const entry = { ...whose, ...aboutOf(dialog, look), decision, rule, reason, keys };
        const { result } = await audit.perform(entry, async () => {
          const done = await terminal.answerDialog(dialog, answer, { signal });
          return { result: done.result, after: rowsOf(done.after) };
        });
        endWaiting();
        emit({
          type: "dialog_answered",
          turnId,
          role,
          terminalId,
          kind,
          subject,
          answer,
          rule,
          result,
          audit: audit.end,
        });
        return result === "closed";
      },
    };
  }

  return {
    async inspect() {
      const look = await terminal.look({ signal });
      const open = openDialog(look);
      const isHidden = open === undefined && look.classification.status !== "waiting_user_answer";
      hiddenSinceMs = isHidden ? hiddenSinceMs ?? clock.now() : undefined;
      if (hiddenSinceMs !== undefined && clock.now() - hiddenSinceMs < HIDDEN_LIMIT_MS) return undefined;
      const dialog = open ?? UNREAD_DIALOG;
      if (waiting !== undefined && waiting.fingerprint !== dialog.fingerprint) endWaiting();
      const verdict = decideDialog(dialog, { plan, role, provider, ground: machineGround() });
      if (verdict.decision === "ask") return await waitForPerson(dialog, look, verdict);
      return answered(dialog, look, {
        answer: verdict.decision === "allow" ? "accept" : "decline",
        by: "policy",
        verdict,
      });
    },
    noteClosed() {
      hiddenSinceMs = undefined;
      endWaiting();
    },
  };
}

function aboutOf(dialog: DialogInfo, look: PaneLook): Pick<AuditDecision, "kind" | "command" | "before"> {
  return { kind: dialog.kind, command: dialog.subject, before: rowsOf(look.screen) };
}

function rowsOf({ rows }: PaneLook["screen"]): readonly string[] {
  return rows.map(({ text }) => text);
}
