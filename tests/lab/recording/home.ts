import { writeClaudeHome } from "../../support/claude_home.ts";
import type { CliName } from "../../support/clis.ts";
import { CODEX_LOGGED_OUT, writeCodexHome } from "../../support/codex_home.ts";
import type { Sandbox } from "../../support/sandbox.ts";
import type { Scene } from "./scene.ts";
import type { Variant } from "./variants.ts";

/** What a CLI's home is set up for. */
export interface HomeOptions {
  readonly provider: CliName;
  readonly version: string;
  readonly model: string | undefined;
  readonly scene: Scene;
  readonly variant: Variant;
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
}

/** Writes a CLI's configuration for a scene in a variant, and returns the environment that goes with it. */
export async function writeHome(options: HomeOptions): Promise<Readonly<Record<string, string>>> {
  const { scene, variant, version, model, baseUrl, sandbox: { root, home, project, env } } = options;
  const trusted = scene.setup !== "untrusted";
  if (options.provider === "claude_code") {
    const { settings = {}, state = {} } = variant;
    const tmp = env["TMPDIR"] ?? "/tmp";
    return await writeClaudeHome({ home, project, baseUrl, version, trusted, tmp, settings, state });
  }
  const folder = `${root}/codex-home`;
  const codexEnv = await writeCodexHome({
    folder,
    baseUrl,
    project,
    trusted,
    tui: variant.settings ?? {},
    ...(model === undefined ? {} : { model }),
    ...(scene.setup === "guarded" ? { approvalPolicy: "on-request", sandboxMode: "read-only" } : {}),
  });
  if (scene.setup === "logged_out") await Deno.writeTextFile(`${folder}/config.toml`, CODEX_LOGGED_OUT);
  return codexEnv;
}
