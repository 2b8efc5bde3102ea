import { HumanInterventionRequiredError } from "../../base/errors.ts";
import { type Ancestry, lookAtAncestry } from "../../base/ports/ancestry.ts";
import type { Progress } from "../../journal/progress.ts";
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

/**
 * Refuses what only a person may do to a process that an agent of a run has started, whatever way it took.
 *
 * @param what what is to be done, after "Cannot"
 * @returns where this process comes from
 * @throws {HumanInterventionRequiredError} `reserved_for_person`
 */
export async function requireNoAgent(what: string, progress?: Pick<Progress, "workers">): Promise<Ancestry> {
  const ancestry = await lookAtAncestry();
  const agents = (progress?.workers ?? []).flatMap(({ pane, process }) => [pane ?? [], process ?? []].flat());
  const isBelow = ancestry.chain.some(({ pid, startTime }) =>
    agents.some((agent) => agent.pid === pid && agent.processStart === startTime)
  );
  if (!ancestry.isMarked && !isBelow) return ancestry;
  throw new HumanInterventionRequiredError(`Cannot ${what}: an agent of a run has started this process`, {
    code: "reserved_for_person",
    hint: "Only a person may do that: in a terminal that no agent has opened.",
  });
}
