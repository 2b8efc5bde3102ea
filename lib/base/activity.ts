import type { ToldCost, Usage } from "./usage.ts";

/** What an agent said and did, as people read it. */
export type AgentFact =
  /** Its session has a name; it can be resumed by it. */
  | { readonly type: "session"; readonly sessionId: string }
  | { readonly type: "said"; readonly text: string }
  | { readonly type: "reasoned"; readonly text: string }
  /** It runs a command, or calls another tool, of which `command` is a line that tells about it. */
  | { readonly type: "ran"; readonly id: string; readonly command: string }
  /** What it saw of that: its output, and the exit code where there is one. */
  | {
    readonly type: "saw";
    readonly id: string;
    readonly command: string;
    readonly output: string;
    readonly exitCode?: number;
  }
  /** The tokens so far, by model, and what they cost where the agent tells it. */
  | { readonly type: "usage"; readonly usage: Usage; readonly cost?: ToldCost }
  /** What it may do by its own word: its sandbox, its permission mode. */
  | { readonly type: "permitted"; readonly mode: string }
  /** Something went wrong that did not end the turn, such as a request that is tried again. */
  | { readonly type: "trouble"; readonly text: string };
