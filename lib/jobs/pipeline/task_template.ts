import { oneLine } from "../../base/text/lines.ts";
export const TASK_TEMPLATE =
  `Say here what to do: the goal, the files concerned, what must not change, and how to tell that it is done. The agent
gets this text as its task.
`;

/** Whether a task's text is still {@linkcode TASK_TEMPLATE}. */
export function isUnwritten(text: string): boolean {
  return oneLine(text) === oneLine(TASK_TEMPLATE);
}
