import type { Role } from "../../base/roles.ts";
import type { AskAboutDialog } from "../../turn/desk/desk_context.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { AskAtTerminal, PlannedOptions, Run } from "../../run/execution.ts";
import type { Judge } from "../evidence/gather.ts";
import type { ReviewRunPlan } from "./plan.ts";
import type { RunState } from "./state.ts";
import type { TakenTurn } from "./recall_response.ts";

export interface ReviewRunOptions extends PlannedOptions<ReviewFact, ReviewRunPlan, AskAboutDialog> {
  readonly beforeResume?: (roles: readonly Role[]) => Promise<void>;
  /** The turns that were done in another run. @default {[]} */
  readonly taken?: () => Promise<readonly TakenTurn[]>;
}

/** A run under way, with its plan. */
export interface RunParts extends Run<ReviewFact, RunState>, Pick<ReviewRunOptions, "taken"> {
  readonly plan: ReviewRunPlan;
  /** The person at the terminal, who is asked about dialogs; undefined where nobody sits there. */
  readonly person: AskAboutDialog | undefined;
  /** Asks the same person what is no question of an agent. */
  readonly askAtTerminal?: AskAtTerminal;
  /** Whether agents that ask wait as long as it takes. */
  readonly isPatient: boolean;
  /** Looks whether what has passed holds. @default it does */
  readonly judge?: () => ReturnType<Judge>;
}
