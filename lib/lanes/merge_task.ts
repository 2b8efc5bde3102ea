import { fenced } from "../base/text/markdown.ts";
import type { MergeProblem } from "../journal/exec/state.ts";

/** What an agent is told that brings a task's work together with what was landed meanwhile. */
export function mergeText(
  { problem: { conflicts, output }, task, landed }: {
    readonly problem: MergeProblem;
    /** The text of the task whose work it is. */
    readonly task: string;
    /** The texts of the tasks that were landed meanwhile. */
    readonly landed: readonly string[];
  },
): string {
  const what = conflicts.length > 0
    ? [
      "Two pieces of work changed the same places. The files below have git's conflict marks (<<<<<<<, =======, >>>>>>>): " +
      "the upper side is what was landed before, the lower side is the new work.",
      conflicts.map((path) => `- ${path}`).join("\n"),
      "Resolve each of them so that both pieces of work do what they were for, and leave no mark.",
    ]
    : [
      "Two pieces of work were merged without a conflict, but the project's checks fail on the two together:",
      fenced(output),
      "Change what is needed so that both pieces of work do what they were for, and the checks pass.",
    ];
  return [
    ...what,
    "Change nothing else, and do not take back what either of them was for.",
    "The new work was for this task:",
    fenced(task),
    ...(landed.length === 0 ? [] : ["What was landed before was for:", ...landed.map(fenced)]),
  ].join("\n\n");
}
