import { exists } from "@std/fs";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";

/** A real agent CLI, installed for tests. */
export interface InstalledCli {
  readonly version: string;
  /** Starts it: the native binary where the package has one, otherwise its script on Node. */
  readonly argv: readonly [string, ...string[]];
  /** The folder with the command that npm puts on PATH. */
  readonly binFolder: string;
}

/** The CLIs that tests install. */
export type CliName = "codex" | "claude_code";

/** What people call them. */
export const CLI_LABELS: Readonly<Record<CliName, string>> = { codex: "Codex", claude_code: "Claude Code" };

/** The versions that the end-to-end tests run against. */
export const PINNED_VERSIONS: Readonly<Record<CliName, string>> = { codex: "0.169.0", claude_code: "2.1.328" };

const PACKAGES: Readonly<Record<CliName, string>> = {
  codex: "@openai/codex",
  claude_code: "@anthropic-ai/claude-code",
};

/**
 * Finds a CLI in the cache folder, or installs it there from npm.
 *
 * The folder is `.cache/clis` of the repository, or what `PANEWRIGHT_TEST_CLIS` names. Each version has a folder of its
 * own, so that several can be tested side by side.
 *
 * @throws {Error} when npm is missing or cannot install it
 */
export async function installCli(name: CliName, version: string = PINNED_VERSIONS[name]): Promise<InstalledCli> {
  const cache = Deno.env.get("PANEWRIGHT_TEST_CLIS") ?? new URL("../../.cache/clis", import.meta.url).pathname;
  const folder = `${cache}/${name}-${version}`;
  await installPackage(folder, `${PACKAGES[name]}@${version}`);
  for (const argv of candidates(name, `${folder}/node_modules`)) {
    if (await exists(argv.at(-1) ?? "")) return { version, argv, binFolder: `${folder}/node_modules/.bin` };
  }
  throw new Error(`Cannot find the program of ${name} ${version} in ${folder}: remove the folder and try again`);
}

/**
 * The newest version of a CLI that npm has.
 *
 * @throws {Error} when npm is missing or cannot tell
 */
export async function newestVersion(name: CliName): Promise<string> {
  const argv = ["npm", "view", PACKAGES[name], "version"] as const;
  const { code, stdout, stderr } = await systemProcessRunner.run({ argv, timeoutMs: 60_000 });
  if (code !== 0) {
    throw new Error(`Cannot tell the newest version of ${PACKAGES[name]}: npm exited with ${code}\n${stderr}`);
  }
  return stdout.trim();
}

/**
 * Installs an npm package without its scripts, unless the folder is there. That happens beside the folder, and the
 * result is moved there, so that a broken-off or a second install does no harm.
 *
 * @throws {Error} when npm is missing or cannot install it
 */
export async function installPackage(folder: string, specifier: string): Promise<void> {
  if (await exists(folder)) return;
  const parent = folder.slice(0, folder.lastIndexOf("/"));
  await Deno.mkdir(parent, { recursive: true });
  const staging = await Deno.makeTempDir({ dir: parent, prefix: ".installing-" });
  try {
    const { code, stderr } = await systemProcessRunner.run({
      argv: ["npm", "install", "--prefix", staging, "--no-audit", "--no-fund", "--ignore-scripts", specifier],
      timeoutMs: 10 * 60_000,
    });
    if (code !== 0) throw new Error(`Cannot install ${specifier}: npm exited with ${code}\n${stderr}`);
    await Deno.rename(staging, folder);
  } catch (error) {
    await Deno.remove(staging, { recursive: true });
    if (!await exists(folder)) throw error;
  }
}

/** Where a package keeps its program; that has moved over the years. */
function candidates(name: CliName, modules: string): readonly (readonly [string, ...string[]])[] {
  const { os, arch } = Deno.build;
  const platform = `${os}-${arch === "x86_64" ? "x64" : "arm64"}`;
  if (name === "claude_code") {
    return [
      [`${modules}/@anthropic-ai/claude-code-${platform}/claude`],
      ["node", `${modules}/@anthropic-ai/claude-code/cli.js`],
    ];
  }
  const vendor = `vendor/${arch}-${os === "darwin" ? "apple-darwin" : "unknown-linux-musl"}`;
  return [
    [`${modules}/@openai/codex-${platform}/${vendor}/bin/codex`],
    [`${modules}/@openai/codex-${platform}/${vendor}/codex/codex`],
    [`${modules}/@openai/codex/${vendor}/codex/codex`],
  ];
}

if (import.meta.main) {
  const names = Deno.args.length === 0 ? ["codex", "claude_code"] as const : Deno.args;
  for (const name of names) {
    if (name !== "codex" && name !== "claude_code") throw new TypeError(`Cannot install ${name}: no such CLI`);
    const { argv, version } = await installCli(name);
    await Deno.stdout.write(new TextEncoder().encode(`${name} ${version}: ${argv.join(" ")}\n`));
  }
}
