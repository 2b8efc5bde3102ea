import { UsageError } from "../base/errors.ts";
import { type ProcessRunner, systemProcessRunner } from "../base/ports/process.ts";
import { findRulePack } from "../agents/classify_screen.ts";
import { OFFERED_SCREEN_IDS, PROVIDERS } from "../agents/mod.ts";
import { type CliIo, type FlagValues, integerFlag, numberFlag, textFlag } from "./console/command.ts";
import { CONFIG_RULES_FLAG } from "./rule_packs.ts";

export const RECORD_FLAGS = {
  provider: textFlag("NAME", `whose screens these are: ${OFFERED_SCREEN_IDS.join(", ")}`),
  pane: textFlag("%N", "a pane that is open already, by its tmux id"),
  socket: textFlag(
    "NAME",
    "the tmux server of --pane: the name or the path of its socket (default: the one that this runs in)",
  ),
  output: textFlag("FILE", "the recording (PROVIDER-TIME.cast)", { short: "o" }),
  "interval-ms": integerFlag("N", "time between two looks (default: 100)"),
  duration: numberFlag("SECONDS", "end after this time"),
  size: textFlag("COLSxROWS", "size for a COMMAND (default: 220x50)"),
  "cli-version": textFlag("VERSION", "version of the recorded CLI (default: the provider's program is asked)"),
  config: CONFIG_RULES_FLAG,
};

export interface RecordingPlan {
  readonly provider: string;
  readonly version: string | undefined;
  readonly path: string;
  readonly intervalMs: number;
  readonly durationMs: number | undefined;
  readonly target:
    | { readonly kind: "pane"; readonly paneId: string; readonly socket: string }
    | {
      readonly kind: "command";
      readonly argv: readonly [string, ...string[]];
      readonly cols: number;
      readonly rows: number;
    };
}

export async function planRecording(
  flags: FlagValues<typeof RECORD_FLAGS>,
  positionals: readonly string[],
  io: CliIo,
): Promise<RecordingPlan> {
  const { provider } = flags;
  if (provider === undefined) {
    throw new UsageError("Cannot record: --provider is missing", { hint: "Say whose screens these are." });
  }
  findRulePack(provider);
  const intervalMs = flags["interval-ms"] ?? 100;
  if (intervalMs < 10) throw new UsageError(`Cannot use --interval-ms ${intervalMs}: it must be 10 or more`);
  const path = flags.output ?? `${provider}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.cast`;
  const target = planTarget(flags, positionals, io);
  return {
    provider,
    target,
    intervalMs,
    path: path.startsWith("/") ? path : `${io.cwd}/${path}`,
    durationMs: flags.duration === undefined ? undefined : flags.duration * 1000,
    version: flags["cli-version"] ?? await askVersion(provider, { processRunner: systemProcessRunner, io }),
  };
}

function planTarget(
  flags: FlagValues<typeof RECORD_FLAGS>,
  positionals: readonly string[],
  io: CliIo,
): RecordingPlan["target"] {
  const [program, ...args] = positionals;
  const { pane, size } = flags;
  if (pane === undefined && program === undefined) {
    throw new UsageError("Cannot record: neither --pane nor a command is given", {
      hint: 'Panes and their ids: tmux list-panes -a -F "#{pane_id} #{pane_current_command} #{pane_title}"',
    });
  }
  if (pane === undefined) {
    if (flags.socket !== undefined) throw new UsageError("Cannot use --socket without --pane");
    const found = /^(\d{2,4})x(\d{1,4})$/.exec(size ?? "220x50");
    if (!found) throw new UsageError(`Cannot use --size "${size}": it must be COLSxROWS, such as 120x40`);
    return { kind: "command", argv: [program!, ...args], cols: Number(found[1]), rows: Number(found[2]) };
  }
  if (program !== undefined) throw new UsageError("Cannot record both a pane and a command: leave one of them out");
  if (size !== undefined) throw new UsageError("Cannot use --size with --pane: the pane has a size");
  if (!/^%\d+$/.test(pane)) {
    throw new UsageError(`Cannot use --pane "${pane}": it must be a tmux pane id, such as %3`, {
      hint: "It is shown in the pane by: tmux display-message -p '#{pane_id}'",
    });
  }
  return { kind: "pane", paneId: pane, socket: flags.socket ?? io.env("TMUX")?.split(",")[0] ?? "default" };
}

async function askVersion(
  provider: string,
  { processRunner, io }: { readonly processRunner: ProcessRunner; readonly io: CliIo },
): Promise<string | undefined> {
  const cli = PROVIDERS.find(({ id }) => id === provider)?.cli;
  if (cli === undefined) return undefined;
  try {
    const argv = [cli.program, ...cli.versionArgs] as const;
    const { stdout } = await processRunner.run({ argv, timeoutMs: 10_000, signal: io.signal });
    return /\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0];
  } catch {
    io.signal.throwIfAborted();
    return undefined;
  }
}
