import { HumanInterventionRequiredError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { RunCaps } from "../../journal/meter_event.ts";
import type { Progress } from "../../journal/progress.ts";
import type { RunEnd } from "../../journal/run_facts.ts";
import type { AcceptChanges } from "../../run/plan.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import { shellJoin } from "../../shell/quote.ts";
import type { Surroundings } from "../carry_out.ts";
import { flagsWords } from "../detach.ts";
import { isTrustedByVariable, type TrustSurroundings } from "../trust.ts";

export type ResumeSurroundings = Pick<Surroundings, "io" | "global" | "noInput"> & Pick<TrustSurroundings, "trust"> & {
  readonly raise: RunCaps;
  readonly acceptChanges: AcceptChanges;
  /** As in the options of a run. */
  readonly handedBack?: string;
  readonly said?: string;
  readonly junit?: string;
  readonly wd?: string;
  readonly config?: string;
};

export async function isRefused(folder: RunFolder, { finished }: Progress, final: readonly RunEnd[]): Promise<boolean> {
  (await lockRun(folder))[Symbol.dispose]();
  return finished !== undefined && final.includes(finished.outcome);
}

type Flags = Readonly<Record<string, unknown>>;

/** Flags that have something run, let something be done, or say whom to talk to. */
const ACTING = ["test-cmd", "auto-accept", "tmux-socket", "tmux-session"];

/**
 * What a run was told on its command line, by its record.
 *
 * @throws {HumanInterventionRequiredError} where an agent may have written that, and nobody agrees to what it would do
 */
export function flagsOnRecord(
  flags: Flags,
  { copyPath, id, journalPath }: RunFolder,
  { io, trust }: Pick<TrustSurroundings, "io" | "trust">,
): Flags {
  const acting = Object.fromEntries(Object.entries(flags).filter(([name]) => ACTING.includes(name)));
  if (journalPath !== copyPath || trust || isTrustedByVariable(io) || Object.keys(acting).length === 0) return flags;
  const told = sanitizeLine(shellJoin(flagsWords(acting)));
  throw new HumanInterventionRequiredError(
    `Cannot go by the record of run ${id}: it is not in your state folder, an agent may have written it, and it has ${told}`,
    { hint: "If you have started the run so, call this again with --trust." },
  );
}
