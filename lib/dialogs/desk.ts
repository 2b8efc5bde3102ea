import { HumanInterventionRequiredError } from "../errors.ts";
import type { DialogDesk, OpenDialog } from "../handoff/dialog_desk.ts";
import type { PermissionVerdict } from "./policy/mod.ts";
import type { Role } from "../roles.ts";
import { lastLines } from "../text/lines.ts";
import { readAnswer } from "./answers.ts";
import type { AuditDecision, AuditLog } from "./audit.ts";
import type { RunFolder } from "../run/run_folder.ts";
import type { Clock } from "../ports/clock.ts";
import type { AgentTerminal } from "../providers/agent_terminal.ts";
import { type DialogAnswer, keysOfWay } from "../providers/dialog_keys.ts";
import { openDialog, type PaneLook, screenExcerpt } from "../providers/pane_look.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import { parsePersonsAnswer, type PersonsAnswer } from "./person_answer.ts";
import { decideDialog, requestOf } from "./decision.ts";
import type { ReviewFact } from "../jobs/review_loop/facts.ts";
import type { ReviewRunPlan } from "../jobs/review_loop/plan.ts";

/** A dialog as a person is asked about it. */
export interface DialogQuestion {
  /** Unique in the run: `q1`. */
  readonly id: string;
  readonly role: Role;
  /** What the agent asks for, and why a person has to decide. */
  readonly text: string;
  readonly secondsLeft: number;
}

/** A person at a terminal. What they say, or `undefined` when they leave the question open. */
export type AskAboutDialog = (question: DialogQuestion, signal: AbortSignal) => Promise<string | undefined>;

/** What all turns of a run deal with dialogs with. */
export interface DialogDeskContext {
  readonly plan: Pick<ReviewRunPlan, "workdir" | "handoff" | "permissions">;
  readonly folder: RunFolder;
  readonly audit: AuditLog;
  readonly emit: (event: ReviewFact) => void;
  /** Told once for each dialog that a person has to answer. */
  readonly onStuck: (role: Role, message: string) => void;
  /** The command that shows the panes. */
  readonly attachCommand: string;
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
  readonly terminal: Pick<AgentTerminal, "look" | "answerDialog" | "provider" | "pane">;
}

/** How many lines of the screen the log's audit line shows (seed 003). */
const TAIL_LINES = 5;

/** How long an agent may say that it waits, and show nothing: a screen may lag behind. */
const HIDDEN_LIMIT_MS = 5000;

/** A dialog that is not understood. */
const UNREAD_DIALOG: DialogInfo = {
  kind: "other",
  heading: "",
  subject: undefined,
  subjectComplete: false,
  otherReadings: [],
  options: [],
  fingerprint: "",
};

/** The dialog at which a turn stands, and what is known of it. */
interface Standing {
  readonly fingerprint: string;
  readonly sinceMs: number;
  readonly question: string | undefined;
  /** What a person said at the terminal. */
  said: PersonsAnswer | undefined;
  readonly closed: AbortController;
}

/** Deals with the dialogs of one turn: by the policy, or with a person; every decision is in the audit log first. */
export function createDialogDesk(context: DialogDeskContext, turn: DialogDeskTurn): DialogDesk {
  const { audit, clock, emit, folder, plan, signal } = context;
  const { role, terminal, turnId } = turn;
  const terminalId = terminal.pane.paneId;
  const who = { role, terminal: terminalId, provider: terminal.provider.id };
  let standing: Standing | undefined;
  let hiddenSinceMs: number | undefined;

  function leave(): void {
    if (standing === undefined) return;
    const { closed, question, sinceMs } = standing;
    standing = undefined;
    closed.abort();
    const seconds = (clock.now() - sinceMs) / 1000;
    emit({ type: "dialog_closed", turnId, role, seconds, ...(question === undefined ? {} : { question }) });
  }

  /** Writes down and tells once that a person has to answer, and looks whether one did. */
  async function waitForPerson(
    dialog: DialogInfo,
    look: PaneLook,
    verdict: Pick<PermissionVerdict, "rule" | "reason">,
  ): Promise<OpenDialog> {
    standing ??= await begin(dialog, look, verdict);
    const said = standing.said ?? await readLeft(standing.question);
    if (said !== undefined) {
      const decided = { rule: "person", reason: said.reason ?? "The person who was asked said no." };
      return answered(dialog, look, { answer: said.answer, by: "person", verdict: decided });
    }
    const { dialogTimeoutSeconds } = plan.permissions;
    if (clock.now() - standing.sinceMs >= dialogTimeoutSeconds * 1000) {
      leave();
      throw new HumanInterventionRequiredError(
        `Cannot finish the turn of ${role} in terminal ${terminalId}: ${requestOf(dialog)} waited for a person for ` +
          `${dialogTimeoutSeconds} s. ${verdict.reason}\n${screenExcerpt(look.screen)}`,
        { hint: "permissions.dialog_timeout_seconds sets the limit. A rule in permissions decides without a person." },
      );
    }
    return { decision: "wait" };
  }

  async function begin(
    dialog: DialogInfo,
    look: PaneLook,
    { rule, reason }: Pick<PermissionVerdict, "rule" | "reason">,
  ): Promise<Standing> {
    await audit.note({ ...who, ...aboutOf(dialog, look), decision: "ask", rule, reason });
    const ways = (["accept", "decline"] as const).map((answer) => terminal.provider.terminal.answerWay(dialog, answer));
    const answerable = !plan.permissions.dryRun && !ways.includes(undefined);
    const earlier = context.earlierQuestion();
    const isSame = earlier?.fingerprint === dialog.fingerprint;
    const question = !answerable ? undefined : isSame ? earlier.id : context.nextQuestionId();
    const { attachCommand } = context;
    const timeoutSeconds = plan.permissions.dialogTimeoutSeconds;
    emit({
      type: "dialog_waiting",
      turnId,
      role,
      terminalId,
      kind: dialog.kind,
      subject: dialog.subject,
      fingerprint: dialog.fingerprint,
      reason,
      ...(question === undefined ? {} : { question }),
      runId: folder.id,
      attachCommand,
      timeoutSeconds,
    });
    context.onStuck(role, `${role} waits for an answer in terminal ${terminalId}: ${requestOf(dialog)}. ${reason}`);
    const begun: Standing = {
      fingerprint: dialog.fingerprint,
      sinceMs: clock.now(),
      question,
      said: undefined,
      closed: new AbortController(),
    };
    if (question !== undefined) void askAtTerminal(begun, { id: question, text: `${requestOf(dialog)}\n${reason}` });
    return begun;
  }

  async function askAtTerminal(begun: Standing, question: Pick<DialogQuestion, "id" | "text">): Promise<void> {
    const until = AbortSignal.any([begun.closed.signal, signal]);
    while (context.person !== undefined && !until.aborted) {
      const secondsLeft = plan.permissions.dialogTimeoutSeconds - (clock.now() - begun.sinceMs) / 1000;
      const text = await context.person({ ...question, role, secondsLeft }, until).catch(() => undefined);
      if (text === undefined || until.aborted) return;
      begun.said = parsePersonsAnswer(text);
      if (begun.said !== undefined) return;
    }
  }

  async function readLeft(question: string | undefined): Promise<PersonsAnswer | undefined> {
    const left = question === undefined ? undefined : await readAnswer(folder, question);
    return left === undefined ? undefined : parsePersonsAnswer(left.answer);
  }

  function answered(
    dialog: DialogInfo,
    look: PaneLook,
    { answer, by, verdict }: {
      readonly answer: DialogAnswer;
      readonly by: "policy" | "person";
      readonly verdict: Pick<PermissionVerdict, "rule" | "reason">;
    },
  ): OpenDialog {
    return {
      decision: answer,
      by,
      request: requestOf(dialog),
      reason: verdict.reason,
      tail: lastLines(look.screen.rows.map(({ text }) => text).join("\n"), TAIL_LINES),
      async answer() {
        const way = terminal.provider.terminal.answerWay(dialog, answer);
        const decision: AuditDecision = {
          ...who,
          ...aboutOf(dialog, look),
          decision: answer === "accept" ? "allow" : "deny",
          rule: verdict.rule,
          reason: verdict.reason,
          keys: way === undefined ? [] : keysOfWay(way, dialog.options),
        };
        const { result } = await audit.perform(decision, async () => {
          const done = await terminal.answerDialog(dialog, answer, { signal });
          return { result: done.result, after: rowsOf(done.after) };
        });
        leave();
        const { kind, subject } = dialog;
        emit({ type: "dialog_answered", turnId, role, terminalId, kind, subject, answer, rule: verdict.rule, result });
        return result === "closed";
      },
    };
  }

  return {
    async inspect() {
      const look = await terminal.look({ signal });
      const isHidden = openDialog(look) === undefined && look.classification.status !== "waiting_user_answer";
      hiddenSinceMs = isHidden ? hiddenSinceMs ?? clock.now() : undefined;
      if (hiddenSinceMs !== undefined && clock.now() - hiddenSinceMs < HIDDEN_LIMIT_MS) return undefined;
      const dialog = openDialog(look) ?? UNREAD_DIALOG;
      if (standing !== undefined && standing.fingerprint !== dialog.fingerprint) leave();
      const verdict = decideDialog(dialog, { plan, role, provider: terminal.provider });
      if (verdict.decision === "ask") return await waitForPerson(dialog, look, verdict);
      const answer = verdict.decision === "allow" ? "accept" : "decline";
      return answered(dialog, look, { answer, by: "policy", verdict });
    },
    noteClosed() {
      hiddenSinceMs = undefined;
      leave();
    },
  };
}

function aboutOf(dialog: DialogInfo, look: PaneLook): Pick<AuditDecision, "kind" | "command" | "before"> {
  return { kind: dialog.kind, command: dialog.subject, before: rowsOf(look.screen) };
}

function rowsOf({ rows }: PaneLook["screen"]): readonly string[] {
  return rows.map(({ text }) => text);
}
