import { fenced } from "../../base/text/markdown.ts";

/** What an agent is told that goes on with work of which a person has said something. */
export function replyText({ tasks, text }: { readonly tasks: readonly string[]; readonly text: string }): string {
  return [
    "An agent has worked on the task below in this folder; `git diff HEAD` and the files show what it did. A person has " +
    "looked at that, and says:",
    fenced(text),
    "Do what they ask for, and leave the rest of the work as it is. The task was:",
    ...tasks.map(fenced),
  ].join("\n\n");
}
