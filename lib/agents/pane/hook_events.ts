import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";

export interface HookEvent {
  /** `ended`: nothing is left to do. `left`: the turn has ended, and agents in the background are still at work. */
  readonly type: "taken" | "ended" | "left";
  readonly name: string;
  readonly sessionId: string;
  readonly turnId: string | undefined;
  readonly continued: boolean;
  /** Whether the turn has ended with an error, by the CLI's own word. */
  readonly failed: boolean;
}

/** The hooks whose events are understood; a CLI may not have all of them. */
const TYPES: Readonly<Record<string, "taken" | "ended">> = {
  UserPromptSubmit: "taken",
  Stop: "ended",
  StopFailure: "ended",
};

/**
 * Reads the JSON that a hook of Claude Code (2.1.328) or Codex (0.169.0) gets: that a prompt was taken or that a turn
 * has ended, of the agent itself. `undefined` for any other event, for those of sub-agents, and for what is not
 * understood.
 */
export function readHookEvent(json: string): HookEvent | undefined {
  const payload = objectOf(parseJsonObject(json));
  const name = textOf(payload["hook_event_name"]) ?? "";
  const sessionId = textOf(payload["session_id"]);
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (type === undefined || sessionId === undefined || payload["agent_id"] !== undefined) return undefined;
  return {
    type: type === "ended" && hasAgentsAtWork(payload["background_tasks"]) ? "left" : type,
    name,
    sessionId,
    turnId: textOf(payload["turn_id"]) ?? textOf(payload["prompt_id"]),
    continued: payload["stop_hook_active"] === true,
    failed: name === "StopFailure",
  };
}

/** Claude Code rests while a shell runs in the background, and works while anything else does (2.1.328). */
function hasAgentsAtWork(tasks: unknown): boolean {
  return Array.isArray(tasks) &&
    tasks.map(objectOf).some(({ type, status }) => type !== "shell" && status === "running");
}
