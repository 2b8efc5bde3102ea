import { assert } from "@std/assert";
import { answerQuestions, type QuestionKey, type QuestionsOutcome } from "../../lib/agents/pane/answer_questions.ts";
import type { PaneLook } from "../../lib/agents/pane/pane_look.ts";
import type { QuestionDialogs } from "../../lib/agents/pane/question_page.ts";
import type { AgentQuestion } from "../../lib/base/question.ts";
import { readReplies } from "../../lib/turn/desk/question_answer.ts";
import { stillClock } from "./still_clock.ts";

/** A dialog with questions that behaves as a CLI's does. */
export interface FakeDialog {
  /** The answers on record; `undefined` while it is open. */
  readonly recorded: Readonly<Record<string, string>> | undefined;
  look(): PaneLook;
  press(key: string): void;
  paste(text: string): void;
}

/** What a person says, and what goes wrong meanwhile. */
export interface Answering {
  readonly said: string;
  /** After how many keys its process is killed. */
  readonly keys?: number;
  readonly isDropped?: (key: number, step: QuestionKey) => boolean;
  /** What happens in the pane while a key is written down. */
  readonly whileWritten?: (key: number) => unknown;
}

/** Makes what answers an open dialog of a CLI, ending as a killed process does after so many keys. */
export function answererOf(dialogs: QuestionDialogs) {
  return (
    dialog: FakeDialog,
    questions: readonly AgentQuestion[],
    { said, keys = Infinity, isDropped = () => false, whileWritten = () => {} }: Answering,
  ): Promise<QuestionsOutcome> => {
    const read = readReplies(said, questions);
    assert("replies" in read, JSON.stringify(read));
    let pressed = 0;
    let step: QuestionKey;
    return answerQuestions({
      name: "analyst",
      look: () => Promise.resolve(dialog.look()),
      press: ([key]) => Promise.resolve(isDropped(pressed, step) ? undefined : dialog.press(key!)),
      paste: (text) => Promise.resolve(isDropped(pressed, step) ? undefined : dialog.paste(text)),
      proofTimeoutMs: 500,
      clock: stillClock(),
    }, {
      ...{ dialogs, questions, replies: read.replies },
      recorded: () => Promise.resolve(dialog.recorded),
      isMeant: () => Promise.resolve(dialog.recorded === undefined),
      async perform(key, _before, effect) {
        if (pressed === keys) throw new Error("killed");
        step = key;
        pressed++;
        whileWritten(pressed);
        await effect();
      },
    });
  };
}
