import {
  AgentAtWorkError,
  DraftInTheWayError,
  HumanInterventionRequiredError,
  type PanewrightError,
  PasteLostError,
  RuntimeError,
} from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { present } from "../../base/schema.ts";
import { isAtRest } from "../../base/status.ts";
import { composerHolds, composerHoldsAll, composerProves } from "./composer_text.ts";
import {
  type AgentPane,
  isProcessGone,
  lookUntil,
  lookWithRetry,
  type PaneLook,
  screenExcerpt,
  type ShownPane,
  showsDialog,
} from "./pane_look.ts";
import type { SubmitProfile } from "../provider.ts";

export interface SubmitOptions extends Pick<SubmitProfile, "pastedToEnterMs"> {
  readonly text: string;
  readonly onStep?: (step: "paste" | "enter") => void | Promise<void>;
  /**
   * Whether the text may stand in the composer already, from an attempt that was broken off. Then a marker that says
   * how long it is counts as the text; otherwise only all of it, visibly, does.
   */
  readonly mayBePasted?: boolean;
}

/** How many Enters one text may take: the first, and another if the first was lost or became a line end. */
const MAX_ENTERS = 2;

const PROOF_LOOK_EVERY_MS = 25;

/** How long a composer must have been empty to prove anything: a frame may be half drawn. */
const EMPTY_MS = 50;

const SECOND_LOOK_MS = 200;

/**
 * Hands text to an agent: one paste, proof that the composer holds it, a pause, one Enter, and proof that it was taken.
 *
 * Nothing is typed while a dialog is open, over a person's draft, or while the agent is at work or has ended. The
 * screen is checked again after the pause, since Enter would approve a dialog that opened meanwhile. A second Enter
 * follows only if the composer still holds this text when the time for the proof is up; a second paste never does.
 */
export async function submitText(pane: AgentPane, options: SubmitOptions): Promise<void> {
  const { text, mayBePasted = false } = options;
  const closely = { everyMs: PROOF_LOOK_EVERY_MS };
  const isPasted = (look: PaneLook) =>
    isAtRest(look.classification.status) && (mayBePasted ? proves(look, text) : holdsAll(look, text));
  const isDecided = (look: PaneLook) => holds(look, text) || isObstructed(look);
  const before = await lookUntil(pane, (look) => isReady(look) || isPasted(look));
  // What a submission that failed has left in the composer needs no second paste.
  if (!isPasted(before)) {
    if (!isReady(before)) throw notReadyError(pane.name, before);
    await options.onStep?.("paste");
    await pane.paste(text);
    const shown = await lookUntil(pane, isDecided, closely);
    if (!holds(shown, text)) throw notPastedError(pane.name, shown);
    await letStand(pane, shown, options);
  }
  for (let enters = 0; enters < MAX_ENTERS; enters++) {
    const pasted = await lookUntil(pane, isDecided);
    if (!holds(pasted, text)) {
      if (enters === 0) throw notPastedError(pane.name, pasted);
      // The first Enter had its effect late: what is open now is about work on the text.
      if (isTaken(pasted, text)) return;
      throw notSubmittedError(pane.name, { look: pasted, text });
    }
    await options.onStep?.("enter");
    await pane.press(["Enter"]);
    const after = await lookUntil(pane, createSubmissionProof(text, pane.clock), closely);
    if (isTaken(after, text)) return;
    if (!holds(after, text)) throw notSubmittedError(pane.name, { look: after, text });
  }
  throw notSubmittedError(pane.name, { look: await lookWithRetry(pane), text });
}

/** Waits until the composer has shown the same for the pause before Enter: a long text may come in pieces. */
async function letStand(pane: AgentPane, shown: PaneLook, { text, pastedToEnterMs }: SubmitOptions): Promise<void> {
  const { clock, proofTimeoutMs, signal } = pane;
  let before = shown;
  for (const start = clock.now(); clock.now() - start < proofTimeoutMs;) {
    await clock.sleep(pastedToEnterMs, signal);
    const now = await lookWithRetry(pane);
    // What is not ours any more is told by the look right before Enter.
    if (!holds(now, text) || now.composer?.text === before.composer?.text) return;
    before = now;
  }
}

/**
 * Whether the composer holds this text, not submitted yet. If not, a second look makes sure: a frame may be half drawn.
 */
export async function holdsDraft({ look, clock, signal }: ShownPane, text: string): Promise<boolean> {
  if (proves(await look(), text)) return true;
  await clock.sleep(SECOND_LOOK_MS, signal);
  return proves(await look(), text);
}

/**
 * Whether somebody's words stand in the composer, or our own text does. If so, a second look makes sure: a frame may be
 * half drawn.
 */
export async function hasDraft({ look, clock, signal }: ShownPane): Promise<boolean> {
  if (!showsDraft(await look())) return false;
  await clock.sleep(SECOND_LOOK_MS, signal);
  return showsDraft(await look());
}

function showsDraft(look: PaneLook): boolean {
  return !isObstructed(look) && look.composer?.state === "draft";
}

function isReady(look: PaneLook): boolean {
  const { status } = look.classification;
  return look.composer?.state === "empty" && !isObstructed(look) && (isAtRest(status) || status === "error");
}

function isObstructed(look: PaneLook): boolean {
  return showsDialog(look) || isProcessGone(look);
}

/** Whether the composer, and no dialog, would take an Enter, and holds this text and nothing else. */
function holds(look: PaneLook, text: string): boolean {
  return showsDraft(look) && composerHolds(look.composer ?? { text: "" }, text);
}

function proves(look: PaneLook, text: string): boolean {
  return holds(look, text) && composerProves(look.composer ?? { text: "" }, text);
}

function holdsAll(look: PaneLook, text: string): boolean {
  return holds(look, text) && composerHoldsAll(look.composer ?? { text: "" }, text);
}

function isTaken(look: PaneLook, text: string): boolean {
  if (isProcessGone(look) || holds(look, text)) return false;
  return look.composer?.state === "empty" || look.classification.status === "processing" || showsDialog(look);
}

/** A busy agent is proof at once; a composer that is merely empty must stay so for a moment. */
function createSubmissionProof(text: string, clock: Clock): (look: PaneLook) => boolean {
  let takenSinceMs: number | undefined;
  return (look) => {
    if (isProcessGone(look)) return true;
    takenSinceMs = isTaken(look, text) ? takenSinceMs ?? clock.now() : undefined;
    if (takenSinceMs === undefined) return false;
    return look.classification.status === "processing" || clock.now() - takenSinceMs >= EMPTY_MS;
  };
}

function notReadyError(name: string, look: PaneLook): Error {
  const refuse = refusal(name, look);
  if (isProcessGone(look)) return refuse(RuntimeError, "the agent has ended");
  if (showsDialog(look)) {
    const hint = "Nothing was typed. Only a person may answer the dialog, in the agent's pane.";
    return refuse(HumanInterventionRequiredError, `${describeDialog(look)} is open`, hint);
  }
  if (look.classification.status === "processing") return refuse(AgentAtWorkError, "the agent is still at work");
  if (look.composer?.state === "draft") {
    const hint =
      "Nothing was typed. The draft is for the person who wrote it to submit or delete, in the agent's pane.";
    return refuse(DraftInTheWayError, "its composer holds a draft that is not ours", hint);
  }
  if (look.composer === undefined) return refuse(RuntimeError, "it shows no composer");
  return refuse(RuntimeError, "the agent is in a state that is not known");
}

function notPastedError(name: string, look: PaneLook): Error {
  const refuse = refusal(name, look);
  if (isProcessGone(look)) return refuse(RuntimeError, "the agent ended while the text was pasted");
  if (showsDialog(look)) {
    const hint =
      "Enter was not pressed, it would have answered the dialog. Only a person may do that, in the agent's pane.";
    return refuse(HumanInterventionRequiredError, `${describeDialog(look)} opened while the text was pasted`, hint);
  }
  if (look.composer?.state === "draft") {
    const problem = "its composer holds something other than the pasted text; Enter was not pressed";
    return refuse(
      DraftInTheWayError,
      problem,
      "What was typed is for the person who typed it to delete, in the agent's pane.",
    );
  }
  const isAtWork = look.classification.status === "processing";
  const problem = "the pasted text does not show in its composer; Enter was not pressed";
  return refuse(isAtWork ? AgentAtWorkError : PasteLostError, problem);
}

function notSubmittedError(name: string, { look, text }: { look: PaneLook; text: string }): Error {
  const refuse = refusal(name, look);
  const problem = isProcessGone(look)
    ? "the agent ended when Enter was pressed"
    : "Enter was pressed, but nothing shows that the text was taken";
  const hasOtherWords = showsDraft(look) && !holds(look, text);
  return hasOtherWords
    ? refuse(DraftInTheWayError, problem, "See in the agent's pane what was submitted, and what was typed there.")
    : refuse(RuntimeError, problem);
}

/** Makes the errors of a text that could not be submitted, with the screen. */
function refusal(name: string, { screen }: PaneLook) {
  return (Kind: typeof PanewrightError, problem: string, hint?: string): Error =>
    new Kind(`Cannot submit to ${name}: ${problem}\n${screenExcerpt(screen)}`, present({ hint }));
}

function describeDialog({ classification: { dialog } }: PaneLook): string {
  return dialog === undefined ? "a dialog" : `a dialog (${dialog.kind})`;
}
