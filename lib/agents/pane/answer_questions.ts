import type { Screen } from "../../screen/screen.ts";
import { type AgentQuestion, type QuestionReply, replyText } from "../../base/question.ts";
import {
  type AgentPane,
  CLOSING_PATIENCE,
  DEAF_MS,
  LOOK_EVERY_MS,
  lookUntil,
  openDialog,
  type PaneLook,
} from "./pane_look.ts";
import { lettersOf, type QuestionDialogs, type QuestionPage, type QuestionStep } from "./question_page.ts";

export type QuestionKey = Extract<QuestionStep, { readonly do: "press" | "paste" }>;

export interface QuestionOptions {
  readonly dialogs: QuestionDialogs;
  readonly recorded: () => Promise<Readonly<Record<string, string>> | undefined>;
  readonly questions: readonly AgentQuestion[];
  readonly replies: readonly QuestionReply[];
  /** Whether the questions still wait for their answer: asked right before each key. */
  readonly isMeant: () => Promise<boolean>;
  readonly perform: (
    key: QuestionKey,
    before: PaneLook,
    effect: () => Promise<{
      readonly isPressed: boolean;
      readonly after: PaneLook;
    }>,
  ) => Promise<unknown>;
}

export type QuestionsOutcome =
  & {
    readonly after: Screen;
  }
  & (
    /**
     * It was answered; `told`: the answers that the CLI has on record, a line each, and whether they are those that
     * were to be given: a person may have pressed keys in the pane meanwhile.
     */
    | { readonly result: "closed"; readonly told: string; readonly isAsSaid: boolean }
    | { readonly result: "gone" }
    /** Only a person can continue; `problem`: why, as a full sentence. */
    | { readonly result: "stopped"; readonly problem: string }
  );

const MAX_ATTEMPTS = 2;

/** Once back to the first page, where the last one shows other answers, and once forwards again. */
const MAX_TURNS = 2;

const MAX_KEYS = 80;

/**
 * Answers questions page by page, from whatever page is open: looks right before each key, and wants its effect on the
 * screen. The answers are handed in when the last page shows just them; what the CLI has on record afterwards is the
 * proof.
 */
export async function answerQuestions(pane: AgentPane, options: QuestionOptions): Promise<QuestionsOutcome> {
  const { dialogs, questions, replies } = options;
  const read = (look: PaneLook) => dialogs.read(look, questions);
  const lookFor = (accept: (page: QuestionPage | undefined, look: PaneLook) => boolean, patience = 1) =>
    lookUntil(pane, createStill(read, accept), { timeoutMs: patience * pane.proofTimeoutMs });
  await pane.clock.sleep(DEAF_MS, pane.signal);
  const answered = new Set<number>();
  let isGoingBack = false;
  let turns = 0;
  let pressed = 0;
  let last: { readonly key: string; times: number; readonly answers?: number | undefined } = { key: "", times: 0 };
  for (let tries = 0; tries <= MAX_KEYS; tries++) {
    const look = await lookFor((page, now) => page !== undefined || isGone(now));
    const page = read(look);
    if (page === undefined) return await settle(pane, { look, pressed }, options);
    const stop = (problem: string) => ({ result: "stopped", problem, after: look.screen }) as const;
    if (last.answers !== undefined && last.times > 0 && page.page === "question" && page.index !== last.answers) {
      answered.add(last.answers);
    }
    let step = dialogs.next(page, { questions, replies, isGoingBack, answered });
    for (; step.do === "turn"; turns++) {
      if (turns === MAX_TURNS) return stop("The CLI does not show the answers as they were given.");
      isGoingBack = !isGoingBack;
      step = dialogs.next(page, { questions, replies, isGoingBack, answered });
    }
    if (step.do === "stop") return stop(`The answer cannot be given with keys: ${step.problem}.`);
    const key: QuestionKey = step;
    // A CLI that stood still takes all keys at once: a second one would go to whatever opens after the dialog.
    const { closes = false, answers } = key.do === "press" ? key : {};
    const same = JSON.stringify([closes ? page.page : page, key]);
    if (last.key !== same) last = { key: same, times: 0, answers };
    // Also where a key has no effect: the agent may have asked the very same again at once.
    if (!await options.isMeant()) return await settle(pane, { look, pressed }, options);
    if (last.times >= (closes ? 1 : MAX_ATTEMPTS)) return stop("A key of the answer has no effect.");
    await options.perform(key, look, async () => {
      // Writing down what is to be pressed takes a moment.
      const before = await pane.look();
      if (JSON.stringify(read(before)) !== JSON.stringify(page)) return { isPressed: false, after: before };
      pressed++;
      last.times++;
      await (key.do === "press" ? pane.press([key.key]) : pane.paste(key.text));
      const hasEffect = (now: QuestionPage | undefined, after: PaneLook) => isGone(after) || isEffect(now, page, key);
      return { isPressed: true, after: await lookFor(hasEffect, closes ? CLOSING_PATIENCE : 1) };
    });
  }
  const { screen: after } = await pane.look();
  return { result: "stopped", problem: "The answer takes more keys than it should.", after };
}

/** Whether a page shows what a key has done: pasted words may come in parts. */
function isEffect(now: QuestionPage | undefined, before: QuestionPage, key: QuestionKey): boolean {
  if (now === undefined) return false;
  if (key.do === "press") return JSON.stringify(now) !== JSON.stringify(before);
  return now.page === "question" && lettersOf(now.field.text) === lettersOf(key.text);
}

function isGone(look: PaneLook): boolean {
  return openDialog(look)?.kind !== "question";
}

/** Accepts a page that was read twice in a row: a frame may be half drawn. */
function createStill(
  read: (look: PaneLook) => QuestionPage | undefined,
  accept: (page: QuestionPage | undefined, look: PaneLook) => boolean,
): (look: PaneLook) => boolean {
  let before: string | undefined;
  return (look) => {
    const page = read(look);
    const now = accept(page, look) ? JSON.stringify([page]) : undefined;
    const isStill = now !== undefined && now === before;
    before = now;
    return isStill;
  };
}

/** What came of questions that the screen does not show: the CLI's record tells, which may be behind. */
async function settle(
  { clock, proofTimeoutMs, signal }: AgentPane,
  { look, pressed }: { readonly look: PaneLook; readonly pressed: number },
  options: QuestionOptions,
): Promise<QuestionsOutcome> {
  const after = look.screen;
  for (const startMs = clock.now();;) {
    // Asked before: what is not open any more has its answers on record, or has none.
    const isOpen = await options.isMeant();
    const recorded = await options.recorded();
    if (recorded !== undefined && pressed > 0) return { result: "closed", ...compare(recorded, options), after };
    if (!isOpen) return { result: "gone", after };
    if (clock.now() - startMs >= proofTimeoutMs) {
      return { result: "stopped", problem: "The screen does not show the question as the agent asked it.", after };
    }
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function compare(
  recorded: Readonly<Record<string, string>>,
  { questions, replies }: Pick<QuestionOptions, "questions" | "replies">,
): { readonly told: string; readonly isAsSaid: boolean } {
  const told = questions.map(({ question }) => `${question} → ${recorded[question] ?? "no answer"}`).join("\n");
  const isAsSaid = questions.every((one, at) =>
    lettersOf(recorded[one.question] ?? "") === lettersOf(replyText(one, replies[at]!))
  );
  return { told, isAsSaid };
}
