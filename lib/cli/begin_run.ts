import type { CliIo, FlagValues, ParsedCommand } from "./console/command.ts";
import { detach, DETACH_FLAGS, refuseKey } from "./detach.ts";
import { LATER_FLAGS, startLater } from "./later/start_later.ts";

export const BEGIN_FLAGS = { ...DETACH_FLAGS, ...LATER_FLAGS };

/** Begins a run as its command line says: at another time, in a process without a terminal, or here. */
export async function beginRun<Values extends FlagValues<typeof BEGIN_FLAGS>>(
  command: "run" | "exec" | "task",
  { parsed, io, here }: {
    readonly parsed: Omit<ParsedCommand, "flags"> & { readonly flags: Values };
    readonly io: CliIo;
    readonly here: (flags: Values, io: CliIo) => Promise<number>;
  },
): Promise<number> {
  const { at, every, "keep-env": keepEnv, detach: isDetached, key, ...others } = parsed.flags;
  const begin = (io: CliIo) => here(others as Values, io);
  if (at !== undefined || every !== undefined || keepEnv !== undefined) {
    return await startLater(command, parsed, { io, look: begin });
  }
  if (isDetached === true) return await detach(command, parsed, io);
  refuseKey(key);
  return await begin(io);
}
