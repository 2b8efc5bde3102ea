import { startDetached } from "../api/control/detach.ts";
import { UsageError } from "../base/errors.ts";
import { findRequestedRun, RunBegunError } from "../run/run_request.ts";
import { decodeUtf8 } from "../base/text/utf8.ts";
import { type CliIo, type GlobalFlags, switchFlag, textFlag } from "./console/command.ts";
import { outputLine } from "../api/output/line.ts";

export const DETACH_FLAG = switchFlag(
  "leave the run to a process without a terminal, and return with the run's id as soon as it has begun",
);

export const DETACH_FLAGS = {
  detach: DETACH_FLAG,
  key: textFlag(
    "KEY",
    "with --detach: your own name for this request; calling again with the same key returns the same run, whatever crashed",
  ),
};

export async function detach(
  command: "run" | "exec" | "task" | "adopt" | "resume",
  { flags, positionals, global }: {
    readonly flags: Readonly<Record<string, unknown>>;
    readonly positionals: readonly string[];
    readonly global: GlobalFlags;
  },
  io: CliIo,
): Promise<number> {
  const { detach: _, key, ...rest } = flags;
  if (rest["dry-run"] === true) throw new UsageError("Cannot use --detach with --dry-run: nothing is run");
  const verbose = global.verbose ? ["--verbose"] : [];
  const begun = await startDetached({
    command,
    flags: [...flagsWords(rest), ...verbose],
    positionals,
    cwd: io.cwd,
    by: "command",
    ...(command !== "run" && command !== "resume" && positionals.at(-1) === "-"
      ? { stdin: decodeUtf8(await io.readStdin()) }
      : {}),
    ...(typeof key === "string" ? { key } : {}),
  }, { onStderr: (text) => io.stderr(text), signal: io.signal });
  if (global.json) io.stdout(outputLine("run_detached", begun));
  else io.stdout(`${begun.run}\n`);
  if (!global.json && !global.quiet) {
    const what = begun.isNew
      ? "The run lives on without this terminal."
      : "An earlier call with the same key has started it.";
    io.stderr(`${what} Follow it with: panewright logs ${begun.run} --follow\n`);
  }
  return 0;
}

/** @throws {RunBegunError} where the request of this process has begun a run already: nothing need be looked at then */
export async function refuseBegun(workdir: string, { detached }: Pick<CliIo, "detached">): Promise<void> {
  const begun = detached?.request === undefined ? undefined : await findRequestedRun(workdir, detached.request);
  if (begun !== undefined) throw new RunBegunError(begun);
}

export function refuseKey(key: string | undefined): void {
  if (key !== undefined) throw new UsageError("Cannot use --key without --detach");
}

export function flagsWords(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) => flagWords(name, value));
}

function flagWords(name: string, value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map((one) => `--${name}=${one}`);
  return value === true ? [`--${name}`] : [`--${name}=${value}`];
}
