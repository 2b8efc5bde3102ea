import { requireNoAgent } from "../../api/control/act.ts";
import { outputLine } from "../../api/output/line.ts";
import { HumanInterventionRequiredError, PanewrightError, UsageError } from "../../base/errors.ts";
import { makeFoldersBelow } from "../../base/ports/own_files.ts";
import { NO_STATE_FOLDER, STATE_FOLDER_HINT, stateFolder } from "../../base/ports/state_folder.ts";
import { shellQuote } from "../../shell/mod.ts";
import { type CliIo, type FlagValues, type GlobalFlags, textFlag } from "../console/command.ts";
import { flagsWords } from "../detach.ts";
import { passedEnvironment } from "../environment.ts";
import { TRUST_VARIABLE } from "../trust.ts";
import { commandInForm, startOfThis } from "../start_form.ts";
import { cronTime, NoTimerError, planAgain, planOnce } from "./timers.ts";

export const LATER_FLAGS = {
  at: textFlag("TIME", "begin it then, by your system's timers, without a terminal: 02:00, 'now + 3 hours'"),
  every: textFlag(
    "DAYS",
    "begin it on each of these days at the time of --at: day, weekday, monday,friday",
  ),
  "keep-env": textFlag(
    "NAME",
    "with --at: the run has this variable then, too, such as a key; it stands in a file of yours",
    { repeatable: true },
  ),
};

/** All that a run needs was found now; it is begun at another time. */
class BegunLaterError extends UsageError {
  override name = "BegunLaterError";
}

/** @throws {BegunLaterError} where the run is to begin at another time */
export function requireNow({ beginsLater }: Pick<CliIo, "beginsLater">): void {
  if (beginsLater === true) throw new BegunLaterError("Cannot begin the run now: it is for another time");
}

interface Asked {
  readonly flags: Readonly<Record<string, unknown>> & FlagValues<typeof LATER_FLAGS>;
  readonly positionals: readonly string[];
  readonly global: GlobalFlags;
}

/**
 * Has the system's own timers call a command that executes a run, after all that can be wrong with it by then was looked
 * at now, with the variables that it will have.
 *
 * @throws {UsageError} as the command refuses it; or where the timer cannot be set
 */
export async function startLater(
  command: "run" | "exec" | "task",
  { flags: { at, every, "keep-env": kept = [], ...flags }, positionals, global }: Asked,
  { io, look }: { readonly io: CliIo; readonly look: (io: CliIo) => Promise<number> },
): Promise<number> {
  if (at === undefined) {
    const flag = every === undefined ? "--keep-env" : "--every";
    throw new UsageError(`Cannot use ${flag} without --at: say when, such as --at 02:00`);
  }
  if (every !== undefined) cronTime(every, at);
  const flag = every === undefined ? "--at" : "--every";
  const unfit = ["dry-run", ...(every === undefined ? [] : ["key"])].find((name) => flags[name] !== undefined);
  if (unfit !== undefined) throw new UsageError(`Cannot use ${flag} with --${unfit}`);
  if (positionals.at(-1) === "-") {
    throw new UsageError(`Cannot use ${flag} with a task from standard input: name a file`);
  }
  await requireNoAgent("plan a run");
  const state = stateFolder(io.env);
  if (state === undefined) throw new UsageError(`Cannot plan a run: ${NO_STATE_FOLDER}`, { hint: STATE_FOLDER_HINT });
  const unset = kept.find((name) => io.env(name) === undefined);
  if (unset !== undefined) throw new UsageError(`Cannot use --keep-env ${unset}: this variable is not set`);
  // What stands there now is trusted by now; by the variable, it would be whatever stands there then.
  const passed = passedEnvironment(io, kept);
  const { [TRUST_VARIABLE]: _trusts, ...env } = passed;
  try {
    const later = { env: (name: string) => passed[name], envNames: () => Object.keys(passed), beginsLater: true };
    return await look({ ...io, ...later });
  } catch (error) {
    if (!(error instanceof BegunLaterError)) throw explained(error, { io, env });
  }
  const { trust: _, ...meant } = { trust: true, ...flags, detach: true };
  const words = [command, ...flagsWords(meant)];
  // As the person calls it: where this process was unpacked may be gone by then.
  const call = commandInForm([...words, "--", ...positionals], startOfThis(io));
  const folder = await makeFoldersBelow(state, "later");
  const log = `${folder}/said.log`;
  const script = scriptOf({ call, env, cwd: io.cwd, log });
  const around = { time: at, env, signal: io.signal };
  const about = { script, folder, title: [command, ...positionals].join(" ").slice(0, 100) };
  const own = every === undefined ? planOnce(script, around) : planAgain({ ...about, days: every }, around);
  const plan = await own.catch(async (error) => {
    if (!(error instanceof NoTimerError)) throw error;
    const { planBySystemd } = await import("./systemd_timers.ts");
    const planned = await planBySystemd({ ...about, days: every, now: new Date() }, around);
    if (planned === undefined) throw error;
    return planned;
  });
  if (global.json) io.stdout(outputLine("run_planned", { ...plan, log }));
  else if (!global.quiet) {
    io.stderr(`It begins ${plan.when}; "${plan.takenBackBy}" takes it back. What it says then is in ${log}\n`);
  }
  return 0;
}

/** Who sees that a variable is missing which is set here is told how it gets there. */
function explained(
  error: unknown,
  { io, env }: { readonly io: CliIo; readonly env: Readonly<Record<string, string>> },
): unknown {
  if (!(error instanceof PanewrightError)) return error;
  const words = new Set(error.message.match(/\w+/g));
  const missed = io.envNames().find((name) => env[name] === undefined && words.has(name));
  if (missed === undefined) return error;
  const kind = error.exitCode === 3 ? HumanInterventionRequiredError : UsageError;
  return new kind(error.message, {
    cause: error,
    hint: `${missed} is set here, and kept for then only with: --keep-env ${missed}`,
  });
}

function scriptOf(
  { call, cwd, env, log }: {
    readonly call: string;
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly log: string;
  },
): string {
  const variables = Object.entries(env).map(([name, value]) => shellQuote(`${name}=${value}`));
  return [
    "#!/bin/sh",
    "# Begins what panewright was told to begin at this time.",
    `exec >>${shellQuote(log)} 2>&1`,
    `cd ${shellQuote(cwd)} || exit`,
    `exec env -i ${variables.join(" ")} ${call}`,
    "",
  ].join("\n");
}
