import type { Host } from "../../base/ports/host.ts";
import { findNativeProgram } from "../native_program.ts";

/** Where the npm packages that may hold the native program are (2.1.328). */
const placesOf = (...names: readonly string[]) =>
  names.flatMap((name) => [`node_modules/@anthropic-ai/${name}/claude`, `../${name}/claude`]);

/**
 * npm may have left out the package's install script, and then its own `claude` only says so; versions up to 2.1.104
 * are scripts.
 */
const LAUNCHER = {
  program: "claude",
  launcher: /^(.*\/claude-code)\/(?:bin\/claude\.exe|cli-wrapper\.cjs)$/,
  candidates: {
    "linux x86_64": placesOf("claude-code-linux-x64", "claude-code-linux-x64-musl"),
    "linux aarch64": placesOf("claude-code-linux-arm64", "claude-code-linux-arm64-musl"),
    "darwin x86_64": placesOf("claude-code-darwin-x64"),
    "darwin aarch64": placesOf("claude-code-darwin-arm64"),
  },
};

export const findNativeClaude = (host: Host): string | undefined => findNativeProgram(LAUNCHER, host);
