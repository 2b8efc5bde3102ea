import { ConfigError } from "../../config/load.ts";
import { UsageError } from "../../base/errors.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { type Finding, type Obstacle, refusal } from "./finding.ts";
import { type LookContext, lookContext } from "./look_context.ts";
import { checkTmux, checkTools, lookAtTmuxPlace, type TmuxPlace } from "./machine.ts";
import { present } from "../../base/schema.ts";

/** Looks before a run starts anything: no folder is made, no pane opened. */
interface Preflight extends LookContext {
  /**
   * Reads a configuration while what a run needs of the machine is looked at: small programs, and for panes tmux. Where
   * the configuration cannot be used, what is wrong with the machine is told with it.
   *
   * @param needs whether there are panes; by what was read, where only that tells
   * @throws what `read` throws
   */
  readBesideMachine<Value>(
    read: () => Promise<Value>,
    needs: { readonly panes: boolean | ((value: Value) => boolean) },
  ): Promise<Value>;
  /** Looks at the tmux session or socket that a new run is told to use, where tmux is there. */
  lookAtTmuxPlace(place: TmuxPlace): Promise<readonly Finding[]>;
  /**
   * Lets a run begin that nothing is in the way of, by what is given and what was found of the machine, and tells what
   * may be.
   *
   * @throws {UsageError} with everything that is in the way; {HumanInterventionRequiredError} where a person has only
   *   to answer a CLI
   */
  require(found: readonly Obstacle[]): void;
}

/** Where a run is about to start. */
interface PreflightSurroundings {
  readonly io: Pick<CliIo, "env" | "signal" | "stderr">;
  readonly global: Pick<GlobalFlags, "quiet">;
  /** Takes warnings, instead of stderr. */
  readonly onWarning?: (message: string) => void;
}

/** @param what what cannot be done where something is in the way: `start the run` */
export function openPreflight(what: string, { io, global, onWarning }: PreflightSurroundings): Preflight {
  const context = lookContext(io);
  const warn = onWarning ?? ((message) => global.quiet || io.stderr(sanitizeText(`warning: ${message}\n`)));
  let machine: readonly Finding[] = [];
  return {
    ...context,
    async readBesideMachine(read, { panes }) {
      const [given, tmux] = await Promise.allSettled([read(), panes === false ? undefined : checkTmux(context)]);
      if (tmux.status === "rejected") throw tmux.reason;
      machine = [checkTools(context)];
      const needsTmux = typeof panes === "boolean" || given.status === "rejected" || panes(given.value);
      if (needsTmux && tmux.value !== undefined) machine = [...machine, tmux.value];
      if (given.status === "fulfilled") return given.value;
      throw withRefusal(given.reason, refusal(what, machine));
    },
    async lookAtTmuxPlace(place) {
      return machine.every(({ status }) => status !== "fail") ? await lookAtTmuxPlace(place, context) : [];
    },
    require(found) {
      const error = refusal(what, [...machine, ...found]);
      if (error !== undefined) throw error;
      for (const { status, check, detail, remedy = "" } of found) {
        if (status === "warn") warn(`${check}: ${detail}. ${remedy}`.trimEnd());
      }
    },
  };
}

/** The error of a configuration that cannot be used, with what else is in the way. */
function withRefusal(error: unknown, also: Error | undefined): unknown {
  if (also === undefined || !(error instanceof UsageError)) return error;
  const message = `${error.message}\n${also.message}`;
  const options = { mistakes: error.mistakes, ...present({ hint: error.hint }) };
  return error instanceof ConfigError
    ? new ConfigError(message, error.problems, options)
    : new UsageError(message, options);
}
