import type { Condition, Rule } from "../screen/mod.ts";

/** Words decide only on captures that have no style to go by. */
export const UNSTYLED: Condition = { on: "style", present: false };

/**
 * The agent's process is gone: it ended with its pane, or the pane's foreground program is a shell. Whatever the screen
 * shows is stale then. A program that runs in a pane of its own is no shell, so a wrapper script must `exec` the CLI.
 */
export function processGoneRules(proof: Pick<Rule, "versions" | "fixture">): readonly Rule[] {
  return [
    {
      id: "process-ended",
      status: "error",
      priority: 1000,
      when: [{ on: "dead" }],
      versions: [],
      fixture: "",
    },
    {
      id: "process-is-shell",
      status: "error",
      priority: 990,
      when: [{ on: "command", text: /^-?(?:ba|z|fi|da|a|k|c|tc|nu)?sh$|^(?:nu|pwsh)$/ }],
      ...proof,
    },
  ];
}
