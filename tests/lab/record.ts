// Records the screens of a real agent CLI into a folder of fixtures, with the truth taken from the model server's log:
//   deno run --allow-all tests/lab/record.ts --provider codex --version 0.169.0 --size 80x24 --size 220x50 --out DIR
import { parseArgs } from "@std/cli/parse-args";
import { installCli, PINNED_VERSIONS } from "../support/clis.ts";
import { writeClaudeHome } from "../support/claude_home.ts";
import { CODEX_LOGGED_OUT, writeCodexHome } from "../support/codex_home.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { startAnthropicServer } from "./anthropic_server.ts";
import { startOpenAiServer } from "./openai_server.ts";
import { CLAUDE_SCENES } from "./recording/claude_scenes.ts";
import { CODEX_SCENES } from "./recording/codex_scenes.ts";
import type { Scene } from "./recording/scene.ts";
import { playScene, type StageOptions } from "./recording/stage.ts";

/** What is recorded, and where to. */
interface RecordOptions extends Pick<StageOptions, "provider" | "version" | "cols" | "rows"> {
  readonly out: string;
  readonly model: string | undefined;
}

async function recordScene(scene: Scene, options: RecordOptions): Promise<void> {
  const { provider, version } = options;
  const cli = await installCli(provider, version);
  // A name that tells nothing of the machine, for it is on the screens.
  await using sandbox = await createSandbox({ root: `/tmp/shop-${options.cols}x${options.rows}` });
  const start = provider === "codex" ? startOpenAiServer : startAnthropicServer;
  await using server = start({ scenarios: { default: scene.turns } });
  const home = provider === "codex" ? codexHome : claudeHome;
  const env = { ...sandbox.env, ...await home(scene, { ...options, sandbox, baseUrl: server.baseUrl() }) };
  const argv = [...cli.argv, ...scene.args ?? []] as const;
  for (const { name, capture, sidecar } of await playScene(scene, { ...options, sandbox, server, env, argv })) {
    await Deno.writeTextFile(`${options.out}/${name}.ansi`, capture);
    await Deno.writeTextFile(`${options.out}/${name}.json`, JSON.stringify(sidecar, null, 1) + "\n");
  }
}

interface HomeOptions extends RecordOptions {
  readonly sandbox: Sandbox;
  readonly baseUrl: string;
}

async function codexHome(scene: Scene, options: HomeOptions): Promise<Readonly<Record<string, string>>> {
  const { sandbox: { root, project }, baseUrl, model } = options;
  const folder = `${root}/codex-home`;
  const env = await writeCodexHome({
    folder,
    baseUrl,
    project,
    trusted: scene.setup !== "untrusted",
    ...(model === undefined ? {} : { model }),
    ...(scene.setup === "guarded" ? { approvalPolicy: "on-request", sandboxMode: "read-only" } : {}),
  });
  if (scene.setup === "logged_out") await Deno.writeTextFile(`${folder}/config.toml`, CODEX_LOGGED_OUT);
  return env;
}

async function claudeHome(scene: Scene, options: HomeOptions): Promise<Readonly<Record<string, string>>> {
  const { sandbox: { home, project, env }, baseUrl, version } = options;
  const trusted = scene.setup !== "untrusted";
  return await writeClaudeHome({ home, project, baseUrl, version, trusted, tmp: env.TMPDIR ?? "/tmp" });
}

async function main(): Promise<number> {
  const args = parseArgs(Deno.args, {
    string: ["provider", "version", "size", "out", "model", "scene"],
    collect: ["size", "scene"],
    default: { provider: "codex" },
  });
  const provider = args["provider"];
  if (provider !== "codex" && provider !== "claude_code") throw new TypeError(`Cannot record ${String(provider)}`);
  const version = String(args["version"] ?? PINNED_VERSIONS[provider]);
  const out = String(args["out"] ?? `.cache/recordings/${provider}/${version}`);
  const model = args["model"] === undefined ? undefined : String(args["model"]);
  const sizes = (args["size"] as readonly string[]).length > 0
    ? args["size"] as readonly string[]
    : ["80x24", "220x50"];
  const wanted = args["scene"] as readonly string[];
  await Deno.mkdir(out, { recursive: true });

  let failures = 0;
  for (const size of sizes) {
    const [cols, rows] = size.split("x").map(Number);
    if (!cols || !rows) throw new TypeError(`Cannot record at ${size}: a size is written as 80x24`);
    for (const scene of provider === "codex" ? CODEX_SCENES : CLAUDE_SCENES) {
      if (wanted.length > 0 && !wanted.includes(scene.name)) continue;
      try {
        await recordScene(scene, { provider, version, cols, rows, out, model });
        print(`${size} ${scene.name}: recorded`);
      } catch (error) {
        failures++;
        print(`${size} ${scene.name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return failures === 0 ? 0 : 1;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) Deno.exit(await main());
