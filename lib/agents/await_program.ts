import { resolve } from "@std/path/posix";
import type { Clock } from "../base/ports/clock.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";

const LOOK_EVERY_MS = 1000;
const MOST_MINUTES = 10;

/**
 * Waits until the program of an agent is there, before anything is asked of it. That it is was looked at before the run
 * began; who updates a CLI takes it away for a while, also in the middle of a night. After ten minutes it is started
 * nonetheless, and fails.
 *
 * @param tell told that it is gone, and that it is back; without it nothing is waited for
 */
export async function awaitProgram(
  { cli, command, env = {}, workdir }: {
    readonly cli: { readonly program: string } | undefined;
    readonly command?: readonly [string, ...string[]] | undefined;
    readonly env?: Readonly<Record<string, string>>;
    readonly workdir: string;
  },
  { clock, signal, tell }: {
    readonly clock: Clock;
    readonly tell: ((message: string) => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<void> {
  const program = command?.[0] ?? cli?.program;
  if (program === undefined || tell === undefined) return;
  const path = env["PATH"] ?? Deno.env.get("PATH") ?? "";
  const files = program.includes("/")
    ? [resolve(workdir, program)]
    : path.split(":").map((folder) => `${resolve(workdir, folder)}/${program}`);
  if (files.some(isExecutable)) return;
  const name = sanitizeLine(program);
  tell(`${name} is not there, as while it is updated: waiting for it, for ${MOST_MINUTES} minutes at most`);
  for (let look = 1; look <= MOST_MINUTES * 60_000 / LOOK_EVERY_MS; look++) {
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
