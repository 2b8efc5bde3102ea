/** What a Codex home for tests is set up with. */
export interface CodexHomeOptions {
  /** The folder that becomes CODEX_HOME. */
  readonly folder: string;
  /** Base URL of the model server. */
  readonly baseUrl: string;
  /** The project's folder. */
  readonly project: string;
  /**
   * Whether the project is trusted already. Otherwise the project gets settings of its own for Codex, without which
   * Codex does not ask outside a Git repository (0.169.0).
   *
   * @default {true}
   */
  readonly trusted?: boolean;
  /** @default {"gpt-6.1-sol"} */
  readonly model?: string;
  /** @default {"never"} */
  readonly approvalPolicy?: "never" | "on-request";
  /** @default {"danger-full-access"} */
  readonly sandboxMode?: "read-only" | "workspace-write" | "danger-full-access";
  /** Further keys of `[tui]`. */
  readonly tui?: Readonly<Record<string, unknown>>;
}

/**
 * Writes a configuration with which Codex (0.169.0) starts straight at its composer, talks to the model server only and
 * leaves no daemon behind, and returns the environment that goes with it.
 */
export async function writeCodexHome(options: CodexHomeOptions): Promise<Readonly<Record<string, string>>> {
  const model = options.model ?? "gpt-6.1-sol";
  const trusted = options.trusted ?? true;
  // What JSON writes for strings, booleans and lists of them is TOML as well.
  const tui = Object.entries(options.tui ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`).join("");
  const trust = `[projects."${options.project}"]\ntrust_level = "trusted"\n`;
  await Deno.mkdir(options.folder, { recursive: true });
  if (!trusted) {
    await Deno.mkdir(`${options.project}/.codex`);
    await Deno.writeTextFile(`${options.project}/.codex/config.toml`, "");
  }
  await Deno.writeTextFile(
    `${options.folder}/config.toml`,
    `model = "${model}"
model_provider = "loopback"
check_for_update_on_startup = false
approval_policy = "${options.approvalPolicy ?? "never"}"
sandbox_mode = "${options.sandboxMode ?? "danger-full-access"}"

[model_providers.loopback]
name = "loopback"
base_url = "${options.baseUrl}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
requires_openai_auth = false
supports_websockets = false
request_max_retries = 2
stream_max_retries = 2

${trusted ? trust : ""}
[analytics]
enabled = false

[feedback]
enabled = false

[features]
daemon_auto_start = false
plugins = false
apps = false

[tui]
screen_reader_detection_done = true
${tui}
[tui.model_availability_nux]
"${model}" = 1

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`,
  );
  return { CODEX_HOME: options.folder, OPENAI_API_KEY: "dummy" };
}

/** A config.toml with which Codex asks for a login. */
export const CODEX_LOGGED_OUT = `check_for_update_on_startup = false
[analytics]
enabled = false
[features]
daemon_auto_start = false
plugins = false
apps = false
`;
