import type { Host } from "../base/ports/host.ts";

interface NpmLauncher {
  readonly program: string;
  readonly launcher: RegExp;
  readonly candidates: Readonly<Record<string, readonly string[]>>;
}

/** The native program that a launcher on PATH would start; `undefined` where what is there is something else. */
export function findNativeProgram({ program, launcher, candidates }: NpmLauncher, host: Host): string | undefined {
  const file = host.path.map((folder) => host.realFile(`${folder}/${program}`)).find((file) => file !== undefined);
  const root = file === undefined ? undefined : launcher.exec(file)?.[1];
  if (root === undefined) return undefined;
  return candidates[`${host.os} ${host.arch}`]?.map((path) => host.realFile(`${root}/${path}`))
    .find((file) => file !== undefined);
}
