import type { AgentQuestion } from "../base/question.ts";

export interface Chosen {
  readonly choices: readonly number[];
  readonly text: string;
}

export function composeReplies(chosen: readonly Chosen[]): string {
  return chosen.map(({ choices, text }) => {
    const words = text.trim().replace(/\s+/g, " ");
    return [...choices.map((at) => `#${at + 1}`), ...words === "" ? [] : [`text: ${words}`]].join(", ");
  }).join("\n");
}

export function isComplete(questions: readonly AgentQuestion[], chosen: readonly Chosen[]): boolean {
  return questions.every(({ multiSelect }, index) => {
    const { choices, text } = chosen[index]!;
    const count = choices.length + (text.trim() === "" ? 0 : 1);
    return count > 0 && (multiSelect || count === 1);
  });
}
