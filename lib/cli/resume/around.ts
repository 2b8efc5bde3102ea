import type { RunCaps } from "../../journal/meter_event.ts";
import type { Progress } from "../../journal/progress.ts";
import type { RunEnd } from "../../journal/run_facts.ts";
import type { AcceptChanges } from "../../run/plan.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import type { Surroundings } from "../carry_out.ts";
import type { TrustSurroundings } from "../trust.ts";

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
