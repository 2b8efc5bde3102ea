import { HumanInterventionRequiredError } from "../../base/errors.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { Screen } from "../../screen/screen.ts";
import type { AnswerWay, DialogAnswer } from "./dialog_keys.ts";
import {
  type AgentPane,
  CLOSING_PATIENCE,
  DEAF_MS,
  isProcessGone,
  lookUntil,
  lookWithRetry,
  openDialog,
  type PaneLook,
  screenExcerpt,
} from "./pane_look.ts";

export interface AnswerOptions {
  readonly dialog: DialogInfo;
  readonly answer: DialogAnswer;
  /** How it is answered; `undefined` for one that only a person may answer. */
  readonly way: AnswerWay | undefined;
  /** Whether the dialog is still about what was decided: asked right before the key. */
  readonly isMeant?: () => Promise<boolean>;
}

export interface AnswerOutcome {
  /**
   * - `closed`: the answer was given, and the dialog went away.
   * - `gone`: it was not open any more, and the answer was not given.
   * - `replaced`: another dialog was open in its place, or one that looks the same, and the answer was not given.
   */
  readonly result: "closed" | "gone" | "replaced";
  readonly after: Screen;
}

/** How long a frame may be half drawn. */
const FRAME_MS = 100;

/** How often the way to the answer is sought: the dialog may be half drawn meanwhile. */
const MAX_ATTEMPTS = 2;

/**
 * Answers a dialog: checks right before the key that it is still the one that is open, gives the answer once, and looks
 * for proof that it closed. A CLI that stands still takes a second key later, for the dialog that comes next.
 */
export async function answerDialog(pane: AgentPane, options: AnswerOptions): Promise<AnswerOutcome> {
  const { dialog, way } = options;
  const refuse = (look: PaneLook, problem: string) => answerError(pane, { dialog, look, problem });
  await pane.clock.sleep(DEAF_MS, pane.signal);
  for (let attempts = 0;; attempts++) {
    const before = await lookUntil(pane, (now) => shows(now, dialog), { timeoutMs: FRAME_MS });
    if (!shows(before, dialog)) {
      return { result: openDialog(before) === undefined ? "gone" : "replaced", after: before.screen };
    }
    if (attempts === MAX_ATTEMPTS) throw refuse(before, "stays open");
    if (way === undefined) throw refuse(before, "is one that only a person may answer");
    if (way.by === "selection" && !await select(pane, way.option, dialog)) continue;
    if (await options.isMeant?.() === false) return { result: "replaced", after: before.screen };
    await pane.press(way.by === "keys" ? way.keys : ["Enter"]);
    const closing = { timeoutMs: CLOSING_PATIENCE * pane.proofTimeoutMs };
    const after = await lookUntil(pane, createClosingProof(before, options), closing);
    if (isClosed(before, after, options) || await options.isMeant?.() === false) {
      return { result: "closed", after: after.screen };
    }
    throw refuse(after, "stays open, though it was answered");
  }
}

function shows(look: PaneLook, { fingerprint }: DialogInfo): boolean {
  return openDialog(look)?.fingerprint === fingerprint;
}

/**
 * Whether the dialog has closed. An agent may ask the same again at once: then what stands above the dialog shows that
 * it is another one. After a no that proves nothing, since the turn ends with it.
 */
function isClosed(before: PaneLook, now: PaneLook, { dialog, answer }: AnswerOptions): boolean {
  return !shows(now, dialog) || (answer === "accept" && wordsAbove(now) !== wordsAbove(before));
}

/**
 * A dialog that is merely missing must be missing twice, since a frame may be half drawn; an agent at work is proof at
 * once.
 */
function createClosingProof(before: PaneLook, options: AnswerOptions): (now: PaneLook) => boolean {
  let closed = 0;
  return (now) => {
    closed = isClosed(before, now, options) ? closed + 1 : 0;
    return closed > 1 || (closed === 1 && (now.classification.status === "processing" || isProcessGone(now)));
  };
}

/** The letters above a dialog, without what is animated and whatever way they are wrapped. */
function wordsAbove({ screen, dialogRow = 0 }: PaneLook): string {
  return screen.rows.slice(0, dialogRow).map(({ text }) => text).join("").replace(/[^\p{L}]/gu, "");
}

/** Moves the selection to a choice, with a look after each key. False when the dialog is no longer this one. */
async function select(pane: AgentPane, option: number, dialog: DialogInfo): Promise<boolean> {
  let look = await lookWithRetry(pane);
  for (let moves = 0; moves <= dialog.options.length; moves++) {
    if (!shows(look, dialog)) return false;
    const selected = selectedOption(look);
    if (selected === option) return true;
    await pane.press([selected < option ? "Down" : "Up"]);
    look = await lookUntil(pane, (now) => !shows(now, dialog) || selectedOption(now) !== selected);
  }
  throw answerError(pane, { dialog, look, problem: "does not let its selection be moved" });
}

function selectedOption(look: PaneLook): number {
  return openDialog(look)?.options.findIndex(({ selected }) => selected) ?? -1;
}

function answerError(
  { name }: AgentPane,
  { dialog, look, problem }: { readonly dialog: DialogInfo; readonly look: PaneLook; readonly problem: string },
): HumanInterventionRequiredError {
  return new HumanInterventionRequiredError(
    `Cannot answer for ${name}: the dialog (${dialog.kind}) ${problem}\n${screenExcerpt(look.screen)}`,
    { hint: "Answer it in the agent's pane." },
  );
}
