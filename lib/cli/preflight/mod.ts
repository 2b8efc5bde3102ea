import { ConfigError } from "../../config/load.ts";
import { UsageError } from "../../base/errors.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { type Finding, type Obstacle, refusal } from "./finding.ts";
import { lookAtTmuxPlace, type TmuxPlace } from "./machine.ts";
import { lookAtMachine, type Machine } from "./machine_look.ts";
import { present } from "../../base/schema.ts";

export interface Preflight extends Machine {
  readBesideMachine<Value>(
    read: () => Promise<Value>,
    needs: { readonly panes: boolean | ((value: Value) => boolean) },
  ): Promise<Value>;
  lookAtTmuxPlace(place: TmuxPlace): Promise<readonly Finding[]>;
  require(found: readonly Obstacle[]): void;
}

interface PreflightSurroundings {
  readonly io: Pick<CliIo, "env" | "signal" | "stderr">;
  readonly global: Pick<GlobalFlags, "quiet">;
  readonly onWarning?: (message: string) => void;
}

export function openPreflight(what: string, { io, global, onWarning }: PreflightSurroundings): Preflight {
  const machine = lookAtMachine(io);
  const warn = onWarning ?? ((message) => global.quiet || io.stderr(sanitizeText(`warning: ${message}\n`)));
  let found: readonly Finding[] = [];
  return {
    ...machine,
    async readBesideMachine(read, { panes }) {
      const [given, tmux] = await Promise.allSettled([read(), panes === false ? undefined : machine.tmux()]);
      if (tmux.status === "rejected") throw tmux.reason;
      found = [machine.tools()];
      const needsTmux = typeof panes === "boolean" || given.status === "rejected" || panes(given.value);
      if (needsTmux && tmux.value !== undefined) found = [...found, tmux.value];
      if (given.status === "fulfilled") return given.value;
      throw withRefusal(given.reason, refusal(what, found));
    },
    async lookAtTmuxPlace(place) {
      return found.every(({ status }) => status !== "fail") ? await lookAtTmuxPlace(place, machine) : [];
    },
    require(more) {
      const error = refusal(what, [...found, ...more]);
      if (error !== undefined) throw error;
      for (const { status, check, detail, remedy = "" } of more) {
        if (status === "warn") warn(`${check}: ${detail}. ${remedy}`.trimEnd());
      }
    },
  };
}

function withRefusal(error: unknown, also: Error | undefined): unknown {
  if (also === undefined || !(error instanceof UsageError)) return error;
  const message = `${error.message}\n${also.message}`;
  const options = { mistakes: error.mistakes, ...present({ hint: error.hint }) };
  return error instanceof ConfigError
    ? new ConfigError(message, error.problems, options)
    : new UsageError(message, options);
}
