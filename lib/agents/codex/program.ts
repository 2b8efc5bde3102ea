import type { Host } from "../../base/ports/host.ts";
import { findNativeProgram } from "../native_program.ts";

/** Where the npm package has the native program for a target (0.169.0). */
const placesOf = (packageName: string, target: string) =>
  [`node_modules/@openai/${packageName}/`, `../${packageName}/`, ""].map((at) => `${at}vendor/${target}/bin/codex`);

/**
 * The launcher is a Node script that stays in between, where signals get lost: a SIGKILL ends it alone. Up to 0.107.0
 * it also puts the CLI's own tools on PATH; these versions keep the program elsewhere and are started through it.
 */
const LAUNCHER = {
  program: "codex",
  launcher: /^(.*)\/bin\/codex\.js$/,
  candidates: {
    "linux x86_64": placesOf("codex-linux-x64", "x86_64-unknown-linux-musl"),
    "linux aarch64": placesOf("codex-linux-arm64", "aarch64-unknown-linux-musl"),
    "darwin x86_64": placesOf("codex-darwin-x64", "x86_64-apple-darwin"),
    "darwin aarch64": placesOf("codex-darwin-arm64", "aarch64-apple-darwin"),
  },
};

export const findNativeCodex = (host: Host): string | undefined => findNativeProgram(LAUNCHER, host);
