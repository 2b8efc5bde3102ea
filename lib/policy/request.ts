import type { DialogKind } from "../screen/dialog.ts";
import type { AgentQuestion } from "../base/question.ts";

/** What an agent asks to do, whole and exact, from its CLI's own record: never as a screen shows it. */
export interface Request {
  /** The CLI's own id of the call where it tells one, otherwise one of ours. */
  readonly id: string;
  readonly source: "hook" | "session_log" | "acp" | "person";
  readonly kind: DialogKind;
  readonly subject: string;
  /** Absolute path of the folder in which it would run; missing where the CLI does not tell. */
  readonly cwd?: string;
  /** The CLI's name of the tool: `Bash`, `apply_patch`. */
  readonly tool: string;
  /** Whether it asks to run outside of the CLI's sandbox. @default {false} */
  readonly leavesSandbox?: boolean;
  /** What a dialog of the kind `question` asks; missing where that is not understood. */
  readonly questions?: readonly AgentQuestion[];
  /** Whether its CLI would ask a person for a permission; otherwise it runs unless it is denied. @default {true} */
  readonly needsPermission?: boolean;
  /** The plain answers that the agent takes, for this once. @default both */
  readonly offers?: { readonly allow: boolean; readonly reject: boolean };
}
