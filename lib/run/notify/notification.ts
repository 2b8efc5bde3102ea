import type { Redactor } from "../../base/redact/redactor.ts";
import { abridge } from "../../base/text/abridge.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { ButtonsFor } from "./plan.ts";

export interface Notification {
  readonly kind: NotificationKind;
  readonly title: string;
  readonly text: string;
  /** 5: somebody is needed; 1: in quiet hours, whatever it is about. */
  readonly priority: 1 | 3 | 4 | 5;
  /** What waits for an answer; missing where none can be given but in the agent's pane. */
  readonly question?: AskedQuestion;
}

/**
 * Why a person is told something.
 *
 * - `needed`: an agent waits for them; `ended`: the run is over, or has stopped; `digest`: what all runs have come to
 * - `answer`: what came of a button that they have pressed; `test`: they want to see whether messages arrive
 */
type NotificationKind = "needed" | "ended" | "digest" | "answer" | "test";

export interface AskedQuestion {
  readonly id: string;
  readonly fingerprint: string;
  /** Exactly what a yes would permit; missing where nothing is permitted. A yes is offered only if it is shown whole. */
  readonly permits?: string;
  readonly choices: readonly Choice[];
}

interface Choice {
  readonly label: string;
  readonly answer: string;
}

/** What a message may have: ntfy takes 4096 bytes, and makes a file of what is longer. */
const MAX_TEXT_BYTES = 3800;
const MAX_TITLE_CHARS = 120;
const MAX_LABEL_CHARS = 40;

const MAX_BUTTONS = 3;

const YES = "yes";

export function outgoing(
  notification: Notification,
  { redactor, buttons }: { readonly redactor: Redactor; readonly buttons: ButtonsFor },
): Notification {
  const { question } = notification;
  const text = cut(redactor.outgoing(notification.text));
  const title = redactor.outgoing(notification.title).slice(0, MAX_TITLE_CHARS);
  if (question === undefined) return { ...notification, title, text };
  const choices = question.choices.filter(({ answer }) => mayBePressed(question, { answer, buttons, text }));
  return {
    ...notification,
    title,
    text,
    question: {
      ...question,
      // More than a message can have would hide some of them.
      choices: choices.length > MAX_BUTTONS ? [] : choices.map(({ label, answer }) => ({
        label: abridgeLine(sanitizeLine(redactor.outgoing(label)).trim()) || answer,
        answer,
      })),
    },
  };
}

function mayBePressed(
  { permits }: AskedQuestion,
  { answer, buttons, text }: { readonly answer: string; readonly buttons: ButtonsFor; readonly text: string },
): boolean {
  if (permits === undefined) return buttons !== "none";
  if (buttons !== "all") return false;
  return answer !== YES || (permits !== "" && text.includes(permits));
}

function cut(text: string): string {
  let maxChars = MAX_TEXT_BYTES;
  let shown = text;
  while (new TextEncoder().encode(shown).length > MAX_TEXT_BYTES) {
    maxChars = Math.floor(maxChars * 0.8);
    shown = abridge(text, { maxChars });
  }
  return shown;
}

function abridgeLine(line: string): string {
  return line.length <= MAX_LABEL_CHARS ? line : `${line.slice(0, MAX_LABEL_CHARS - 1).trimEnd()}…`;
}
