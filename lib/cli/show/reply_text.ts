import { cut } from "../../base/text/display_width.ts";
import { firstLine } from "../../base/text/lines.ts";
import { fenced } from "../../base/text/markdown.ts";

const TITLE_COLUMNS = 72;

/** The prompt for another round of work that a person has commented on. */
export function replyText({ tasks, text }: { readonly tasks: readonly string[]; readonly text: string }): string {
  return [
    // Lists and cards tell a run by the first line of what it was to do.
    `Reply: ${cut(firstLine(text.trim()), TITLE_COLUMNS)}`,
    "An agent has worked on the task below in this folder; `git diff HEAD` and the files show what it did. A person has " +
    "looked at that, and says:",
    fenced(text),
    "Do what they ask for, and leave the rest of the work as it is. The task was:",
    ...tasks.map(fenced),
  ].join("\n\n");
}
