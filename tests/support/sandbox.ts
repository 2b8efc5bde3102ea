import { AssertionError } from "@std/assert";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { useStateHome } from "./state_home.ts";

/**
 * A folder that holds everything which a program under test may see: home, project, temporary files and tmux sockets.
 * Its path is in the environment of every process that is started in it, which is how those are found again.
 */
export interface Sandbox extends AsyncDisposable {
  readonly root: string;
  readonly home: string;
  /** The project that agents work on. */
  readonly project: string;
  /** The clean environment for programs under test. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Fails when a process of the sandbox still runs, a tmux server still answers or a temporary file is left.
   *
   * @throws {AssertionError} naming what is left
   */
  assertNothingLeft(): Promise<void>;
}

/** So often it is looked whether processes that were told to end have vanished, 50 ms and the time of a look apart. */
const VANISH_LOOKS = 15;

/**
 * Makes a sandbox, by default in a temporary folder with a random name. What is still running in it when it is disposed
 * of is killed, and the folder is removed.
 *
 * @throws {Deno.errors.AlreadyExists} when `root` is there already
 */
export async function createSandbox(options: { readonly root?: string } = {}): Promise<Sandbox> {
  if (options.root !== undefined) await Deno.mkdir(options.root);
  // The real path, because tools resolve links (macOS: /var) before they compare.
  const root = await Deno.realPath(options.root ?? await Deno.makeTempDir({ prefix: "pw-e2e-" }));
  const folders = { home: `${root}/home`, project: `${root}/project`, tmp: `${root}/tmp`, sockets: `${root}/tmux` };
  for (const folder of Object.values(folders)) await Deno.mkdir(folder);
  const env = {
    HOME: folders.home,
    PATH: Deno.env.get("PATH") ?? "/usr/local/bin:/usr/bin:/bin",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    // Not the system's: Codex refuses to work with a home below the folder for temporary files.
    TMPDIR: folders.tmp,
    TMUX_TMPDIR: folders.sockets,
    // What a test writes is its own: only the tests about trust ask for it.
    PANEWRIGHT_TRUST: "1",
  };
  // What this process does to runs of the sandbox, it does as the person whose home that is.
  const state = useStateHome(`${folders.home}/.local/state`);
  return {
    root,
    home: folders.home,
    project: folders.project,
    env,
    assertNothingLeft: () => assertNothingLeft(root, folders),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      try {
        // One that was being started while its parent was killed, such as a tmux server, is seen only after that.
        for (let looks = 0, left = await processesOf(root); left.length > 0 && looks < VANISH_LOOKS; looks++) {
          for (const { pid } of left) kill(pid);
          await systemClock.sleep(200);
          left = await processesOf(root);
        }
      } finally {
        await Deno.remove(root, { recursive: true });
      }
    },
  };
}

/**
 * What the CLIs keep themselves. Claude Code (2.1.328) leaves where it is killed the output of a command that it was
 * running, and the file with which it tries whether files can be watched; Codex (0.169.0) the lock of its sandbox.
 */
const OF_CLIS =
  /\/claude-\d+\/(?:[^/]+\/[^/]+\/tasks\/[^/]+\.output|fswatch-probe-[^/]+\/probe)$|\/codex-bwrap-[^/]+\/lock$/;

async function assertNothingLeft(root: string, folders: { tmp: string; sockets: string }): Promise<void> {
  const left = (await vanished(root)).map(({ pid, command }) => `process ${pid}: ${command}`);
  for (const socket of await filesBelow(folders.sockets)) {
    const { code } = await systemProcessRunner.run({ argv: ["tmux", "-S", socket, "list-sessions"], clearEnv: true });
    left.push(`${code === 0 ? "tmux server" : "socket of a tmux server that is gone"}: ${socket}`);
  }
  const temporary = (await filesBelow(folders.tmp)).filter((path) => !OF_CLIS.test(path));
  left.push(...temporary.map((path) => `temporary file: ${path}`));
  if (left.length > 0) throw new AssertionError(`Something was left behind:\n${left.join("\n")}`);
}

/** Waits a moment for the sandbox's processes to vanish and returns those which did not. */
async function vanished(root: string): Promise<readonly FoundProcess[]> {
  for (let looks = 1;; looks++) {
    const found = await processesOf(root);
    if (found.length === 0 || looks === VANISH_LOOKS) return found;
    await systemClock.sleep(200);
  }
}

const noEnvironment = () => ({ clearEnv: true, env: { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin" } });

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * The processes whose command line or environment names the folder, as Linux' /proc shows them. It is read by `grep`,
 * because Deno grants /proc to `--allow-all` only; the folder goes in by standard input so that it does not find itself.
 */
export async function processesOf(root: string): Promise<readonly FoundProcess[]> {
  const { stdout } = await systemProcessRunner.run({
    argv: ["sh", "-c", "exec grep -alsFf - /proc/[0-9]*/environ /proc/[0-9]*/cmdline"],
    stdin: `${root}\n`,
    // In the environment of this process, the folder may be the place of the state.
    ...noEnvironment(),
  });
  const pids = new Set([...stdout.matchAll(/^\/proc\/(\d+)\//gm)].map(([, pid]) => Number(pid)));
  const found = await Promise.all([...pids].map(async (pid) => {
    const cmdline = await systemProcessRunner.run({ argv: ["cat", `/proc/${pid}/cmdline`], ...noEnvironment() });
    return { pid, command: cmdline.stdout.replaceAll("\0", " ").trim() };
  }));
  // One that has none any more has ended since.
  return found.filter(({ command }) => command !== "");
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch { /* it has ended meanwhile */ }
}

async function filesBelow(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entry of Deno.readDir(folder)) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) paths.push(...await filesBelow(path));
    else paths.push(path);
  }
  return paths;
}
