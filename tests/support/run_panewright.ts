import { present } from "../../lib/base/schema.ts";
import { callCli, type CalledCli } from "./call_cli.ts";
import { checkOutput } from "./check_output.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";

/** How {@linkcode runPanewright} starts the program. */
export interface RunPanewrightOptions {
  readonly cwd?: string;
  /** Variables besides HOME, PATH, TERM and LANG. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Deno permission flags. @default {["--allow-env"]} */
  readonly permissions?: readonly string[];
}

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/**
 * What tests start: the bundle that the test task has just made of the sources, which starts in a fifth of their time;
 * the sources themselves where a test file is run by itself.
 */
export function mainModule(): string {
  return Deno.env.get("PANEWRIGHT_TESTED_BUNDLE") ?? `${ROOT}/main.ts`;
}

/** The argv that runs panewright with the given permissions. */
export function panewrightArgv(permissions: readonly string[]): [string, ...string[]] {
  return [
    Deno.execPath(),
    "run",
    "--quiet",
    "--no-prompt",
    "--cached-only",
    `--config=${ROOT}/deno.json`,
    ...permissions,
    mainModule(),
  ];
}

/** Where Deno keeps what it has fetched and compiled. */
export function denoDirectory(): string {
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/deno`;
}

/** The environment that programs under test get: nothing of the person's own but what starting Deno needs. */
export function cleanEnvironment(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    DENO_DIR: denoDirectory(),
    HOME: "/nonexistent",
    PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    // What a test writes is its own: only the tests about trust ask for it.
    PANEWRIGHT_TRUST: "1",
    PANEWRIGHT_AUDIT_COPY: "0",
    ...env,
  };
}

/** Runs the command line as a program of its own, in a clean environment and with the least permissions. */
export async function runPanewright(
  args: readonly string[],
  options: RunPanewrightOptions = {},
): Promise<CalledCli> {
  const result = await systemProcessRunner.run({
    argv: [...panewrightArgv(options.permissions ?? ["--allow-env"]), ...args],
    cwd: options.cwd ?? ROOT,
    clearEnv: true,
    env: cleanEnvironment(options.env),
    timeoutMs: 600_000,
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
  });
  checkOutput(args, result.stdout);
  return result;
}

/** What runs in this process as if it were a program of its own: one after another, as they share its environment. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs the command line in this process, in the environment and the folder that a program of its own would have: it
 * takes a tenth of the processor time. What the command starts gets them, too.
 */
export async function playPanewright(
  args: readonly string[],
  options: RunPanewrightOptions = {},
): Promise<CalledCli> {
  const played = last.then(() => play(args, options));
  last = played.catch(() => {});
  return await played;
}

async function play(
  args: readonly string[],
  { cwd = ROOT, env: variables, stdin }: RunPanewrightOptions,
): Promise<CalledCli> {
  const env = cleanEnvironment(variables);
  return await asProgram({ cwd, env }, () => callCli(args, { cwd, env, ...present({ stdin }) }));
}

/** What runs with the folder and the variables of a program of its own; nothing may run beside it. */
export async function asProgram<T>(
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
  act: () => Promise<T>,
): Promise<T> {
  const [cwdBefore, envBefore] = [Deno.cwd(), Deno.env.toObject()];
  Deno.chdir(cwd);
  become(env);
  try {
    return await act();
  } finally {
    become(envBefore);
    Deno.chdir(cwdBefore);
  }
}

function become(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(Deno.env.toObject())) if (!Object.hasOwn(env, name)) Deno.env.delete(name);
  for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
}
