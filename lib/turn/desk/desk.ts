import type { DialogDesk, OpenDialog, TurnLimits } from "../dialog_desk.ts";
import { refusalText } from "../instruction.ts";
import type { QuestionReply } from "../../base/question.ts";
import { type DialogAnswer, keysOfWay } from "../../agents/pane/dialog_keys.ts";
import { openDialog, type PaneLook, screenExcerpt } from "../../agents/pane/pane_look.ts";
import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import { lastLines } from "../../base/text/lines.ts";
import { aboutOf, requestFields, rowsOf } from "./audit_matter.ts";
import { decideDialog, decideRequest, knownRequest, requestOf } from "./decision.ts";
import type { DialogDeskContext, DialogDeskTurn, DialogVerdict } from "./desk_context.ts";
import type { HookedRequest } from "./hook_channel.ts";
import { machineGround } from "./machine_ground.ts";
import { createPaneRequests, HOOK_LAG_MS } from "./pane_requests.ts";
import { createPersonWait, givenFields, type GivenSaid, type PersonMatter, ruleOf, sayerOf } from "./person_wait.ts";
import { giveReplies, knownQuestions } from "./question_desk.ts";
import { identityOf, isSameRequest } from "./request.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";

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

/** What a hook may answer: the dialogs of all other kinds have more to them than a yes or a no. */
const HOOKED_KINDS: readonly DialogKind[] = ["command", "patch", "file_write", "file_edit", "other"];

/** Deals with the dialogs of one turn: by the policy, or with a person; every decision is in the audit log first. */
export function createDialogDesk(context: DialogDeskContext, turn: DialogDeskTurn): DialogDesk {
  const { audit, clock, emit, plan, signal } = context;
  const { role, terminal, turnId } = turn;
  const { id: terminalId, provider } = terminal;
  const whose = { role, terminal: terminalId, provider: provider.id };
  const waiting = createPersonWait(context, turn);
  const requests = createPaneRequests(context, turn);
  let hiddenSinceMs: number | undefined;
  /** How many requests came in by hook. */
  let asked = 0;
  /** How many answers are being given, or wait for the one before. */
  let deciding = 0;
  let lastAnswer: Promise<unknown> = Promise.resolve();
  /** The questions that could not be answered with keys, and why. */
  let refused: { readonly identity: string; readonly problem: string } | undefined;
  /** What was last answered with a key, by another record than the hook's, and when. */
  let keyed: { readonly request: Request; readonly atMs: number } | undefined;

  /** Gives one answer after another, by hook or by key: no key may hit the dialog that follows a hook's answer. */
  function inTurn<T>(give: () => Promise<T>): Promise<T> {
    deciding++;
    const given = lastAnswer.then(give).finally(() => deciding--);
    lastAnswer = given.catch(() => {});
    return given;
  }

  /** Records and tells once that a person has to answer, and looks whether one did. */
  async function askPerson(dialog: DialogInfo, look: PaneLook, verdict: DialogVerdict): Promise<OpenDialog> {
    const said = await waiting.look(matterOf(dialog, look, verdict));
    if (said === undefined) return { decision: "wait" };
    const { given } = said;
    if (said.answer === "reply") return replied(dialog, look, { verdict, replies: said.replies, given });
    const reason = said.reason ?? `${sayerOf(given)} said ${said.answer === "accept" ? "yes" : "no"}.`;
    const { request } = verdict;
    const decided = { rule: ruleOf(given), reason, ...present({ request }) };
    return answered(dialog, look, { answer: said.answer, by: "person", given, verdict: decided });
  }

  function isWaitedFor(dialog: DialogInfo, request: Request | undefined): boolean {
    return waiting.isAbout({ identity: identityOf(dialog, request), request });
  }

  /** What the person is asked. */
  function matterOf(
    dialog: DialogInfo,
    look: PaneLook,
    { rule, reason, request, paneOnly }: DialogVerdict,
  ): PersonMatter {
    const { kind, subject } = request ?? dialog;
    return {
      identity: identityOf(dialog, request),
      kind,
      subject,
      request,
      rule,
      reason: paneOnly === undefined ? reason : `${reason} ${paneOnly}`,
      isAnswerable: !plan.permissions.dryRun &&
        (request?.questions === undefined
          ? (["accept", "decline"] as const).every((answer) =>
            provider.terminal.answerWay(dialog, answer) !== undefined
          )
          : paneOnly === undefined),
      before: rowsOf(look.screen),
      excerpt: screenExcerpt(look.screen),
    };
  }

  /**
   * The answer to questions: it is given page by page, and what cannot be given is the person's to give in the pane.
   */
  function replied(
    dialog: DialogInfo,
    look: PaneLook,
    { verdict: { request }, replies, given: source }: {
      readonly verdict: DialogVerdict;
      readonly replies: readonly QuestionReply[];
      readonly given: GivenSaid["given"];
    },
  ): OpenDialog {
    if (request === undefined) throw new TypeError("A reply without its questions");
    return {
      decision: "reply",
      answer: () =>
        inTurn(async () => {
          const entry = { ...whose, ...aboutOf(dialog, look, request) };
          const outcome = await giveReplies({ terminal, audit, signal }, { entry, request, replies, source });
          if (outcome.result === "stopped") {
            refused = { identity: identityOf(dialog, request), problem: outcome.problem };
            waiting.end();
            return false;
          }
          waiting.end();
          if (outcome.result === "closed") requests.forgetClosed();
          const { kind, subject } = request;
          const given = { turnId, role, terminalId, kind, subject, rule: ruleOf(source), result: outcome.result };
          const told = outcome.result === "closed" ? { replies: outcome.told } : {};
          emit({
            ...{ type: "dialog_answered", ...given, ...givenFields(source), answer: "reply" },
            ...told,
            audit: audit.end,
          });
          return outcome.result === "closed";
        }),
    };
  }

  function answered(
    dialog: DialogInfo,
    look: PaneLook,
    { answer, by, given: source, verdict: { rule, reason, request } }: {
      readonly answer: DialogAnswer;
      readonly by: "policy" | "person";
      /** How a person's answer came. */
      readonly given?: GivenSaid["given"];
      readonly verdict: DialogVerdict;
    },
  ): OpenDialog {
    const { options } = dialog;
    const { kind, subject } = request ?? dialog;
    const askedBefore = asked;
    /** Whether the dialog is still about the same request, as far as the CLI's records tell. */
    const isMeant = async () => {
      const known = knownRequest(dialog, await requests.pending(), plan.workdir);
      return asked === askedBefore && isSameRequest(known.request, request);
    };
    return {
      decision: answer,
      by,
      request: requestOf({ kind, subject }),
      reason,
      tail: lastLines(rowsOf(look.screen).join("\n"), TAIL_LINES),
      async answer() {
        const way = provider.terminal.answerWay(dialog, answer);
        const decision = answer === "accept" ? "allow" as const : "deny" as const;
        const keys = way === undefined ? [] : keysOfWay(way, options);
        const entry = { ...whose, ...aboutOf(dialog, look, request), decision, rule, reason, keys };
        return await inTurn(async () => {
          if (!await isMeant()) return false;
          const { result } = await audit.perform(entry, async () => {
            const done = await terminal.answerDialog(dialog, answer, { isMeant, signal });
            return { result: done.result, after: rowsOf(done.after) };
          });
          waiting.end();
          if (result === "closed") {
            requests.forgetClosed();
            if (request !== undefined && request.source !== "hook") keyed = { request, atMs: clock.now() };
          }
          const given = { turnId, role, terminalId, kind, subject, answer, rule, result };
          const told = source === undefined ? {} : givenFields(source);
          const { end } = audit;
          // A person was shown it before, and it was kept then.
          const screen = by === "person"
            ? undefined
            : await context.keepScreen?.(turnId, { screen: look.screen, provider: provider.id });
          emit({ type: "dialog_answered", ...given, ...told, audit: end, ...present({ screen }) });
          return result === "closed";
        });
      },
    };
  }

  /** Answers a hook where the policy does; in all other cases the CLI opens its dialog. */
  async function answerHook(
    { request, signal: closed, reply, dismiss }: HookedRequest,
    limits: TurnLimits,
  ): Promise<void> {
    if (keyed !== undefined && clock.now() - keyed.atMs < HOOK_LAG_MS && isSameRequest(keyed.request, request)) {
      return dismiss();
    }
    if (!HOOKED_KINDS.includes(request.kind)) return;
    const { decision, rule, reason } = decideRequest(request, { plan, role, provider, ground: machineGround() });
    if (decision === "ask") return;
    if (decision === "allow" && await requests.hasOpaque()) return;
    const answer: DialogAnswer = decision === "allow" ? "accept" : "decline";
    if (closed.aborted || signal.aborted) return;
    if (!limits.take({ decision: answer, request: requestOf(request), reason })) return;
    const entry = { ...whose, ...requestFields(request), before: [], decision, rule, reason, keys: [] };
    await audit.perform(entry, async () => {
      await reply({ behavior: decision, reason: refusalText({ request: requestOf(request), reason }) });
      return { result: "answered", after: [] };
    });
    requests.noteExplained();
    const { kind, subject } = request;
    const given = { turnId, role, terminalId, kind, subject, answer, rule, result: "closed" } as const;
    emit({ type: "dialog_answered", ...given, audit: audit.end });
  }

  return {
    serve(limits) {
      context.hooks?.forget(role, context.hooks.pending(role));
      const listening = context.hooks?.listen(role, (hooked) => {
        asked++;
        return inTurn(() => answerHook(hooked, limits));
      });
      return { [Symbol.dispose]: () => listening?.[Symbol.dispose]() };
    },
    async inspect() {
      const look = await terminal.look({ signal });
      const open = openDialog(look);
      const isHidden = open === undefined && look.classification.status !== "waiting_user_answer";
      hiddenSinceMs = isHidden ? hiddenSinceMs ?? clock.now() : undefined;
      if (hiddenSinceMs !== undefined && clock.now() - hiddenSinceMs < HIDDEN_LIMIT_MS) return undefined;
      // The answer of a hook closes what is already drawn.
      if (deciding > 0) return undefined;
      const dialog = open ?? UNREAD_DIALOG;
      const logged = await terminal.pendingRequests();
      const [only, ...others] = logged;
      // A screen may be too low for a question, or a person may have moved about in it, to where it is not read.
      const isQuestion = dialog.kind === "question" ||
        (open === undefined && only?.questions !== undefined && others.length === 0) ||
        logged.some((one) => one.questions !== undefined && isWaitedFor(dialog, one));
      const known = isQuestion
        ? knownQuestions(look, logged, provider)
        : knownRequest(dialog, await requests.pending(), plan.workdir);
      if (!isWaitedFor(dialog, known.request)) waiting.end();
      if (deciding > 0 || (!waiting.isOn && requests.mayBeExplained(dialog, known))) return undefined;
      if (known.request !== undefined) requests.noteShown(known.request);
      const verdict = decideDialog(dialog, known, { plan, role, provider, ground: machineGround() });
      const isEarly = verdict.rule === "not_exact" && requests.mayBeLogged(dialog);
      const isUnclear = isQuestion && known.doubt !== undefined && requests.mayBeLogged(dialog);
      if (!waiting.isOn && (isEarly || isUnclear)) return undefined;
      if (verdict.decision === "ask") {
        const { problem } = refused?.identity === identityOf(dialog, known.request)
          ? refused
          : { problem: known.doubt };
        const isPanes = isQuestion && problem !== undefined;
        return await askPerson(dialog, look, { ...verdict, ...(isPanes ? { paneOnly: problem } : {}) });
      }
      return answered(dialog, look, {
        answer: verdict.decision === "allow" ? "accept" : "decline",
        by: "policy",
        verdict,
      });
    },
    async settled() {
      while (deciding > 0) await lastAnswer;
    },
    noteClosed() {
      hiddenSinceMs = undefined;
      waiting.end();
      requests.forgetClosed();
    },
  };
}
