/** What a home for Claude Code in tests is set up with. */
export interface ClaudeHomeOptions {
  /** The folder that is HOME. */
  readonly home: string;
  /** Base URL of the model server. */
  readonly baseUrl: string;
  readonly project: string;
  /** A folder for its sockets and temporary files. */
  readonly tmp: string;
  readonly version: string;
  /** @default {true} whether the project is trusted already; otherwise Claude Code asks when it starts */
  readonly trusted?: boolean;
  /** @default {"fullscreen"} its two ways to draw */
  readonly tui?: "fullscreen" | "default";
  /** Further keys of `~/.claude/settings.json`. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Further keys of `~/.claude.json`. */
  readonly state?: Readonly<Record<string, unknown>>;
}

const KEY = "dummy-key-0123456789";

/**
 * Writes a configuration with which Claude Code (2.1.328) starts straight at its composer and talks to the model server
 * only, and returns the environment that goes with it.
 */
export async function writeClaudeHome(options: ClaudeHomeOptions): Promise<Readonly<Record<string, string>>> {
  await Deno.mkdir(`${options.home}/.claude`, { recursive: true });
  const project = {
    hasTrustDialogAccepted: options.trusted ?? true,
    hasCompletedProjectOnboarding: true,
    projectOnboardingSeenCount: 9,
    allowedTools: [],
  };
  await writeJson(`${options.home}/.claude.json`, {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: options.version,
    numStartups: 9,
    theme: "dark",
    hasSeenAutoDefaultNotice: true,
    hasSeenAutoDefaultNudge: true,
    // Kept are the last 20 characters of a key that was approved.
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [options.project]: project },
    ...options.state,
  });
  // Both are set because the defaults depend on the age of the installation.
  await writeJson(`${options.home}/.claude/settings.json`, {
    tui: options.tui ?? "fullscreen",
    permissions: { defaultMode: "default" },
    ...options.settings,
  });
  return {
    ANTHROPIC_BASE_URL: options.baseUrl,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_TELEMETRY: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: "1",
    CLAUDE_CODE_TMPDIR: options.tmp,
  };
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(path, JSON.stringify(value));
}
