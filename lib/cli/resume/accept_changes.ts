import { UsageError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type ContractChange, describeChanges } from "../../run/contract.ts";
import type { AcceptChanges } from "../../run/plan.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { type CliIo, type GlobalFlags, switchFlag } from "../console/command.ts";
import { shellJoin } from "../../shell/quote.ts";
import { flagsWords } from "../detach.ts";
import { isAtTerminal, isYes } from "../trust.ts";

export const ACCEPT_FLAG = switchFlag(
  "accept what has changed since the run began, which is shown: configuration, prompts and scripts of checks",
);

interface Asking {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly noInput: boolean;
  readonly accepts: boolean;
  /** What the command was called with. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** Has a person accept what is not as it was when the run began. Trust is about a config; this is about a run. */
export function acceptChanges({ id }: RunFolder, { io, global, noInput, accepts, flags }: Asking): AcceptChanges {
  const command = shellJoin(["panewright", "resume", id, ...flagsWords(flags), "--accept-changes"]);
  return async (changes: readonly ContractChange[]) => {
    const names = changes.map(({ path }) => sanitizeLine(path)).join(", ");
    const diff = describeChanges(changes);
    const head = `has changed since the run began, perhaps by one of its agents: ${names}\n${diff}`;
    // What was accepted is in the journal, too.
    if (accepts) return global.json || global.quiet ? undefined : io.stderr(`What is accepted ${head}\n`);
    if (!global.json && !noInput && isAtTerminal(io)) {
      io.stderr(`What run ${id} is bound to ${head}\n`);
      using input = io.openTerminalInput();
      if (await isYes("Do you accept this?", { io, input })) return;
    }
    throw new UsageError(`Cannot resume run ${id}: what it is bound to ${head}`, {
      hint: `Put back what was there, or accept the change with: ${command}`,
    });
  };
}
