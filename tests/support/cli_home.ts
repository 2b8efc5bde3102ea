import { type ClaudeHomeOptions, writeClaudeHome } from "./claude_home.ts";
import type { CliName } from "./clis.ts";
import { type CodexHomeOptions, writeCodexHome } from "./codex_home.ts";
import type { Sandbox } from "./sandbox.ts";

/** A CLI that is to work in a sandbox. */
export interface CliHomeOptions {
  readonly provider: CliName;
  readonly version: string;
  /** Base URL of the model server. */
  readonly baseUrl: string;
  /** What is different where it is Codex. */
  readonly codex?: Partial<CodexHomeOptions>;
  /** What is different where it is Claude Code. */
  readonly claude?: Partial<ClaudeHomeOptions>;
}

/**
 * Writes a configuration of a CLI, as `writeCodexHome` or `writeClaudeHome` does, and returns the environment
 * that goes with it.
 */
export function writeCliHome(
  { root, home, project, env }: Pick<Sandbox, "root" | "home" | "project" | "env">,
  { provider, version, baseUrl, codex, claude }: CliHomeOptions,
): Promise<Readonly<Record<string, string>>> {
  switch (provider) {
    case "codex":
      return writeCodexHome({ folder: `${root}/codex-home`, baseUrl, project, ...codex });
    case "claude_code":
      return writeClaudeHome({ home, baseUrl, project, tmp: env["TMPDIR"] ?? `${root}/tmp`, version, ...claude });
  }
}
