import type { TerminalStatus } from "../../../lib/base/status.ts";
import type { Respond } from "../script.ts";
import type { Turn } from "../steps.ts";
import type { TurnState } from "./turn_state.ts";

/** A short session with a fresh agent, played to show some states. */
export interface Scene {
  readonly name: string;
  /** What the model does about the prompts, one turn each; or what decides it for each prompt. */
  readonly turns: readonly Turn[] | Respond;
  /** How the agent is set up. @default {"ready"} */
  readonly setup?: SceneSetup;
  /** Arguments for the agent. */
  readonly args?: readonly string[];
  /** Files of the project, by name. */
  readonly files?: Readonly<Record<string, string>>;
  readonly play: readonly StageStep[];
}

/** A method of the stage with its arguments. */
type StageStep = {
  readonly [Method in keyof Stage]: Stage[Method] extends (...args: infer Args) => unknown ? readonly [Method, ...Args]
    : never;
}[keyof Stage];

/**
 * - `ready`: straight to the composer, everything is allowed
 * - `guarded`: commands and patches need approval
 * - `untrusted`: the agent asks whether the folder is trusted
 * - `logged_out`: the agent asks for a login
 */
export type SceneSetup = "ready" | "guarded" | "untrusted" | "logged_out";

/** What a recorded screen has to show. */
export interface Truth {
  /** How the model server's log must stand, before and after the screen was captured; one of several. */
  readonly turn: TurnState | readonly TurnState[];
  readonly note: string;
  /** @default {true} false where this screen alone cannot tell the status */
  readonly alone?: boolean;
}

/** What a scene can do with its agent. Each wait ends with an error after a while. */
export interface Stage {
  /** Waits until the screen has not changed for a moment. */
  settle(): Promise<void>;
  /** Pastes a text, without Enter. */
  paste(text: string): Promise<void>;
  /** Presses keys, by their tmux names. */
  press(...keys: readonly string[]): Promise<void>;
  /** Pastes a text, presses Enter and waits for the model to be asked. */
  submit(text: string): Promise<void>;
  /** Waits until the model stands at a `hold`. */
  held(): Promise<void>;
  /** Lets the model go on from its `hold`. */
  release(): Promise<void>;
  /** Waits until the log stands so. */
  turn(state: TurnState): Promise<void>;
  /** Presses the keys that interrupt the agent in this setting. */
  interrupt(): Promise<void>;
  /** Waits until the agent has given up its turn, as the model server's log or the agent's session log tells. */
  interrupted(): Promise<void>;
  /** Waits until so many requests were refused or broken. */
  refusals(count: number): Promise<void>;
  /** Waits for a file in the project, which a command of the model writes. */
  file(name: string): Promise<void>;
  /** Waits until a file of the agent's own, below the folder that holds its home, has this text in it. */
  stored(path: string, text: string): Promise<void>;
  /** Writes an empty file into the project, for which a command of the model waits. */
  touch(name: string): Promise<void>;
  pause(ms: number): Promise<void>;
  /** Kills the agent's process. */
  kill(): Promise<void>;
  /** Waits until the shell that the agent was started from is back. */
  gone(): Promise<void>;
  /** Records the screen as `state`, after the log was found to agree. */
  capture(state: string, expect: TerminalStatus, truth: Truth): Promise<void>;
}

/** A command that says when it runs, and waits until `stage.touch("go")`. */
export const WAITING_COMMAND = "touch started; until [ -e go ]; do sleep 0.1; done; echo finished";

/** How a CLI starts the MCP server of `tests/lab/mcp_server.ts`. */
export function mcpServer(): Readonly<Record<string, unknown>> {
  const path = new URL("../mcp_server.ts", import.meta.url).pathname;
  return { command: Deno.execPath(), args: ["run", "--no-config", path] };
}
