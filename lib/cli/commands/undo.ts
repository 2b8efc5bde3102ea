import { requireAtRest, requireNoneAtWork } from "../../api/control/workspace_acts.ts";
import { outputLine } from "../../api/output/line.ts";
import { UsageError } from "../../base/errors.ts";
import { isExecuted } from "../../base/ports/lock_file.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { workdirOf } from "../../journal/paths.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { undoCheckout } from "../../workspace/checkout.ts";
import { keepResult } from "../../workspace/result.ts";
import { undoTo } from "../../workspace/turns.ts";
import { type CliIo, defineCommand, type GlobalFlags, integerFlag } from "../console/command.ts";
import { type MeantCheckout, meantCheckout } from "../meant_checkout.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { resultText } from "../show/workspace_words.ts";

/** `panewright undo`: puts the files of a workspace back to what they were after an earlier turn, or of a checkout to before a run. */
export const command = defineCommand({
  arguments: [WORKSPACE_ARGUMENT],
  flags: { turn: integerFlag("N", "as they were after that turn; 0 is the beginning. Default: before the last turn") },
  async run({ flags: { turn }, global, positionals: [name] }, io) {
    const checkout = await meantCheckout(name, io);
    if (checkout !== undefined) return await undoRun(checkout, { global, io, isNamed: name !== undefined, turn });
    const workspace = await meantWorkspace(name, io);
    await requireAtRest(workspace, "undo a turn of");
    const number = await undoTo(workspace, { number: turn, now: new Date(), signal: io.signal });
    const result = await keepResult(workspace, io);
    if (global.json) io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
    else if (!global.quiet) {
      const when = number === 0 ? "at the beginning" : `after turn ${number}`;
      io.stdout(`The files of ${workspace.name} are as they were ${when}.\n`);
      io.stdout(resultText(workspace, result));
    }
    return 0;
  },
});

/** Takes back what a run has changed in the checkout itself; what was changed since stays. */
async function undoRun(
  { run, work }: MeantCheckout,
  { global, io, isNamed, turn }: {
    readonly global: GlobalFlags;
    readonly io: CliIo;
    readonly isNamed: boolean;
    readonly turn: number | undefined;
  },
): Promise<0> {
  const { id } = run;
  const cannot = (why: string, hint: string) => new UsageError(`Cannot undo run ${id}: ${why}`, { hint });
  if (!isNamed) {
    throw cannot("it must be named", `It is the newest one here: ${runCommandLine(["undo", id])}`);
  }
  if (turn !== undefined) {
    throw cannot("it worked in the checkout itself, and its turns are not kept", "Without --turn all of it is undone.");
  }
  if (await isExecuted(run)) throw cannot("it is at work", `Stop it first: ${runCommandLine(["stop", id])}`);
  if (!work.isEnded) {
    throw cannot(
      "it was broken off, and what it has changed cannot be told from what was changed since",
      `Look at it: ${runCommandLine(["diff", id])}, or continue the run: ${runCommandLine(["resume", id])}`,
    );
  }
  const workdir = workdirOf(run.path);
  if (workdir !== undefined) {
    await requireNoneAtWork(workdir, `undo what run ${id} has done in ${sanitizeLine(workdir)}`);
  }
  const files = await undoCheckout(work, { commit: work.commit, signal: io.signal });
  if (global.json) io.stdout(outputLine("workspace_applied", { name: id, files: [...files] }));
  else if (!global.quiet) {
    const paths = files.map(sanitizeLine).join(", ");
    io.stdout(
      files.length === 0
        ? `Nothing is there any more of what run ${id} has changed.\n`
        : `As before run ${id}: ${paths}\nWhat it had changed: ${runCommandLine(["diff", id])}\n`,
    );
  }
  return 0;
}
