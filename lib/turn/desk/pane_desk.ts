import type { DialogDesk } from "../dialog_desk.ts";
import { refusalText } from "../instruction.ts";
import { keysOfWay } from "../../agents/pane/dialog_keys.ts";
import { openDialog, type PaneLook, screenExcerpt } from "../../agents/pane/pane_look.ts";
import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import type { Request } from "../../policy/request.ts";
import { lastLines } from "../../base/text/lines.ts";
import { type Asked, auditEntry, type Given, type GivenAnswer, type PlainAnswer } from "./asked.ts";
import { PLAIN_OFFERS, requestOf, unaskedCalls } from "./decision.ts";
import { type AtOnce, createDesk } from "./desk.ts";
import type { DialogDeskContext, DialogDeskTurn } from "./desk_context.ts";
import { createHeldCalls } from "./held_calls.ts";
import type { HookedRequest } from "./hooked_request.ts";
import { isSameRequest, knownQuestions, type KnownRequest, knownRequest } from "./known_request.ts";
import { createPaneRequests, HOOK_LAG_MS } from "./pane_requests.ts";
import type { PersonWait } from "./person_wait.ts";
import { giveReplies, rowsOf } from "./question_desk.ts";

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

interface PaneDesk {
  readonly context: DialogDeskContext;
  readonly turn: DialogDeskTurn;
  readonly requests: ReturnType<typeof createPaneRequests>;
  readonly calls: ReturnType<typeof createHeldCalls>;
  /** How many requests came in by a hook. */
  hooked: number;
  hiddenSinceMs?: number | undefined;
  refused?: { readonly identity: string; readonly problem: string };
  /** What was last answered with a key, by another record than the hook's, and when. */
  keyed?: { readonly request: Request; readonly atMs: number };
}

export function createPaneDesk(context: DialogDeskContext, turn: DialogDeskTurn): DialogDesk {
  const { hooks } = context;
  const { role } = turn;
  const requests = createPaneRequests(context, turn);
  const calls = createHeldCalls();
  const desk: PaneDesk = { context, turn, requests, calls, hooked: 0 };
  return createDesk(context, turn, {
    open: async (waiting) => calls.first() ?? await openOnScreen(desk, waiting),
    holds: () => calls.first() !== undefined,
    listen(answer) {
      hooks?.forget(role, hooks.pending(role));
      const listening = hooks?.listen(role, async (one) => {
        if (one.request.needsPermission === false) return await beforeCall(desk, one, answer);
        desk.hooked++;
        if (!await isPermitted(desk, one)) await answer(() => atOnce(desk, one));
      });
      return {
        [Symbol.dispose]() {
          listening?.[Symbol.dispose]();
          calls.refuseAll();
        },
      };
    },
    noteClosed() {
      // An agent that rests waits for none.
      calls.refuseAll();
      desk.hiddenSinceMs = undefined;
      requests.forgetClosed();
    },
  });
}

async function openOnScreen(
  desk: PaneDesk,
  waiting: Pick<PersonWait, "isAbout">,
): Promise<Asked | undefined> {
  const { context: { clock, plan: { workdir }, signal }, turn: { terminal }, requests } = desk;
  const look = await terminal.look({ signal });
  const open = openDialog(look);
  const isHidden = open === undefined && look.classification.status !== "waiting_user_answer";
  desk.hiddenSinceMs = isHidden ? desk.hiddenSinceMs ?? clock.now() : undefined;
  if (desk.hiddenSinceMs !== undefined && clock.now() - desk.hiddenSinceMs < HIDDEN_LIMIT_MS) return undefined;
  const dialog = open ?? UNREAD_DIALOG;
  const logged = await terminal.pendingRequests();
  const [only, ...others] = logged;
  // A screen may be too low for a question, or a person may have moved about in it, to where it is not read.
  const isQuestion = dialog.kind === "question" ||
    (open === undefined && only?.questions !== undefined && others.length === 0) ||
    logged.some((request) =>
      request.questions !== undefined && waiting.isAbout({ identity: identityOf(dialog, request), request })
    );
  const known = isQuestion
    ? knownQuestions(look, logged, terminal.provider)
    : knownRequest(dialog, await requests.pending(), workdir);
  return onScreen(desk, { dialog, look, known, isQuestion });
}

interface OnScreen {
  readonly dialog: DialogInfo;
  readonly look: PaneLook;
  readonly known: KnownRequest;
  readonly isQuestion: boolean;
}

function onScreen(desk: PaneDesk, { dialog, look, known, isQuestion }: OnScreen): Asked {
  const { context, turn: { terminal: { provider }, turnId }, requests, refused, hooked: hookedBefore } = desk;
  const { dryRun } = context.plan.permissions;
  const { request, doubt } = known;
  const identity = identityOf(dialog, request);
  const wayOf = (answer: PlainAnswer) => provider.terminal.answerWay(dialog, answer);
  const [canAccept, canDecline] = [wayOf("accept") !== undefined, wayOf("decline") !== undefined];
  // Why the questions can only be answered in the pane.
  const paneOnly = !isQuestion ? undefined : refused?.identity === identity ? refused.problem : doubt;
  /** Whether the dialog is still about the same request, as far as the CLI's records tell. */
  const isMeant = async () => {
    const known = knownRequest(dialog, await requests.pending(), context.plan.workdir);
    return desk.hooked === hookedBefore && isSameRequest(known.request, request);
  };
  return {
    identity,
    request,
    shown: request ?? dialog,
    doubt,
    // In a dry run nothing is typed into a pane.
    offers: { allow: canAccept, reject: canDecline, refuse: canDecline && !dryRun, noPlain },
    isAnswerable: !dryRun && (request?.questions === undefined ? canAccept && canDecline : paneOnly === undefined),
    note: paneOnly,
    before: rowsOf(look),
    excerpt: screenExcerpt(look.screen),
    tail: lastLines(rowsOf(look).join("\n"), TAIL_LINES),
    mayChange({ rule }, isAsked) {
      if (!isAsked && requests.mayBeExplained(dialog, known)) return true;
      if (request !== undefined) requests.noteShown(request);
      const isUnsure = rule === "not_exact" || (isQuestion && doubt !== undefined);
      return isUnsure && !isAsked && requests.mayBeLogged(dialog);
    },
    isMeant,
    keysOf(answer) {
      const way = wayOf(answer);
      return way === undefined ? [] : keysOfWay(way, dialog.options);
    },
    carryOut: (given, entry) =>
      given.answer === "reply"
        ? reply(desk, given, { identity, request, entry })
        : pressKeys(desk, given, { dialog, request, isMeant }),
    keepScreen: async () => await context.keepScreen?.(turnId, { screen: look.screen, provider: provider.id }),
  };
}

async function pressKeys(
  desk: PaneDesk,
  { answer }: Extract<GivenAnswer, { readonly answer: PlainAnswer }>,
  { dialog, request, isMeant }: Pick<OnScreen, "dialog"> & Pick<Asked, "request"> & {
    readonly isMeant: () => Promise<boolean>;
  },
): Promise<Given> {
  const { context: { clock, signal }, turn: { terminal }, requests } = desk;
  const { result: outcome, after } = await terminal.answerDialog(dialog, answer, { isMeant, signal });
  if (outcome === "closed") requests.forgetClosed();
  if (outcome === "closed" && request !== undefined && request.source !== "hook") {
    desk.keyed = { request, atMs: clock.now() };
  }
  return { outcome, result: outcome, after: rowsOf({ screen: after }) };
}

/** The answer to questions is given page by page; what cannot be given is the person's to give in the pane. */
async function reply(
  desk: PaneDesk,
  { replies }: Extract<GivenAnswer, { readonly answer: "reply" }>,
  { identity, request, entry }: Pick<Asked, "identity" | "request"> & {
    readonly entry: Parameters<Asked["carryOut"]>[1];
  },
): Promise<Given> {
  const { context: { audit, signal }, turn: { terminal }, requests } = desk;
  if (request === undefined) throw new TypeError("A reply without its questions");
  const given = await giveReplies({ terminal, audit, signal }, { entry, request, replies });
  const { problem } = given;
  if (problem !== undefined) desk.refused = { identity, problem };
  if (given.outcome === "closed") requests.forgetClosed();
  return given;
}

function atOnce(desk: PaneDesk, { request, signal, reply, dismiss }: HookedRequest): AtOnce | undefined {
  const { context: { clock, plan }, requests, keyed } = desk;
  if (keyed !== undefined && clock.now() - keyed.atMs < HOOK_LAG_MS && isSameRequest(keyed.request, request)) {
    dismiss();
    return undefined;
  }
  if (!HOOKED_KINDS.includes(request.kind)) return undefined;
  const asked: Asked = {
    identity: `hook ${request.id}`,
    request,
    shown: request,
    offers: { allow: true, reject: true, refuse: !plan.permissions.dryRun, noPlain },
    isAnswerable: false,
    ...{ before: [], excerpt: "", tail: [] },
    async carryOut(given) {
      const isYes = given.answer === "accept";
      const reason = given.answer === "reply" ? "" : refusalText({ request: requestOf(request), reason: given.reason });
      await reply({ behavior: isYes ? "allow" : "deny", reason });
      return { outcome: "closed", result: "answered", after: [] };
    },
  };
  const answers = ["accept", "decline"] as const;
  return { asked, signal, answers, isUnclear: requests.hasOpaque, noteAnswered: requests.noteExplained };
}

/** Whether a person has said yes to a call before it was made: then its CLI, which asks as well, has that for an answer. */
async function isPermitted(
  { context: { audit }, turn: { role, terminal: { id: terminal, provider } }, calls, requests }: PaneDesk,
  { request, reply }: HookedRequest,
): Promise<boolean> {
  const verdict = calls.verdictOn(request);
  if (verdict === undefined || await requests.hasOpaque()) return false;
  const entry = auditEntry({ role, terminal, provider: provider.id }, { request, shown: request, before: [] }, verdict);
  await audit.perform(entry, async () => {
    await reply({ behavior: "allow" });
    return { outcome: "closed", result: "answered", after: [] };
  });
  requests.noteExplained();
  return true;
}

/**
 * A call that its CLI may just run: it is refused where the policy denies it, waits where a person is to be asked, and is
 * otherwise left to the CLI.
 */
async function beforeCall(
  { context, turn, calls }: PaneDesk,
  { request, signal, reply }: HookedRequest,
  answer: (find: () => AtOnce) => Promise<void>,
): Promise<void> {
  const { plan, audit } = context;
  const { role, terminal: { id: terminal, provider } } = turn;
  const verdict = unaskedCalls(plan, { role, provider })?.(request);
  if (verdict?.decision === "ask" && !plan.permissions.dryRun) return await calls.hold({ request, reply });
  if (verdict?.decision !== "deny") return;
  const before = { request, shown: request, before: [] };
  if (plan.permissions.dryRun) {
    return await audit.note(auditEntry({ role, terminal, provider: provider.id }, before, verdict));
  }
  const { reason } = verdict;
  const refuse = () => reply({ behavior: "deny", reason: refusalText({ request: requestOf(request), reason }) });
  let isRefused = false;
  const asked: Asked = {
    ...before,
    identity: `hook ${request.id}`,
    offers: PLAIN_OFFERS,
    isAnswerable: false,
    ...{ excerpt: "", tail: [] },
    async carryOut() {
      await refuse();
      isRefused = true;
      return { outcome: "closed", result: "answered", after: [] };
    },
  };
  await answer(() => ({ asked, signal, answers: ["decline"] }));
  // Also where it has been refused too often, or that cannot be written down.
  if (!isRefused) await refuse();
}

function noPlain(missing: "yes" | "no"): string {
  return `Its plain ${missing} is not among the choices.`;
}

/** What tells one dialog that is waited for from the next: questions are the same whatever page of them is open. */
function identityOf({ fingerprint }: DialogInfo, request: Request | undefined): string {
  return request?.questions === undefined ? fingerprint : `questions ${request.id}`;
}
