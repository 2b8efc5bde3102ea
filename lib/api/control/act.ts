import type { AnswerBy } from "../../base/terms.ts";
import type { RunFolder } from "../../run/run_folder.ts";

/** From where something is done to a run: a command, a face, or the button of a notification. */
type ActBy = Exclude<AnswerBy, "terminal" | "timeout">;

export interface Actor {
  readonly by: ActBy;
  /** A name for the journal, such as that of an MCP client; it is cut to 200 characters. */
  readonly who?: string;
}

/** Is told of a run before anything of it is given away, so that what is secret in it is known. */
export type MeetRun = (folder: RunFolder) => Promise<void>;
