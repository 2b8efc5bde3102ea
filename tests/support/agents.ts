import { installPackage } from "./clis.ts";

/** An agent that speaks the Agent Client Protocol, installed for tests. */
export interface InstalledAgent {
  readonly name: AgentName;
  readonly version: string;
  /** The folders that PATH must begin with: the one with the agent's command, and the Node that it runs on. */
  readonly path: readonly string[];
}

/** The real agents that tests install; also the names of their packs. */
export type AgentName = "claude_acp" | "codex_acp" | "copilot" | "gemini" | "opencode" | "qwen";

interface AgentPackage {
  readonly npm: string;
  readonly version: string;
  /** Where its command is, below `node_modules`. @default {".bin"} */
  readonly folder?: string;
}

const { os, arch } = Deno.build;
const PLATFORM = `${os}-${arch === "x86_64" ? "x64" : "arm64"}`;

/** The versions that the conformance tests run against. */
const PACKAGES: Readonly<Record<AgentName, AgentPackage>> = {
  claude_acp: { npm: "@agentclientprotocol/claude-agent-acp", version: "0.100.0" },
  codex_acp: { npm: "@agentclientprotocol/codex-acp", version: "2.6.0" },
  copilot: { npm: "@github/copilot", version: "1.0.102" },
  gemini: { npm: "@google/gemini-cli", version: "0.61.0" },
  // Its command is made by a script of the installation, which is not run here.
  opencode: { npm: "opencode-ai", version: "1.18.33", folder: `opencode-${PLATFORM}/bin` },
  qwen: { npm: "@qwen-code/qwen-code", version: "0.24.4" },
};

/** All agents, lightest first. */
export const AGENT_NAMES: readonly AgentName[] = ["gemini", "qwen", "copilot", "opencode", "claude_acp", "codex_acp"];

/** What the npm package `node` installs by a script: the program itself. Two of the agents need Node 22 or newer. */
const NODE = { npm: `node-${PLATFORM}`, version: "24.21.0" };

/**
 * Finds an agent in the cache folder, or installs it there from npm, with the Node that it runs on.
 *
 * The folder is `.cache/agents` of the repository, or what `PANEWRIGHT_TEST_AGENTS` names. Each version has a folder of
 * its own.
 *
 * @throws {Error} when npm is missing or cannot install it
 */
export async function installAgent(name: AgentName): Promise<InstalledAgent> {
  const cache = Deno.env.get("PANEWRIGHT_TEST_AGENTS") ?? new URL("../../.cache/agents", import.meta.url).pathname;
  const { npm, version, folder = ".bin" } = PACKAGES[name];
  const node = `${cache}/node-${NODE.version}`;
  await installPackage(node, `${NODE.npm}@${NODE.version}`);
  await installPackage(`${cache}/${name}-${version}`, `${npm}@${version}`);
  const path = [`${cache}/${name}-${version}/node_modules/${folder}`, `${node}/node_modules/${NODE.npm}/bin`];
  return { name, version, path };
}

if (import.meta.main) {
  const names = Deno.args.length === 0 ? AGENT_NAMES : Deno.args;
  for (const name of names) {
    const known = AGENT_NAMES.find((each) => each === name);
    if (known === undefined) throw new TypeError(`Cannot install ${name}: no such agent`);
    const { path, version } = await installAgent(known);
    await Deno.stdout.write(new TextEncoder().encode(`${name} ${version}: ${path[0]}\n`));
  }
}
