import type { Host } from "../../base/ports/host.ts";

/** The npm packages that may hold the native program (2.1.328), by operating system and CPU. */
const NATIVE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  "linux x86_64": ["claude-code-linux-x64", "claude-code-linux-x64-musl"],
  "linux aarch64": ["claude-code-linux-arm64", "claude-code-linux-arm64-musl"],
  "darwin x86_64": ["claude-code-darwin-x64"],
  "darwin aarch64": ["claude-code-darwin-arm64"],
};

/**
 * The native Claude Code that the npm package's `claude` on PATH stands for, or `undefined` where `claude` is something
 * else, such as the native program itself. npm may have left out the package's install script, and then its own
 * `claude` only says so; versions up to 2.1.104 are scripts.
 */
export function findNativeClaude(host: Host): string | undefined {
  const launcher = host.path.map((folder) => host.realFile(`${folder}/claude`)).find((file) => file !== undefined);
  const root = launcher === undefined
    ? undefined
    : /^(.*\/claude-code)\/(?:bin\/claude\.exe|cli-wrapper\.cjs)$/.exec(launcher)?.[1];
  if (root === undefined) return undefined;
  const candidates = (NATIVE_PACKAGES[`${host.os} ${host.arch}`] ?? []).flatMap((name) => [
    `${root}/node_modules/@anthropic-ai/${name}/claude`,
    `${root}/../${name}/claude`,
  ]);
  return candidates.map((file) => host.realFile(file)).find((file) => file !== undefined);
}
