import type { Host } from "../../base/ports/host.ts";

/**
 * The npm package that holds the native program, and the target it is built for (0.169.0); by operating system and CPU.
 */
const NATIVE_PACKAGES: Readonly<Record<string, readonly [packageName: string, target: string]>> = {
  "linux x86_64": ["codex-linux-x64", "x86_64-unknown-linux-musl"],
  "linux aarch64": ["codex-linux-arm64", "aarch64-unknown-linux-musl"],
  "darwin x86_64": ["codex-darwin-x64", "x86_64-apple-darwin"],
  "darwin aarch64": ["codex-darwin-arm64", "aarch64-apple-darwin"],
};

/**
 * The native Codex that the npm launcher on PATH would start, or `undefined` where `codex` is something else.
 *
 * The launcher is a Node script that stays in between, where signals get lost: a SIGKILL ends it alone. Up to 0.107.0
 * it also puts the CLI's own tools on PATH; these versions keep the program elsewhere and are started through it.
 */
export function findNativeCodex(host: Host): string | undefined {
  const launcher = host.path.map((folder) => host.realFile(`${folder}/codex`)).find((file) => file !== undefined);
  const root = launcher === undefined ? undefined : /^(.*)\/bin\/codex\.js$/.exec(launcher)?.[1];
  const native = NATIVE_PACKAGES[`${host.os} ${host.arch}`];
  if (root === undefined || native === undefined) return undefined;
  const [packageName, target] = native;
  const candidates = [
    `${root}/node_modules/@openai/${packageName}/vendor/${target}/bin/codex`,
    `${root}/../${packageName}/vendor/${target}/bin/codex`,
    `${root}/vendor/${target}/bin/codex`,
  ];
  return candidates.map((file) => host.realFile(file)).find((file) => file !== undefined);
}
