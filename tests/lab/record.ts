/**
 * Records the screens of a real agent CLI in the settings that people run it in, with the truth taken from the model
 * server's log: `deno task record:corpus --cli claude_code --version 2.1.330`.
 *
 * The CLI is installed from npm into the folder of `tests/support/clis.ts`; what it shows is made with a model server
 * on 127.0.0.1. `--version latest` is what npm has. `--variant` and `--scene` choose, and may be repeated; `--size
 * 80x24` replaces the sizes of the variants. Recordings go to `.cache/recordings/CLI/VERSION` or `--out`, a capture and
 * a sidecar each; `tests/lab/pack_screens.ts` packs them. Scenes that fail are told and played once more; nothing of a
 * failure is kept.
 */
import { parseArgs } from "@std/cli/parse-args";
import { type CliName, installCli, newestVersion, PINNED_VERSIONS } from "../support/clis.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { startAnthropicServer } from "./anthropic_server.ts";
import { startOpenAiServer } from "./openai_server.ts";
import { writeHome } from "./recording/home.ts";
import type { Scene } from "./recording/scene.ts";
import { SCENES } from "./recording/scenes.ts";
import { playScene } from "./recording/stage.ts";
import { CORE_SCENES, type Variant, VARIANTS } from "./recording/variants.ts";

/** One scene in one variant and size. */
interface Shot {
  readonly scene: Scene;
  readonly variant: Variant;
  readonly cols: number;
  readonly rows: number;
}

/** What is recorded, and where to. */
interface RecordOptions {
  readonly provider: CliName;
  readonly version: string;
  readonly out: string;
  readonly model: string | undefined;
}

async function recordShot({ scene, variant, cols, rows }: Shot, options: RecordOptions): Promise<number> {
  const { provider, version, model } = options;
  const cli = await installCli(provider, version);
  await using sandbox = await createStageSandbox();
  for (const [name, text] of Object.entries(scene.files ?? {})) {
    await Deno.writeTextFile(`${sandbox.project}/${name}`, text);
  }
  const start = provider === "codex" ? startOpenAiServer : startAnthropicServer;
  const turns = scene.turns;
  await using server = start(typeof turns === "function" ? { respond: turns } : { scenarios: { default: turns } });
  const home = await writeHome({ provider, version, model, scene, variant, sandbox, baseUrl: server.baseUrl() });
  const env = { ...sandbox.env, ...home };
  const argv = [...cli.argv, ...variant.args ?? [], ...scene.args ?? []] as const;
  const recorded = await playScene(scene, { provider, version, cols, rows, variant, sandbox, server, env, argv });
  for (const { name, capture, sidecar } of recorded) {
    await Deno.writeTextFile(`${options.out}/${name}.ansi`, capture);
    await Deno.writeTextFile(`${options.out}/${name}.json`, JSON.stringify(sidecar, null, 1) + "\n");
  }
  return recorded.length;
}

/**
 * A folder whose name tells nothing of the machine, for it is on the screens. Names are of one length: none begins with
 * another, by which processes are found.
 */
async function createStageSandbox(): Promise<Sandbox> {
  for (let n = 10; n < 99; n++) {
    try {
      return await createSandbox({ root: `/tmp/shop-${n}` });
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  throw new Error("Cannot record: remove the folders /tmp/shop-*");
}

/** What the arguments choose, each variant's scenes in a row. */
function chooseShots(
  provider: CliName,
  wanted: {
    readonly variants: readonly string[];
    readonly scenes: readonly string[];
    readonly sizes: readonly string[];
  },
): readonly Shot[] {
  const variants = pick(VARIANTS[provider], { names: wanted.variants, what: "variant" });
  const chosen = pick(SCENES[provider], { names: wanted.scenes, what: "scene" });
  return variants.flatMap((variant) => {
    const scenes = wanted.scenes.length > 0 || variant.scenes === "all"
      ? chosen
      : chosen.filter(({ name }) => CORE_SCENES[provider].includes(name));
    const sizes = wanted.sizes.length > 0 ? wanted.sizes : variant.sizes ?? ["100x30"];
    return sizes.flatMap((size) => {
      const [, cols, rows] = size.match(/^(\d+)x(\d+)$/) ?? [];
      if (cols === undefined) throw new TypeError(`Cannot record at ${size}: a size is written as 80x24`);
      return scenes.map((scene): Shot => ({ scene, variant, cols: Number(cols), rows: Number(rows) }));
    });
  });
}

/** Those with these names; all of them where none is named. */
function pick<T extends { readonly name: string }>(
  all: readonly T[],
  { names, what }: { readonly names: readonly string[]; readonly what: string },
): readonly T[] {
  for (const name of names) {
    if (all.some((one) => one.name === name)) continue;
    throw new TypeError(`Cannot record the ${what} ${name}: there are ${all.map((one) => one.name).join(", ")}`);
  }
  return names.length === 0 ? all : all.filter(({ name }) => names.includes(name));
}

async function main(): Promise<number> {
  const args = parseArgs(Deno.args, {
    string: ["cli", "version", "variant", "scene", "size", "out", "model", "jobs"],
    collect: ["variant", "scene", "size"],
    default: { cli: "codex", jobs: "1" },
  });
  const provider = args["cli"];
  if (provider !== "codex" && provider !== "claude_code") throw new TypeError(`Cannot record ${String(provider)}`);
  const asked = String(args["version"] ?? PINNED_VERSIONS[provider]);
  const version = asked === "latest" ? await newestVersion(provider) : asked;
  const out = String(args["out"] ?? `.cache/recordings/${provider}/${version}`);
  const jobs = Number(args["jobs"]);
  if (!Number.isInteger(jobs) || jobs < 1) throw new TypeError(`Cannot record with ${String(args["jobs"])} jobs`);
  const model = args["model"] === undefined ? undefined : String(args["model"]);
  const listed = (name: string) => args[name] as readonly string[];
  const shots = [...chooseShots(provider, {
    variants: listed("variant"),
    scenes: listed("scene"),
    sizes: listed("size"),
  })];
  await Deno.mkdir(out, { recursive: true });
  await installCli(provider, version);

  let failures = 0;
  const again = new Set<Shot>();
  const work = async (): Promise<void> => {
    for (let shot = shots.shift(); shot !== undefined; shot = shots.shift()) {
      const what = `${version} ${shot.variant.name} ${shot.cols}x${shot.rows} ${shot.scene.name}`;
      try {
        print(`${what}: ${await recordShot(shot, { provider, version, out, model })} recorded`);
      } catch (error) {
        print(`${what}: ${error instanceof Error ? error.message : String(error)}`);
        if (again.has(shot)) {
          failures++;
        } else {
          again.add(shot);
          shots.push(shot);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  print(`${out}: to see what the rules make of them, panewright fixtures check ${out}`);
  return failures === 0 ? 0 : 1;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) Deno.exit(await main());
