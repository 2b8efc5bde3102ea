import { dirname, resolve } from "@std/path/posix";
import { systemHost } from "../base/ports/host.ts";
import { shellJoin } from "../shell/quote.ts";

export interface Start {
  readonly executable: string;
  /** Whether that program is panewright itself; otherwise it is Deno. */
  readonly isStandalone: boolean;
  readonly main: string;
  readonly denoVersion: string;
  readonly cwd: string;
  isOnPath(program: string): boolean;
  env(name: string): string | undefined;
}

const PACKED_FILE = "PANEWRIGHT_PACKED_FILE";

export function startOfThis({ cwd, env }: Pick<Start, "cwd" | "env">): Start {
  const host = systemHost({ PATH: env("PATH") ?? "" });
  return {
    executable: Deno.execPath(),
    isStandalone: Deno.build.standalone,
    main: decodeURIComponent(new URL(Deno.mainModule).pathname),
    denoVersion: Deno.version.deno,
    cwd,
    env,
    isOnPath: (program) => host.path.some((folder) => host.realFile(`${folder}/${program}`) !== undefined),
  };
}

export function commandInForm(words: readonly string[], start: Start): string {
  return shellJoin([...programInForm(start), ...words]);
}

/**
 * How a person calls a task of the sources again; undefined where panewright was started otherwise, or from elsewhere.
 */
export function taskInForm(task: readonly string[], start: Start): string | undefined {
  return start.main === `${start.cwd}/main.ts` ? shellJoin([...denoInForm(start), "task", ...task]) : undefined;
}

function programInForm(start: Start): readonly string[] {
  const { executable, isStandalone, main, cwd, env } = start;
  if (main.endsWith(".ts") && !isStandalone) return [...denoInForm(start), "run", "-A", main];
  const file = isStandalone ? executable : env(PACKED_FILE) || undefined;
  if (file !== undefined) {
    const path = resolve(cwd, file);
    return path.endsWith("/panewright") && isSearched(dirname(path), start) ? ["panewright"] : [path];
  }
  const [prefix, rest] = main.split("/lib/node_modules/panewright/");
  if (rest !== undefined && isSearched(`${prefix}/bin`, start) && !isNpx(start)) return ["panewright"];
  if (main.includes("/node_modules/panewright/")) return ["npx", "panewright"];
  return [...denoInForm(start), "run", "-A", main];
}

function denoInForm(start: Start): readonly string[] {
  if (isNpx(start)) return ["npx", "-y", `deno@${start.denoVersion}`];
  return [start.isOnPath("deno") ? "deno" : start.executable];
}

function isNpx({ env }: Start): boolean {
  return env("npm_command") === "exec" && env("npm_lifecycle_event") === "npx";
}

function isSearched(folder: string, { env }: Start): boolean {
  return (env("PATH") ?? "").split(":").includes(folder);
}
