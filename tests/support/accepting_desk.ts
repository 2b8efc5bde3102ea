import type { DialogDesk } from "../../lib/turn/dialog_desk.ts";
import type { AgentTerminal } from "../../lib/agents/pane/agent_terminal.ts";
import { openDialog } from "../../lib/agents/pane/pane_look.ts";
import { until } from "./until.ts";

/** A desk that says yes to every dialog of a terminal. */
export function acceptingDesk(terminal: AgentTerminal): DialogDesk {
  return {
    async inspect() {
      const dialog = openDialog(await terminal.look());
      if (dialog === undefined) return undefined;
      const answer = async () => (await terminal.answerDialog(dialog, "accept")).result === "closed";
      return { decision: "accept", by: "policy", request: "it", reason: "Why not.", tail: [], answer };
    },
    noteClosed: () => {},
  };
}

/** Waits for a terminal's dialog, and answers it. Returns its kind. */
export async function answerNextDialog(terminal: AgentTerminal, answer: "accept" | "decline"): Promise<string> {
  const dialog = await until(async () => openDialog(await terminal.look()));
  await terminal.answerDialog(dialog!, answer);
  return dialog!.kind;
}
