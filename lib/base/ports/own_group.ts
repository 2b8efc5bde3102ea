/** Of util-linux and of busybox: runs a program in a session of its own, in its own place. */
const SETSID = "/usr/bin/setsid";

type Argv = readonly [string, ...string[]];

interface Program {
  readonly argv: Argv;
  readonly env?: Readonly<Record<string, string>>;
  readonly clearEnv?: boolean;
}

/**
 * What starts a program in a process group of its own. Where `detached` does that, this process is copied first, with all
 * its memory; a program that does it takes a fraction of that time. For a moment the program is in our own group then.
 */
export function inOwnGroup(
  { argv, clearEnv = false, env }: Program,
): { readonly argv: Argv; readonly detached: boolean } {
  const [program, ...args] = argv;
  const searchPath = env?.["PATH"] ?? (clearEnv ? undefined : Deno.env.get("PATH"));
  const file = Deno.build.os === "linux" && isProgram(SETSID) ? fileOf(program, searchPath ?? "") : undefined;
  // What cannot be run says so itself.
  return file === undefined ? { argv, detached: true } : { argv: [SETSID, file, ...args], detached: false };
}

/** The file of a program; `undefined` where a relative path may lead to it, or there is none. */
function fileOf(program: string, searchPath: string): string | undefined {
  const folders = searchPath.split(":");
  const files = program.includes("/") ? [program] : folders.map((folder) => `${folder || "."}/${program}`);
  return files.every((file) => file.startsWith("/")) ? files.find(isProgram) : undefined;
}

function isProgram(file: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(file);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch {
    return false;
  }
}
