import { fenced } from "../../base/text/markdown.ts";

/** The prompt for another round of work that a person has commented on. */
export function replyText({ tasks, text }: { readonly tasks: readonly string[]; readonly text: string }): string {
  return [
    "An agent has worked on the task below in this folder; `git diff HEAD` and the files show what it did. A person has " +
    "looked at that, and says:",
    fenced(text),
    "Do what they ask for, and leave the rest of the work as it is. The task was:",
    ...tasks.map(fenced),
  ].join("\n\n");
}
