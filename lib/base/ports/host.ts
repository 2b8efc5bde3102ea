import { stateFolder } from "./state_folder.ts";

/** What a provider may ask of the machine. */
export interface Host {
  /** `linux`, `darwin`, …, as in `Deno.build.os`. */
  readonly os: string;
  /** `x86_64` or `aarch64`, as in `Deno.build.arch`. */
  readonly arch: string;
  /** The folders of PATH, in order. */
  readonly path: readonly string[];
  /** Where panewright keeps what belongs to the person; `undefined` without a home. */
  readonly stateFolder: string | undefined;
  /** The file's path with every link resolved; `undefined` where there is no file. */
  realFile(path: string): string | undefined;
}

/**
 * The machine that panewright runs on.
 *
 * @param env the environment whose PATH is searched, if not our own
 */
export function systemHost(env: Readonly<Record<string, string>> = {}): Host {
  const path = env["PATH"] ?? Deno.env.get("PATH") ?? "";
  return {
    os: Deno.build.os,
    arch: Deno.build.arch,
    path: path.split(":").filter((folder) => folder !== ""),
    stateFolder: stateFolder(),
    realFile(file) {
      try {
        const real = Deno.realPathSync(file);
        return Deno.statSync(real).isFile ? real : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
