import { resolve } from "@std/path/posix";
import type { Clock } from "../base/ports/clock.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

const LOOK_EVERY_MS = 1000;
const MOST_LOOKS = 600;

interface Wait {
  readonly clock: Clock;
  readonly tell: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Waits for the program of an agent of which something is asked before it is started. */
export async function awaitAgent(
  { cli, command, env = {}, workdir }: {
    readonly cli: { readonly program: string } | undefined;
    readonly command?: readonly [string, ...string[]] | undefined;
    readonly env?: Readonly<Record<string, string>>;
    readonly workdir: string;
  },
  wait: Wait,
): Promise<void> {
  const program = command?.[0] ?? cli?.program;
  if (program !== undefined) await awaitProgram({ argv: [program], cwd: workdir, env }, wait);
}

/**
 * Waits until an agent's program is there. That it is was looked at before the run began; who updates a CLI takes it
 * away for a while, also in the middle of a night. After ten minutes it is started nonetheless, and fails.
 */
export async function awaitProgram(
  { argv: [program], cwd, env }: {
    readonly argv: readonly [string, ...string[]];
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
  },
  { clock, signal, tell }: Wait,
): Promise<void> {
  const path = env["PATH"] ?? Deno.env.get("PATH") ?? "";
  const files = program.includes("/")
    ? [resolve(cwd, program)]
    : path.split(":").map((folder) => `${resolve(cwd, folder)}/${program}`);
  if (files.some(isExecutable)) return;
  const name = sanitizeLine(program);
  tell(
    `${name} is not there, as while it is updated: waiting for it, for ${
      MOST_LOOKS * LOOK_EVERY_MS / 60_000
    } minutes at most`,
  );
  for (let look = 1; look <= MOST_LOOKS; look++) {
    await clock.sleep(LOOK_EVERY_MS, signal);
    if (files.some(isExecutable)) return tell(`${name} is there again`);
  }
}

function isExecutable(file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(file);
    return isFile && ((mode ?? 0o111) & 0o111) !== 0;
  } catch {
    return false;
  }
}
