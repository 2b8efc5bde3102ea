import type { AutonomyLevel } from "../../../journal/exec/fields.ts";
import { shellJoin } from "../../../shell/mod.ts";

/**
 * When an agent asks a person, by level: each level asks what the lower ones ask, and more (as the fifth seed defines
 * them).
 */
export const AUTONOMY_TEXTS: Readonly<Record<AutonomyLevel, string>> = {
  0: "Work without asking. Ask only if the task is impossible as it stands: something that it needs does not exist, and you " +
    "cannot make it.",
  1: "Ask only about contradictions that make it unsafe to continue: where what is asked for contradicts itself or the project, " +
    "and a wrong guess would lose data, break what works or open a hole. Decide everything else yourself.",
  2: "Ask about what level 1 asks, and about gaps in the architecture: where the task leaves open which component, storage, " +
    "interface or dependency is meant, and the choice is hard to change later. Decide everything else yourself.",
  3: "Ask about what level 2 asks, and where the design is ambiguous: where there are several reasonable designs, and the task " +
    "and the project's conventions do not tell which one is wanted. Decide details yourself.",
  4: "Ask about what level 3 asks, and about behaviour that is not specified: what happens in edge cases, on errors, with " +
    "defaults, in what the user gets to see.",
  5: "Ask about what level 4 asks, and about choices of implementation that a person may care about: libraries, names, " +
    "structure, style. Ask before you choose.",
};

export function autonomySection(level: AutonomyLevel, command: readonly string[]): string {
  return `AUTONOMY LEVEL: ${level} (of 0 to 5; higher asks more)
${AUTONOMY_TEXTS[level]}

HOW TO ASK: run this command in your shell, by itself, as the only command:
  ${shellJoin(command)} "YOUR QUESTION"
It stops you, a person answers, and your work continues with the answer. So first bring what you have begun to a state that \
you can continue from. Ask one question at a time, with everything needed to decide it: the choices, and which one you would \
take. Do not ask what was answered before, and do not ask in your messages: nobody reads them while you work.`;
}
