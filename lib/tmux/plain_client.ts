import { RuntimeError, UsageError } from "../base/errors.ts";
import { type CommandResult, type ProcessRunner, runCommandSync, systemProcessRunner } from "../base/ports/process.ts";
import type { TmuxClient, TmuxCommand, TmuxRunOptions } from "./client.ts";
import { TMUX_INSTALL_HINT } from "./version.ts";
import { present } from "../base/schema.ts";

interface TmuxClientOptions {
  readonly socket: string;
  readonly processRunner?: ProcessRunner;
  readonly env?: Readonly<Record<string, string>>;
}

/** A tmux server that hangs must not hang us: no tmux command takes this long. */
const COMMAND_TIMEOUT_MS = 15_000;

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * A client that starts one `tmux` process for each call (about 2 ms, tmux 3.3a).
 *
 * The user's own tmux.conf is not read by a server that we start: it may set `window-size manual`, which ends a
 * detached server at once (tmux 3.3a), a default command, hooks or a prompt. A server that runs already keeps its
 * settings.
 */
export function createTmuxClient(options: TmuxClientOptions): TmuxClient {
  const { socket, processRunner = systemProcessRunner } = options;
  const server = { socket, env: options.env ?? Deno.env.toObject() };
  const programOf = (commands: readonly TmuxCommand[]) => tmuxProgram(tmuxArguments(commands), server);

  const runAll = async (commands: readonly TmuxCommand[], runOptions: TmuxRunOptions = {}): Promise<CommandResult> => {
    const { stdin, signal } = runOptions;
    try {
      const result = await processRunner.run({
        ...programOf(commands),
        clearEnv: true,
        timeoutMs: COMMAND_TIMEOUT_MS,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        ...present({ stdin, signal }),
      });
      if (!result.timedOut) return result;
      throw new RuntimeError(
        `Cannot talk to tmux: the server on socket ${socket} did not answer within ${COMMAND_TIMEOUT_MS / 1000} s`,
      );
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      throw new UsageError("Cannot run tmux: it is not installed, or not on PATH", {
        hint: TMUX_INSTALL_HINT,
        cause: error,
      });
    }
  };
  return {
    socket,
    runAll,
    run: (command, runOptions) => runAll([command], runOptions),
    runAllSync: (commands) => void runCommandSync({ ...programOf(commands), clearEnv: true }),
  };
}

/**
 * How tmux is started for a server: with a person's own server and settings out of reach. Only opening a session starts
 * a server: one that attaching has started ends at once, and took a session along that was being opened (3.3a).
 */
export function tmuxProgram(
  args: readonly string[],
  { socket, env = Deno.env.toObject() }: Pick<TmuxClientOptions, "socket" | "env">,
): { readonly argv: [string, ...string[]]; readonly env: Readonly<Record<string, string>> } {
  const { TMUX: _server, TMUX_PANE: _pane, ...ownEnv } = env;
  const addressed = socket.includes("/") ? ["-S", socket] : ["-L", socket];
  const starts = args[0] === "new-session" ? [] : ["-N"];
  return { argv: ["tmux", "-u", ...starts, ...addressed, "-f", "/dev/null", ...args], env: ownEnv };
}

/**
 * The arguments for `tmux` that run these commands one after the other. tmux takes an argument that *ends* in `;` for
 * the end of a command; such an argument is escaped.
 */
export function tmuxArguments(commands: readonly TmuxCommand[]): string[] {
  return commands.flatMap((command, index) => [
    ...(index === 0 ? [] : [";"]),
    ...command.map((argument) => argument.endsWith(";") ? `${argument.slice(0, -1)}\\;` : argument),
  ]);
}

/** The result of a tmux command that must have worked. */
export function expectTmuxSuccess(result: CommandResult, doing: string): CommandResult {
  if (result.code === 0) return result;
  const said = result.stderr.trim() || result.stdout.trim() || `exit code ${result.code}`;
  throw new RuntimeError(`Cannot ${doing}: ${describeTmuxProblem(said)}`);
}

export function describeTmuxProblem(said: string): string {
  const quoted = `tmux says "${said}"`;
  if (said.startsWith("can't find pane")) return `the pane is gone (${quoted})`;
  return SERVER_IS_GONE.test(said) ? `the tmux server is gone, and every pane with it (${quoted})` : quoted;
}

/** tmux 3.3a, without a server, with the socket of one that was killed, and while one ends: its sessions go first. */
const SERVER_IS_GONE =
  /^(?:no server running|server exited|lost server|no current target|error connecting to .*\((?:No such|Connection ref))/;
