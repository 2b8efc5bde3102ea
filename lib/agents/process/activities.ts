import type { AcpActivity } from "../acp/activity.ts";
import type { AgentEvent } from "../agent.ts";

/** Tells a person who watches what an agent's events come to, besides activities that are told as they are. */
export function createActivityTeller(onActivity: (activity: AcpActivity) => void = () => {}) {
  let messages = 0;
  return Object.assign(onActivity, {
    of(event: AgentEvent): void {
      switch (event.type) {
        case "said":
        case "reasoned": {
          const type = event.type === "said" ? "message" : "thought";
          return onActivity({ type, id: `m${++messages}`, text: event.text });
        }
        case "ran":
        case "saw": {
          const { id, command } = event;
          const hasFailed = event.type === "saw" && (event.exitCode ?? 0) !== 0;
          const status = event.type === "ran" ? "in_progress" : hasFailed ? "failed" : "completed";
          onActivity({ type: "tool_call", id, kind: "execute", title: command, status, command });
          if (event.type === "saw") onActivity({ type: "tool_output", id, text: event.output });
          return;
        }
        case "permitted":
          return onActivity({ type: "mode", mode: event.mode });
        case "trouble":
          return onActivity({ type: "note", text: event.text, isProblem: true });
        case "asked": {
          const { id, subject, tool } = event.request;
          return onActivity({ type: "permission_asked", id, text: subject === "" ? tool : subject });
        }
      }
    },
  });
}
