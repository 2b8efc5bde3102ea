import { requireNoAgent } from "../../api/control/act.ts";
import { roleOf } from "../../api/show/roles_of_run.ts";
import { stopRun } from "../../api/control/stop_run.ts";
import { UsageError } from "../../base/errors.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { JOBS } from "../../jobs/mod.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { refuseElsewhere } from "../../run/elsewhere.ts";
import { readRun } from "../../run/overview.ts";
import { defineCommand, switchFlag } from "../console/command.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { acceptChanges } from "../resume/accept_changes.ts";
import { resumeRead } from "../resume/resume_read.ts";
import { openInTerminal, sessionOf } from "../takeover.ts";
import { requireTrustOfRun, TRUST_FLAG } from "../trust.ts";

/** `panewright takeover`: an agent's session in the terminal of a person, while its run waits. */
export const command = defineCommand({
  arguments: [
    { ...RUN_ARGUMENT, completes: ["runs", "roles"] },
    { name: "ROLE", description: "the role, or the step, whose session is opened (the one at work)" },
  ],
  flags: {
    keep: switchFlag("do not resume the run when you leave the session"),
    wd: WORKDIR_FLAG,
    trust: TRUST_FLAG,
  },
  async run({ flags, global, positionals: [name, role] }, io) {
    const { wd, trust = false } = flags;
    const folder = await findMeantRun(io, name, wd);
    refuseElsewhere(folder, `take over run ${folder.id}`);
    if (!io.isTerminal.stdin || !io.isTerminal.stdout) {
      throw new UsageError(`Cannot take over run ${folder.id}: this is not a terminal`);
    }
    const before = await readRun(folder, JOBS);
    await requireNoAgent(`take over run ${folder.id}`, before.progress);
    if (role !== undefined && before.progress?.job === "run") roleOf(before.progress, role, "take over");
    await requireTrustOfRun(before.progress?.configFile ?? null, { io, trust, mayAsk: true });
    // What stands in the way is told before the run is stopped.
    await sessionOf(before, { role, io });
    if (before.executed) io.stderr(`Stopping run ${folder.id}, so that its agent does not work beside you.\n`);
    const stop = () => stopRun(folder, { force: false, wd, clock: systemClock, signal: io.signal });
    // Agents that are to stay when their run is stopped, or were left by one that was killed, are ended by another stop.
    if ((await stop()).told.agentsAlive && (await stop()).told.agentsAlive) {
      throw new UsageError(`Cannot take over run ${folder.id}: its agents are still alive`, {
        hint: `End them with: ${runCommandLine(["stop", folder.id, "--force"], wd)}`,
      });
    }
    // What it had begun to do by its end is in its session.
    const session = await sessionOf(await readRun(folder, JOBS), { role, io });
    const back = runCommandLine(["resume", folder.id], wd);
    io.stderr(
      `This is the session of ${session.worker}, ${
        session.inside === undefined ? "outside of any sandbox: your own settings hold" : "in the sandbox of the run"
      }. ` +
        (flags.keep === true ? `Leave it, and resume with: ${back}\n` : "Leave it to hand it back.\n"),
    );
    await openInTerminal(session, { back, io });
    if (flags.keep === true) return 0;
    return await resumeRead(folder, {
      ...{ io, global, noInput: false, trust, raise: {}, handedBack: session.sessionId },
      ...(wd === undefined ? {} : { wd }),
      acceptChanges: acceptChanges(folder, { io, global, noInput: false, accepts: false, flags: {} }),
    });
  },
});
